"""Random mishaps: one seed, one plan of what breaks when and for how long, also two things at a time; the same seed plans the same."""

import collections
import random
import time

from faults import Trouble

# What is done to which process, from when on and for how long, in seconds.
Act = collections.namedtuple("Act", "how target begins lasts")
# Of each engine two nodes of three must stand, and of each service one replica: so at most one thing of a layer breaks at a time.
LAYERS = ("broker", "election", "database", "replica")
KILLS, FREEZES = (0.5, 8), (0.5, 20)


def plan(seed, hosts, replicas):
    """One or two strokes: a whole host without power or cut off, or one process, or two of different layers at once."""
    dice = random.Random(seed)
    return [stroke(dice, hosts, replicas) for _ in range(dice.choice((1, 1, 2)))]


def stroke(dice, hosts, replicas):
    if dice.random() < 0.2:
        how = dice.choice(("power", "cut"))
        return [Act(how, ("host", dice.randrange(hosts)), 0, round(dice.uniform(2, 25), 1))]
    layers = dice.sample(LAYERS, dice.choice((1, 1, 2)))
    return [act(dice, layer, hosts if layer != "replica" else replicas, 0 if n == 0 else round(dice.uniform(0, 4), 1)) for n, layer in enumerate(layers)]


def act(dice, layer, count, begins):
    how = dice.choice(("kill", "kill", "freeze", "stop"))
    return Act(how, (layer, dice.randrange(count)), begins, round(dice.uniform(*(FREEZES if how == "freeze" else KILLS)), 1))


class Mishaps(Trouble):
    """Carries out the plans of seeds. What is promised is the content: how long the longest pause was is told, and judged by nobody, as two faults at a
    time take the time of both."""

    def seed(self, number):
        for acts in plan(number, len(self.cluster.brokers), len(self.cluster.suite.services)):
            if any(a.how == "cut" for a in acts) and not self.cluster.network.can_cut:
                self.notes.append(f"seed {number}: a host could not be cut off without root, and lost its power instead")
                acts = [a._replace(how="power") for a in acts]
            self.strike(f"seed {number}: {', '.join(self.words(a) for a in acts)}", None, lambda: self.carry_out(acts))

    def words(self, act):
        layer, place = act.target
        name = f"host {place + 1}" if layer == "host" else self.process(act).name
        after = f" at {act.begins:g}" if act.begins else ""
        return f"{act.how} {name}{after} for {act.lasts:g} s"

    def process(self, act):
        layer, place = act.target
        suite = self.cluster.suite
        return {"broker": self.cluster.brokers, "election": self.cluster.elections, "database": self.cluster.databases, "replica": suite.services}[layer][place]

    def carry_out(self, acts):
        moments = sorted([(a.begins, True, a) for a in acts] + [(a.begins + a.lasts, False, a) for a in acts], key=lambda m: m[:2])
        began = time.monotonic()
        for at, breaks, act in moments:
            self.watch(began + at - time.monotonic())
            self.broken_now(act) if breaks else self.mended(act)

    def broken_now(self, act):
        if act.how == "cut":
            self.cluster.network.cut(self.host(act))
            return
        for process in self.concerned(act):
            if act.how == "freeze":
                process.freeze()
            elif act.how == "stop":
                process.stop()
            else:
                process.kill()
            if act.how != "freeze":
                # Nobody starts it again before its time.
                process.child = None

    def mended(self, act):
        if act.how == "cut":
            self.cluster.network.join(self.host(act))
        for process in self.concerned(act) if act.how != "cut" else []:
            process.resume() if act.how == "freeze" else process.start()

    def host(self, act):
        return self.cluster.network.hosts[act.target[1]]

    def concerned(self, act):
        if act.target[0] != "host":
            return [self.process(act)]
        cluster = self.cluster
        return [p for p in [*cluster.elections, *cluster.databases, *cluster.brokers, *cluster.suite.services] if p.host is self.host(act)]


def seeds(text):
    """The numbers of "1-100", "7" or "3,5,8-10"."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
