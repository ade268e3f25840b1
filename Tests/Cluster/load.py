"""What devices send and what a carer hears: 500 readings a second with alarms, each sent until the broker has acknowledged it."""

import collections
import json
import ssl
import threading
import time

import paho.mqtt.client as mqtt

from engines import MQTT

METRICS = ["heart-rate", "respiration-rate", "oxygen-saturation", "body-temperature", "systolic-pressure"]
PEOPLE = 64
# A crossing takes each of the alarmed people above the limit for so many seconds, then as long below it.
HALF_PERIOD = 12
ALARMED = 16


def person(number):
    return f"c-{number:02}"


def is_high(number, at):
    """Whether that person's heart races at that moment; each has a phase of its own, in whole seconds."""
    return number < ALARMED and int(at + number * 2 * HALF_PERIOD // ALARMED) // HALF_PERIOD % 2 == 1


class Link:
    """A client with a certificate authority, an account, and every node to try in turn."""

    def __init__(self, name, hosts, secrets, account, first=0, keeps_session=False):
        self.name_there, self.hosts, self.secrets, self.account, self.place = name, hosts, secrets, account, first
        self.keeps_session, self.is_connected, self.connected_at = keeps_session, False, 0.0
        self.renew()

    def renew(self):
        """A client that knows nothing of what the one before had under way."""
        self.client = mqtt.Client(
            mqtt.CallbackAPIVersion.VERSION2, client_id=self.name_there, clean_session=not self.keeps_session, protocol=mqtt.MQTTv311)
        self.client.username_pw_set(self.account, self.secrets.password("broker", self.account))
        self.client.tls_set_context(self.secrets.context())
        self.client.max_inflight_messages_set(500)
        self.client.connect_timeout = 3
        self.client.on_connect, self.client.on_disconnect = self.connected, self.disconnected

    def connected(self, client, userdata, flags, code, properties):
        self.is_connected = not code.is_failure
        self.connected_at = time.monotonic()
        if self.is_connected:
            self.up()

    def disconnected(self, client, userdata, flags, code, properties):
        self.is_connected = False

    def up(self):
        """The connection stands."""

    def turn(self):
        """Connects to the next node; false where it does not answer."""
        host = self.hosts[self.place % len(self.hosts)]
        self.place += 1
        try:
            self.client.connect(host.address, MQTT, keepalive=5)
        except (OSError, ssl.SSLError, ValueError):
            return False
        self.connected_at = time.monotonic()
        return True


class Publisher(Link, threading.Thread):
    """Publishes for every fourth person at a steady rate, whatever happens; what is not acknowledged in time it sends again, over another node."""

    PATIENCE = 4

    def __init__(self, number, count, rate, hosts, secrets):
        Link.__init__(self, f"load-{number}", hosts, secrets, "operator", number)
        threading.Thread.__init__(self, daemon=True)
        self.people = range(number, PEOPLE, count)
        self.pause = len(METRICS) * count / rate
        self.lock = threading.Lock()
        # What was published and not acknowledged, by the number of its publish; and what waits to be sent again.
        self.unacknowledged = collections.OrderedDict()
        self.again = collections.deque()
        self.sent = []
        self.newest = collections.defaultdict(float)
        self.acknowledged = 0
        self.slowest = 0.0
        self.ends = threading.Event()
        self.client.on_publish = self.told

    def told(self, client, userdata, mid, code, properties):
        with self.lock:
            message = self.unacknowledged.pop(mid, None)
            if message:
                self.acknowledged += 1
                self.slowest = max(self.slowest, time.time() - message[0])

    def run(self):
        turn, due = 0, time.monotonic()
        while not (self.ends.is_set() and self.is_settled()):
            if not self.is_connected and time.monotonic() - self.connected_at > 2:
                self.reconnect()
            if time.monotonic() >= due and not self.ends.is_set():
                with self.lock:
                    self.again.append(self.message(self.people[turn % len(self.people)]))
                turn, due = turn + 1, due + self.pause
            self.send()
            self.client.loop(timeout=max(0.0, min(0.02, due - time.monotonic())))
            oldest = next(iter(self.unacknowledged.values()), None)
            if self.is_connected and oldest and time.monotonic() - max(oldest[3], self.connected_at) > self.PATIENCE:
                self.give_up()
        self.client.disconnect()

    def is_settled(self):
        with self.lock:
            return not self.unacknowledged and not self.again

    def message(self, number):
        # Each of a person's readings has a time of its own, also those that come in a burst after the sender was held up.
        at = self.newest[number] = max(round(time.time(), 3), round(self.newest[number] + 0.001, 3))
        heart = 140 if is_high(number, at) else 70
        values = [heart + len(self.sent) % 5, 14, 97, 36.6, 120]
        units = ["/min", "/min", "%", "Cel", "mm[Hg]"]
        readings = [{"metric": m, "time": at, "value": v, "unit": u} for m, v, u in zip(METRICS, values, units)]
        self.sent.append((person(number), at, values))
        return at, f"vigil/v1/ingest/{person(number)}/load", json.dumps(readings)

    def send(self):
        while self.is_connected and self.again and len(self.unacknowledged) < 400:
            with self.lock:
                message = self.again.popleft()
                told = self.client.publish(message[1], message[2], qos=1)
                if told.rc != mqtt.MQTT_ERR_SUCCESS:
                    self.again.appendleft(message)
                    return
                self.unacknowledged[told.mid] = (*message[:3], time.monotonic())

    def give_up(self):
        """The node is silent: the next one."""
        self.client.disconnect()
        self.is_connected = False

    def reconnect(self):
        with self.lock:
            # The oldest first, before what is new.
            self.again.extendleft(m[:3] for m in reversed(self.unacknowledged.values()))
            self.unacknowledged.clear()
        self.renew()
        self.client.on_publish = self.told
        if not self.turn():
            self.ends.wait(0.1)


class Scale(Publisher):
    """Weighs a new person every two seconds, who has gained so much since the day before that a module has something to say."""

    def __init__(self, hosts, secrets):
        super().__init__(90, 1, len(METRICS) / 2, hosts, secrets)
        self.people = range(1)

    def message(self, number):
        at, whom = round(time.time(), 3), f"w-{len(self.sent):04}"
        readings = [{"metric": "body-weight", "time": at - age, "value": value, "unit": "kg"} for age, value in [(86_400, 80), (0, 83)]]
        self.sent.append((whom, at, [83]))
        return at, f"vigil/v1/ingest/{whom}/scale", json.dumps(readings)


class Listener(Link, threading.Thread):
    """Hears every alert event, and what modules say to persons, over a session that outlives its connections, and notes when each came first."""

    def __init__(self, hosts, secrets):
        Link.__init__(self, "cluster-listener", hosts, secrets, "operator", keeps_session=True)
        threading.Thread.__init__(self, daemon=True)
        self.heard = {}
        self.repeats = 0
        # By person, when the module of the weight had something to say.
        self.said = collections.defaultdict(list)
        self.ends = threading.Event()
        self.is_subscribed = threading.Event()
        self.client.on_message = self.message
        self.client.on_subscribe = lambda *_: self.is_subscribed.set()
        self.last_word = time.monotonic()

    def up(self):
        self.client.subscribe([("vigil/v1/alert-events/#", 1), ("vigil/v1/messages/#", 1)])

    def message(self, client, userdata, message):
        text = message.payload.decode()
        if message.topic.startswith("vigil/v1/messages/"):
            if text and not message.retain and message.topic.endswith("/weight"):
                self.said[message.topic.split("/")[3]].append(time.time())
            return
        self.repeats += text in self.heard
        self.heard.setdefault(text, time.time())

    def run(self):
        while not self.ends.is_set():
            if not self.is_connected and time.monotonic() - self.connected_at > 2 and not self.turn():
                self.ends.wait(0.1)
            self.client.loop(timeout=0.1)
        self.client.disconnect()

    def events(self):
        return [json.loads(text) | {"heard": at} for text, at in list(self.heard.items())]
