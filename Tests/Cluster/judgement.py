"""What a cluster did with what it was sent, by the database's content and by what a carer heard; told for each fault."""

import collections

from load import ALARMED, HALF_PERIOD, METRICS, PEOPLE, is_high, person

# From a fault's beginning to the next one's.
Window = collections.namedtuple("Window", "name begin end goal note told")
Row = collections.namedtuple("Row", "fault sent lost doubled alarms late wrong delay end pause goal note told")
# A crossing is told within so many seconds, whatever happens to the database: one that is away is no reason to be silent, what is critical is told unconfirmed.
TOLD = 3


class Census:
    """Every reading that was sent, and every row that is stored, joined by identity."""

    def __init__(self, database, publishers):
        self.sent = {}
        for publisher in publishers:
            for whom, at, values in publisher.sent:
                for metric, value in zip(METRICS, values):
                    self.sent[whom, metric, round(at * 1000)] = value
        self.stored = {}
        self.doubled = collections.Counter()
        self.strange = []
        rows = database.ask(
            """SELECT p.name, m.name, (extract(epoch FROM r.time) * 1000)::bigint, r.value, extract(epoch FROM pg_xact_commit_timestamp(r.xmin))::float8
               FROM reading r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric JOIN source s ON s.id = r.source
               WHERE p.name LIKE 'c-%%' AND s.name = 'load'""")
        for whom, metric, at, value, committed in rows:
            key = (whom, metric, at)
            if key in self.stored:
                self.doubled[at] += 1
            if self.sent.get(key) != value:
                self.strange.append(f"{whom} {metric} {at}: {value}, sent {self.sent.get(key)}")
            self.stored[key] = committed
        self.missing = [key for key in self.sent if key not in self.stored]
        # What was stored and then replaced was stored twice, with another content.
        self.corrected = [f"{whom} {metric} of {source} at {at}: {old}, then {new}" for whom, metric, source, at, old, new in database.ask(
            """SELECT p.name, m.name, s.name, c.time, coalesce(c.value::text, c.text), coalesce(r.value::text, r.text)
               FROM correction c JOIN participant p ON p.id = c.participant JOIN metric m ON m.id = c.metric JOIN source s ON s.id = c.source
               LEFT JOIN reading r USING (participant, metric, source, time, seq)""")]

    def within(self, window):
        """How many were sent, are missing and are there twice, and the longest wait of a reading for its commit within the window."""
        sent = [self.stored.get(key) for key in self.sent if window.begin <= key[2] / 1000 < window.end]
        doubled = sum(count for at, count in self.doubled.items() if window.begin <= at / 1000 < window.end)
        return len(sent), sent.count(None), doubled, self.longest_wait(window)

    def longest_wait(self, window):
        """What was sent just before a fault waits because of it: of such a wait each window has what lies in it."""
        waits = ((key[2] / 1000, self.stored[key]) for key in self.sent if self.stored.get(key) is not None)
        return max((min(committed, window.end) - max(at, window.begin) for at, committed in waits if at < window.end and committed > window.begin), default=0.0)


