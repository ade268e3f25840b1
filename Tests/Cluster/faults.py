"""The faults: what each does to a running cluster, and when it counts as over."""

import random
import time

from judgement import TOLD, Window
from processes import await_that

FREEZE, CUT = 20, 30
# What may pass from a reading to its commit: after the death of a broker's node or a replica, and of the database's leader, and while replicas come and go.
# For what is frozen or cut off no time is promised.
GOAL, LEADER_GOAL, EVEN_GOAL = 10, 25, 2


class Trouble:
    """Carries faults out one after the other, while readings come."""

    def __init__(self, cluster, seed, say, upgraded=None):
        self.cluster, self.random, self.say, self.upgraded = cluster, random.Random(seed), say, upgraded
        self.windows = []
        self.notes, self.broken = [], []

    # The kinds, in the order in which they are carried out.

    def kill_broker(self):
        for node in self.order(self.cluster.brokers):
            self.strike(f"kill {node.name}", GOAL, lambda: (node.kill(), time.sleep(3), node.start()))

    def freeze_broker(self):
        for node in self.order(self.cluster.brokers):
            self.strike(f"freeze {node.name} 20 s", None, lambda: self.freeze(node))

    def kill_database(self):
        for role, node in self.databases():
            self.strike(f"kill {node.name} ({role})", LEADER_GOAL if role == "leader" else GOAL, lambda: (node.kill(), time.sleep(3), node.start()), TOLD)

    def freeze_database(self):
        for role, node in self.databases():
            self.strike(f"freeze {node.name} ({role}) 20 s", None, lambda: self.freeze(node), TOLD)

    def kill_replica(self):
        for service in self.order(self.cluster.suite.services):
            self.strike(f"kill {service.name}", GOAL, lambda: (service.kill(), time.sleep(1), service.start()))

    def freeze_replica(self):
        for service in self.order(self.cluster.suite.services):
            self.strike(f"freeze {service.name} 20 s", None, lambda: self.freeze(service))

    def partition(self):
        if not self.cluster.network.can_cut:
            self.notes.append("partition: skipped, as only root can cut a host off (network namespaces)")
            return
        leader = self.cluster.database.leader()
        for host in [leader.host, self.random.choice([h for h in self.cluster.network.hosts if h is not leader.host])]:
            what = "with the leader" if host is leader.host else "without it"
            self.strike(f"cut host {host.number} off 30 s ({what})", None, lambda: self.cut(host))

    def replicas(self):
        suite = self.cluster.suite
        if suite.shares == 1:
            self.notes.append("replicas: skipped, as with --shares 1 there is one")
            return
        for count in (1, 2, 4, 2):
            self.strike(f"{count} replicas of vigil-timeline", EVEN_GOAL, lambda: self.resize(count))

    def upgrade(self):
        """Every process in turn ends in good order and is started anew by the other program; the engines are restarted alike."""
        suite = self.cluster.suite
        for service in suite.services:
            if self.upgraded:
                service.program = self.upgraded
            goal = EVEN_GOAL if service in suite.timelines and suite.shares > 1 else GOAL
            self.strike(f"upgrade {service.name}", goal, lambda: (service.stop(), service.start()))
        for node in [*self.cluster.brokers, *self.cluster.elections, *self.cluster.databases]:
            goal, told = (LEADER_GOAL, TOLD) if node in self.cluster.databases else (GOAL, None)
            self.strike(f"restart {node.name} in good order", goal, lambda: (node.stop(), node.start()), told)

    # How.

    def order(self, things):
        return self.random.sample(things, len(things))

    def databases(self):
        """Each node in turn, the one that leads when it is its turn first; a leader's fault is another thing than a standby's."""
        left = list(self.cluster.databases)
        while left:
            leader = self.cluster.database.leader()
            node = leader if leader in left else self.random.choice(left)
            left.remove(node)
            yield "leader" if node is leader else "standby", node

    def freeze(self, process):
        process.freeze()
        self.watch(FREEZE)
        process.resume()

    def watch(self, seconds):
        """Passes the time as an orchestrator: whoever ends by himself is started again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.cluster.suite.supervise()
            time.sleep(0.2)

    def cut(self, host):
        network, node = self.cluster.network, next(n for n in self.cluster.databases if n.host is host)
        network.cut(host)
        try:
            self.watch(6)
            before = self.cluster.rows_at(node)
            self.watch(CUT - 6)
            after = self.cluster.rows_at(node)
            # A commit that was under way at the cut shows there once its wait for a standby is broken off. Nobody was told of it, and it is taken back when
            # the node comes home; had somebody been told, it would count as lost.
            self.notes.append(f"{node.name}, cut off, showed {before} readings after 6 s and {after} after {CUT} s")
        finally:
            network.join(host)

    def resize(self, count):
        suite = self.cluster.suite
        while len([s for s in suite.timelines if not s.ended]) > count:
            suite.timelines.pop().stop()
        while len(suite.timelines) < count:
            service = suite.add_timeline("abcd"[len(suite.timelines)])
            service.start()
            await_that(f"{service.name} is ready", lambda: suite.supervise() or service.is_ready())
        began = time.monotonic()
        await_that(f"the shares are even among {count}", suite.is_even, within=60)
        took = time.monotonic() - began
        self.say(f"even after {took:.1f} s")
        if took > 10:
            self.broken.append(f"{count} replicas were even after {took:.1f} s, promised 10 s")

    def strike(self, name, goal, act, told=None):
        """Does it, waits until all is well again, and remembers when it was."""
        self.say(name)
        begin, note = time.time(), ""
        try:
            act()
            self.cluster.recover()
        except Exception as error:
            note = str(error).strip()
            self.say(f"{name}: {note}")
        self.windows.append(Window(name, begin, time.time(), goal, note, told))


KINDS = ["kill-broker", "freeze-broker", "kill-database", "freeze-database", "kill-replica", "freeze-replica", "partition", "replicas", "upgrade"]
