"""Brings a cluster up from processes on this machine, breaks it in every way, and judges by content. Run by deploy/test-cluster."""

import argparse
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from engines import MONITOR, MQTT, PATRONI, Database, Etcd, Nats, Patroni, Secrets, await_engines
from faults import GOAL, KINDS, Trouble
from hosts import Network
from judgement import Alarms, Census, Messages, judge, problems, table
from load import METRICS, Listener, Publisher, Scale
from mishaps import Mishaps, seeds
from processes import Ended, await_that
from suite import Suite

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PUBLISHERS = 4
# How long a broker's node may take to catch up before it is started once more, as whoever runs it would (nats-server's issue 5976).
CATCHING_UP = 60


class Cluster:
    """Three hosts with everything on them."""

    def __init__(self, options, folder, say):
        self.say, self.folder = say, folder
        self.network = Network()
        self.brokers, self.elections, self.databases, self.suite = [], [], [], None
        self.publishers, self.scale, self.listener, self.stuck, self.restarted = [], None, None, [], -CATCHING_UP
        hosts, settings = self.network.hosts, f"{TOP}/deploy/cluster"
        say("secrets, as deploy/init makes them")
        self.secrets = Secrets(f"{folder}/secrets")
        self.make_secrets(options.vigil)
        # PostgreSQL does not run as root.
        user = "postgres" if os.geteuid() == 0 else None
        os.chmod(folder, 0o755)
        self.elections = [Etcd(h, hosts, self.secrets, f"{folder}/etcd-{h.number}") for h in hosts]
        self.databases = [
            Patroni(h, hosts, options.patroni, self.secrets, f"{folder}/database-{h.number}", settings, user) for h in hosts]
        self.brokers = [Nats(h, hosts, options.nats, self.secrets, f"{folder}/nats-{h.number}", settings) for h in hosts]
        self.database = Database(self.databases, self.secrets)
        self.options = options

    def make_secrets(self, vigil):
        words = [word for host in self.network.hosts for word in ("--node", host.address)]
        environment = os.environ | {"VIGIL_SECRETS": self.secrets.folder}
        subprocess.run([f"{TOP}/deploy/init", *words], env=environment, check=True, capture_output=True)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("VIGIL_")}
        subprocess.run(
            [vigil, "accounts", "nats", "--accounts-folder", f"{self.secrets.folder}/state", "--service-passwords", f"{self.secrets.folder}/broker"],
            env=environment, check=True, stdout=subprocess.DEVNULL)

    def start(self):
        hosts, options = self.network.hosts, self.options
        self.say("three nodes each of etcd, PostgreSQL under Patroni, and NATS")
        for node in [*self.elections, *self.databases, *self.brokers]:
            node.start()
        await_engines(self.brokers, self.database)
        self.say("the suite")
        self.suite = Suite(
            options.vigil, hosts, self.secrets, self.database, f"{self.folder}/suite", options.shares,
            # They take a part of a small machine that shows in the seconds of all others, and the version before may have them without --state.
            is_complete=bool(options.seeds or {"kill-replica", "freeze-replica"} & set(options.kinds)) and not options.upgrade_from)
        self.suite.start()
        await_that("MQTT's streams have three copies each", lambda: all(b.is_whole() and b.streams() for b in self.brokers))
        self.check()
        self.listener = Listener(hosts, self.secrets)
        self.listener.start()
        if not self.listener.is_subscribed.wait(30):
            raise RuntimeError("the listener could not subscribe within 30 s")
        self.publishers = [Publisher(n, PUBLISHERS, options.rate, hosts, self.secrets) for n in range(PUBLISHERS)]
        self.scale = Scale(hosts, self.secrets)
        self.began = time.time()
        for sender in self.senders:
            sender.start()

    @property
    def senders(self):
        return [*self.publishers, *([self.scale] if self.scale and self.suite.modules else [])]

    def check(self):
        """An operator's look at all of it, engines included."""
        hosts = self.network.hosts
        command = [
            self.options.vigil, "check", "--nats-monitor", ",".join(f"http://{h.address}:{MONITOR}" for h in hosts),
            "--patroni", ",".join(f"https://{h.address}:{PATRONI}" for h in hosts), "--broker-host", ",".join(h.address for h in hosts),
            "--broker-port", str(MQTT), "--broker-ca-file", self.secrets.authority, "--broker-user", "operator", "--broker-password-file",
            self.secrets.file("broker", "operator"), "--connect-within", "60s", "--expect", ",".join(sorted({s.kind for s in self.suite.services})),
            # A version from before 24 November 2026 gives no receipts over MQTT 3.1.1.
            *(["--round-trip", "0s"] if self.options.upgrade_from else [])]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("VIGIL_")}

        def is_well():
            self.found = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
            return self.found.returncode == 0
        try:
            # A copy may lag behind for a moment.
            await_that("vigil check finds all of it well", is_well, within=60, every=5)
        finally:
            self.say("vigil check:\n" + self.found.stdout.rstrip())

    def recover(self):
        """Waits until nothing lags behind anywhere: nodes, shares, and readings."""
        began = time.monotonic()

        def is_whole():
            self.suite.supervise()
            if time.monotonic() - began > CATCHING_UP:
                self.start_again([b for b in self.brokers if not b.is_current()])
            if not all(t.is_alive() for t in [*self.senders, self.listener]):
                raise Ended("the load ended by itself")
            trouble = [n.name for n in [*self.brokers, *self.suite.services] if not (n.is_whole() if n in self.brokers else n.is_ready())]
            if not self.database.is_whole():
                trouble.append("the database")
            if not self.suite.is_even():
                trouble.append(f"the shares: {self.suite.owned()}")
            if trouble:
                raise RuntimeError(", ".join(trouble))
            return True

        await_that("everything is well again", is_whole, within=180, every=0.5)
        moment = time.time()
        # A reading of every person from after that moment is stored.
        await_that("what comes is stored", lambda: self.database.ask(
            "SELECT count(DISTINCT participant) FROM reading WHERE time > to_timestamp(%s)", moment)[0][0] >= 60, within=60, every=0.5)
        time.sleep(3)

    def start_again(self, nodes):
        """One of the broker's nodes that does not catch up by itself."""
        # One that has just been started is given as long again, and so is who waits for it.
        if nodes and time.monotonic() - self.restarted > CATCHING_UP:
            node = next((n for n in nodes if n.name not in self.stuck[-1:]), nodes[0])
            self.say(f"{node.name} has not caught up within {CATCHING_UP} s: started again")
            self.stuck.append(node.name)
            self.restarted = time.monotonic()
            node.stop()
            node.start()

    def rows_at(self, node):
        """The readings that a node shows, asked on its own host."""
        command = [*node.host.prefix, "setpriv", f"--reuid={node.user}", f"--regid={node.user}", "--init-groups"] if node.user else []
        done = subprocess.run(
            [*command, "psql", "-XAtq", "-h", node.folder, "-U", "postgres", "-d", "vigil", "-c", "SELECT count(*) FROM reading"],
            capture_output=True, text=True, timeout=20)
        return done.stdout.strip() or done.stderr.strip()

    def drain(self):
        """No more is sent; waits until all of it was acknowledged and is stored, or stays away for good."""
        for sender in self.senders:
            sender.ends.set()
        def under_way():
            return sum(len(p.unacknowledged) + len(p.again) for p in self.senders)
        waiting = self.until_still(under_way, 0)
        if waiting:
            self.say(f"{waiting} messages were not acknowledged")
        sent = sum(len(p.sent) for p in self.publishers) * len(METRICS)
        missing = self.until_still(lambda: sent - self.database.ask(
            "SELECT count(*) FROM reading r JOIN source s ON s.id = r.source WHERE s.name = 'load'")[0][0], 0)
        if missing:
            self.say(f"{missing} readings are not stored, and no more come")
        untold = self.until_still(lambda: Alarms(self.listener.events(), self.publishers).untold, 0)
        if untold:
            self.say(f"{untold} alarms were not told, and no more come")
        unsaid = self.until_still(lambda: len(Messages(self.listener, self.scale).unsaid), 0)
        if unsaid:
            self.say(f"{unsaid} persons were not told what their weight means, and no more are")
        time.sleep(3)

    def last_sent(self):
        return max(at for publisher in self.publishers for _, at, _ in publisher.sent)

    def until_still(self, measure, wanted, quiet=60):
        """Waits until the measure is what is wanted, or has not changed for a minute; returns it. A backlog takes as long as it takes."""
        last, since = None, time.monotonic()
        while time.monotonic() - since < quiet:
            self.suite.supervise()
            try:
                now = measure()
            except Exception as error:  # the database may be between two leaders
                self.say(str(error).splitlines()[0])
                now = last
            if now == wanted:
                return now
            if now != last:
                last, since = now, time.monotonic()
            time.sleep(1)
        return last

    def remove(self):
        for thread in [*self.senders, *([self.listener] if self.listener else [])]:
            thread.ends.set()
        services = self.suite.services if self.suite else []
        for process in [*services, *self.brokers, *self.databases, *self.elections]:
            try:
                process.resume()
                process.kill()
            except Exception as error:  # the rest is to go all the same
                self.say(f"{process.name} did not go: {error}")
        self.network.remove()