class Alarms:
    """The crossings that the load made, and what was heard of each.

    Told is what was heard confirmed. What was heard unconfirmed before is in time, and no more than that: it may never have been stored.
    """

    def __init__(self, events, publishers):
        # By crossing: the confirmed event, and the one that was heard first.
        self.crossings, self.earliest = {}, {}
        for number in range(ALARMED):
            for transition, at in crossings(number, publishers):
                self.crossings[person(number), transition, at] = None
        self.wrong = []
        identities = collections.defaultdict(set)
        numbers = collections.defaultdict(set)
        confirmed = set()
        for event in sorted(events, key=lambda e: e["heard"]):
            identity = event["participant"], event["rule"], event["sequence"]
            content = tuple(event.get(k) for k in ("transition", "time", "value", "severity"))
            identities[identity].add(content)
            if not event.get("unconfirmed"):
                confirmed.add(identity)
                numbers[identity[:2]].add(event["sequence"])
            elif identity in confirmed:
                # It is stored, and told as if it were not.
                self.wrong.append(event)
                continue
            self.take(event)
        self.differing = [key for key, contents in identities.items() if len(contents) > 1]
        # Of an alert's events, which are numbered, some were never heard.
        self.gaps = [(*alert, missing) for alert, known in numbers.items() for missing in sorted(set(range(min(known), max(known))) - known)]

    @property
    def untold(self):
        """How many crossings nobody was told of for certain."""
        return sum(1 for event in self.crossings.values() if event is None)

    def take(self, event):
        """Finds the crossing that an event tells of: the newest of its kind that is not younger than it."""
        whom = event["participant"]
        mine = [k for k in self.crossings if k[0] == whom and k[1] == event["transition"] and -0.001 < event["time"] - k[2] < HALF_PERIOD]
        if not mine:
            self.wrong.append(event)
            return
        crossing = mine[-1]
        self.earliest.setdefault(crossing, event)
        if event.get("unconfirmed"):
            return
        found = self.crossings[crossing]
        if found is None:
            self.crossings[crossing] = event
        elif found["sequence"] != event["sequence"]:
            self.wrong.append(event)

    def within(self, window):
        """How many there were, were never told and were told wrongly, and the longest times from a reading to the alarm that it raised or ended."""
        own = [(k, e) for k, e in self.crossings.items() if window.begin <= k[2] < window.end]
        first = [(k[1], self.earliest[k]) for k, _ in own if k in self.earliest]
        delays = [[e["heard"] - e["time"] for of, e in first if of == transition] for transition in ("raised", "cleared")]
        wrong = sum(1 for e in self.wrong if window.begin <= e["time"] < window.end)
        return len(own), sum(1 for _, e in own if not e), wrong, *(max(each, default=0.0) for each in delays)


class Messages:
    """Who had to be told what their weight means, and how soon they were; a message may come once more where a process took another's place."""

    def __init__(self, listener, scale):
        weighed = {whom: at for whom, at, _ in scale.sent}
        self.unsaid = [whom for whom in weighed if not listener.said.get(whom)]
        self.delays = sorted(listener.said[whom][0] - at for whom, at in weighed.items() if listener.said.get(whom))
        self.again = sum(len(times) - 1 for whom, times in listener.said.items() if whom in weighed)

    def __str__(self):
        if not self.delays:
            return f"modules: {len(self.unsaid)} persons were not told anything"
        return (f"modules: {len(self.delays)} persons told, {len(self.unsaid)} not; half of them within {self.delays[len(self.delays) // 2]:.1f} s, "
                f"the last after {self.delays[-1]:.1f} s; {self.again} times once more")


def crossings(number, publishers):
    """The readings with which a person's alarm must be raised and cleared."""
    was = False
    for at in sorted(at for publisher in publishers for whom, at, _ in publisher.sent if whom == person(number)):
        now = is_high(number, at)
        if now != was:
            yield "raised" if now else "cleared", at
        was = now


def judge(windows, census, alarms):
    rows = []
    for window in windows:
        sent, lost, doubled, pause = census.within(window)
        count, late, wrong, delay, end = alarms.within(window)
        rows.append(Row(window.name, sent, lost, doubled, count, late, wrong, delay, end, pause, window.goal, window.note, window.told))
    return rows


def problems(row):
    """What of a fault's outcome is not as promised."""
    found = []
    if row.lost:
        found.append(f"{row.lost} lost")
    if row.doubled:
        found.append(f"{row.doubled} doubled")
    if row.late:
        found.append(f"{row.late} alarms not told")
    if row.wrong:
        found.append(f"{row.wrong} alarms more than crossings")
    if row.told is not None and row.delay > row.told:
        found.append(f"an alarm after {row.delay:.1f} s, promised {row.told} s")
    if row.goal is not None and row.pause > row.goal:
        found.append(f"pause {row.pause:.1f} s, promised {row.goal:g} s")
    if row.note:
        found.append(row.note)
    return found


def table(rows):
    head = f"{'fault':34} {'sent':>7} {'lost':>5} {'twice':>5} {'alarms':>6} {'untold':>6} {'wrong':>5} {'alarm s':>8} {'end s':>6} {'pause s':>8} {'goal s':>6}  verdict"
    lines = [head]
    for r in rows:
        goal = "" if r.goal is None else f"{r.goal:g}"
        verdict = "; ".join(problems(r)) or "kept"
        lines.append(f"{r.fault:34} {r.sent:7} {r.lost:5} {r.doubled:5} {r.alarms:6} {r.late:6} {r.wrong:5} {r.delay:8.1f} {r.end:6.1f} {r.pause:8.1f} {goal:>6}  {verdict}")
    return "\n".join(lines)