def options():
    parser = argparse.ArgumentParser(prog="deploy/test-cluster", description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--only", action="append", choices=KINDS, metavar="KIND", help=f"only these kinds (repeatable): {', '.join(KINDS)}")
    parser.add_argument("--seed", type=int, default=1, help="the order in which nodes and replicas are broken")
    parser.add_argument("--seeds", type=seeds, metavar="A-B", help="random mishaps instead, also two at a time: one plan a seed, ten seeds a cluster")
    parser.add_argument("--rounds", type=int, default=2, help="how often each kind is carried out")
    parser.add_argument("--rate", type=int, default=500, help="readings a second")
    parser.add_argument("--shares", type=int, default=16, help="the services' shares; 1: one process of each")
    parser.add_argument("--upgrade-from", metavar="PROGRAM", help="the vigil of the version before, which the suite begins with; only with --only upgrade")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the logs there")
    parser.add_argument("--vigil", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--nats", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--patroni", required=True, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    chosen.kinds = chosen.only or KINDS
    if chosen.upgrade_from:
        if chosen.kinds != ["upgrade"]:
            parser.error("--upgrade-from goes with --only upgrade")
        chosen.rounds = 1
    if chosen.seeds and (chosen.only or chosen.upgrade_from):
        parser.error("--seeds excludes --only and --upgrade-from")
    if chosen.seeds and chosen.shares == 1:
        parser.error("--seeds needs replicas: --shares 4 or more")
    return chosen


def main():
    chosen = options()
    began = time.monotonic()
    upgraded = None
    if chosen.upgrade_from:
        upgraded, chosen.vigil = chosen.vigil, chosen.upgrade_from

    def say(words):
        print(f"{time.monotonic() - began:7.1f} s  {words}", flush=True)

    def interrupted(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupted)
    signal.signal(signal.SIGHUP, interrupted)
    if not chosen.seeds:
        return on_a_cluster(chosen, say, lambda cluster: trial(cluster, chosen, say, upgraded))
    # Ten seeds a cluster: what the first ones left behind meets the last ones, and what went wrong is found in the logs of ten.
    groups = [chosen.seeds[n:n + 10] for n in range(0, len(chosen.seeds), 10)]
    codes = []
    for group in groups:
        codes.append(on_a_cluster(chosen, say, lambda cluster: mishaps(cluster, chosen, group, say)))
        if codes[-1] == 130:
            break
    print(f"{len(chosen.seeds)} seeds: " + ("every promise was kept" if not any(codes) else f"{sum(map(bool, codes))} of {len(groups)} clusters broke one, or could not be carried out"))
    return max(codes)


def on_a_cluster(chosen, say, work):
    """Brings a cluster up, does the work on it, and takes it away again, whatever happens."""
    folder, cluster, code = tempfile.mkdtemp(prefix="vigil-cluster-"), None, 2
    try:
        cluster = Cluster(chosen, folder, say)
        cluster.start()
        code = work(cluster)
    except KeyboardInterrupt:
        say("interrupted")
        code = 130
    except Exception as error:
        say(f"could not be carried out: {error}")
        if os.environ.get("CLUSTER_TRACE"):
            raise
    finally:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        say("everything is taken away")
        if cluster:
            cluster.remove()
        if chosen.keep:
            keep_logs(folder, chosen.keep)
        shutil.rmtree(folder, ignore_errors=True)
        signal.signal(signal.SIGINT, before)
    return code


def joined(windows, begin):
    """The windows without gaps: each reading belongs to one."""
    # What was sent while the last one was looked at belongs to it.
    ends = [w.begin for w in windows[1:]] + [float("inf")]
    begins = [begin] + ends[:-1]
    return [w._replace(begin=b, end=e) for w, b, e in zip(windows, begins, ends)]


def keep_logs(folder, kept):
    """Copies the logs, and nothing that holds a secret or a reading."""
    os.makedirs(kept, exist_ok=True)
    for path in glob.glob(f"{folder}/*/log") + glob.glob(f"{folder}/suite/*.log"):
        shutil.copy(path, f"{kept}/{os.path.relpath(path, folder).replace('/', '-')}")


def keep_order(cluster, alarms, kept):
    """Notes in which order the readings around each untold crossing came: when measured, when received, when stored."""
    os.makedirs(kept, exist_ok=True)
    with open(f"{kept}/untold.csv", "w") as file:
        print("person,crossing,measured,value,received,stored", file=file)
        for (whom, transition, at), event in alarms.crossings.items():
            if event is not None:
                continue
            rows = cluster.database.ask(
                """SELECT extract(epoch FROM r.time)::float8, r.value, extract(epoch FROM r.received)::float8,
                        extract(epoch FROM pg_xact_commit_timestamp(r.xmin))::float8
                    FROM reading r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric
                    WHERE p.name = %s AND m.name = 'heart-rate' AND r.time BETWEEN to_timestamp(%s) AND to_timestamp(%s) ORDER BY 3""",
                whom, at - 20, at + 40)
            for measured, value, received, stored in rows:
                times = ",".join(f"{time - cluster.began:.3f}" for time in (received, stored))
                print(f"{whom},{transition} {at - cluster.began:.3f},{measured - cluster.began:.3f},{value:g},{times}", file=file)


def trial(cluster, chosen, say, upgraded):
    trouble = Trouble(cluster, chosen.seed, say, upgraded)
    trouble.strike("nothing, first 15 s", None, lambda: trouble.watch(15))
    trouble.strike("nothing, 15 s", GOAL, lambda: trouble.watch(15))
    for number in range(chosen.rounds):
        for kind in chosen.kinds:
            # A cluster of another size is tried once, and so is an upgrade.
            if number == 0 or kind not in ("replicas", "upgrade"):
                getattr(trouble, kind.replace("-", "_"))()
    return verdict(cluster, trouble, chosen, f"seed {chosen.seed}", say)


def mishaps(cluster, chosen, group, say):
    trouble = Mishaps(cluster, group[0], say)
    trouble.strike("nothing, 5 s", None, lambda: trouble.watch(5))
    for number in group:
        trouble.seed(number)
    return verdict(cluster, trouble, chosen, f"seeds {group[0]} to {group[-1]}", say)


def verdict(cluster, trouble, chosen, name, say):
    """Waits for what is on its way, and tells what became of everything."""
    begin = cluster.began
    say("no more is sent; what is on its way arrives")
    cluster.drain()
    end = max(w.end for w in trouble.windows)
    census, alarms = Census(cluster.database, cluster.publishers), Alarms(cluster.listener.events(), cluster.publishers)
    rows = judge(joined(trouble.windows, begin), census, alarms)
    print()
    print(table(rows))
    print()
    wrong = [f"{row.fault}: {problem}" for row in rows for problem in problems(row)] + trouble.broken
    if census.strange or census.corrected:
        wrong.append(f"{len(census.strange)} rows are not what was sent, {len(census.corrected)} were corrected; "
                     + "; ".join(census.strange[:3] + census.corrected[:5]))
    if census.missing:
        wrong.append("missing are " + ", ".join(f"{whom} {metric} at {at}" for whom, metric, at in census.missing[:5]))
    untold = [f"{transition} of {whom}, crossed {at - cluster.began:.1f} s after the beginning, {cluster.last_sent() - at:.1f} s before the end"
              for (whom, transition, at), event in alarms.crossings.items() if event is None]
    if untold:
        wrong.append("untold are " + "; ".join(untold[:5]))
        if chosen.keep:
            keep_order(cluster, alarms, chosen.keep)
    for event in alarms.wrong[:4]:
        wrong.append(f"an alarm that no crossing explains: {' '.join(str(event.get(k)) for k in ('participant', 'transition', 'sequence', 'time', 'value'))}, "
                     f"heard {event['heard'] - event['time']:.1f} s later")
    if alarms.gaps:
        wrong.append(f"{len(alarms.gaps)} numbered events were never heard, the first: {alarms.gaps[0]}")
    if alarms.differing:
        wrong.append(f"{len(alarms.differing)} alarms were told twice with different contents, the first: {alarms.differing[0]}")
    print(f"{len(census.sent)} readings in {end - begin:.0f} s, {len(census.stored)} stored; {len(alarms.crossings)} crossings, "
          f"{cluster.listener.repeats} events heard again with the same content; slowest acknowledgement "
          f"{max(p.slowest for p in cluster.publishers):.1f} s; ended by themselves: {', '.join(cluster.suite.restarts) or 'none'}"
          f"{'; started again as they did not catch up: ' + ', '.join(cluster.stuck) if cluster.stuck else ''}")
    kept, twice = cluster.brokers[0].subscriptions()
    print(f"the broker keeps {kept} subscriptions of sessions")
    if twice:
        wrong.append(f"{twice} of the subscriptions that the broker keeps are there twice")
    said = Messages(cluster.listener, cluster.scale)
    if cluster.suite.modules:
        print(said)
    if said.unsaid:
        wrong.append("what their weight means was not told to " + ", ".join(said.unsaid[:5]))
    for note in trouble.notes:
        print(note)
    for problem in wrong:
        print("BROKEN " + problem)
    print(f"{name}: " + ("every promise was kept" if not wrong else f"{len(wrong)} promises were broken"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
