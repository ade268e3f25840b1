"""The suite as the browser tests need it: `vigil up` in a temporary folder with free ports, and the synthetic family."""

import contextlib
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

SETTINGS = os.path.join(os.path.dirname(__file__), "../../deploy/mosquitto/mosquitto.conf")
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


# Below the ports that the system gives to whoever connects, so that none of those takes one between its choice and its use.
with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as limits:
    PORTS = range(10_000, int(limits.read().split()[0]))


def free_row(count):
    """The first of several free ports in a row."""
    for _ in range(200):
        first = random.randrange(PORTS.start, PORTS.stop - count)
        probes = []
        try:
            for port in range(first, first + count):
                probe = socket.socket()
                probes.append(probe)
                probe.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for probe in probes:
                probe.close()
    raise RuntimeError("no ports to be had")


def free_port():
    return free_row(1)


class Suite:
    """Starts everything; `stop` ends it in order."""

    def __init__(self, vigil):
        self.vigil = vigil
        self.folder = tempfile.mkdtemp(prefix="vigil-pages-")
        self.port = free_port()
        self.broker = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.family = None
        # Health ports are near each other and may be taken meanwhile: then once more.
        for attempt in range(3):
            self.start(free_row(12))
            if self.wait_up():
                break
            said = self.said()
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGINT)
                self.process.wait(90)
            if attempt == 2:
                raise RuntimeError("the suite did not come up:\n" + said)

    def start(self, health):
        self.output = open(f"{self.folder}/up", "wb")
        self.process = subprocess.Popen(
            [self.vigil, "up", "--state-folder", f"{self.folder}/state", "--broker-port", str(self.broker), "--dashboard-port", str(self.port),
             "--health-port", str(health), "--ready-within", "120s"],
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.STDOUT, start_new_session=True)

    def said(self):
        with open(f"{self.folder}/up", encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_up(self):
        for _ in range(1500):
            if "Vigil is up" in self.said():
                return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.1)
        return False

    @property
    def link(self):
        return re.search(r"/welcome#[\w-]+", self.said()).group(0)

    def run(self, *arguments):
        """Runs a subcommand on this suite's state."""
        return subprocess.run([self.vigil, *arguments], check=True, capture_output=True, text=True, timeout=60).stdout

    def start_family(self):
        self.family = subprocess.Popen(
            [self.vigil, "demo", "--broker-port", str(self.broker)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)

    def stop_family(self):
        if self.family and self.family.poll() is None:
            self.family.send_signal(signal.SIGINT)
            self.family.wait(30)

    def publish(self, participant, device, text):
        subprocess.run(
            ["mosquitto_pub", "-p", str(self.broker), "-q", "1", "-t", f"vigil/v1/ingest/{participant}/{device}", "-m", text], check=True, timeout=20)

    @contextlib.contextmanager
    def frozen(self, service):
        """Stops a service in its tracks for the block, as a machine that hangs would."""
        number = self.child(service)
        os.kill(number, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(number, signal.SIGCONT)

    def child(self, service):
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
                with open(f"/proc/{entry}/cmdline", encoding="utf-8") as file:
                    words = file.read().split("\0")
            except OSError:
                continue
            if parent == self.process.pid and service in words:
                return int(entry)
        raise RuntimeError(f"{service} does not run")

    def died(self):
        """What services that ended said last."""
        lines = [line for line in self.said().splitlines() if " ended with " in line]
        for log in sorted({line.rsplit("See ", 1)[1] for line in lines if "See " in line}):
            with open(log, encoding="utf-8", errors="replace") as file:
                lines += file.read().splitlines()[-20:]
        return lines

    def stop(self):
        self.stop_family()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(90)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.output.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class LargeTimeline:
    """The services that the pages need, over a PostgreSQL database that is there already; `stop` ends them."""

    # Every service's words behind the program.
    SERVICES = {"vigil-timeline": [], "vigil-alert": [], "vigil-import": ["serve"], "vigil-dashboard": []}

    def __init__(self, vigil, database):
        self.vigil = vigil
        self.folder = tempfile.mkdtemp(prefix="vigil-pages-")
        self.broker, self.port = free_port(), free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        found = subprocess.run(["psql", database, "-Atc", "SELECT count(*) FROM participant WHERE name LIKE 'person-%'"], check=True, capture_output=True,
                               text=True)
        self.participants = int(found.stdout)
        self.link = self.run("people", "add", "operator", "--role", "operator,carer", "--participant", "*")
        self.link = re.search(r"/welcome#[\w-]+", self.link).group(0)
        with open(f"{self.folder}/mosquitto.conf", "w", encoding="ascii") as settings:
            with open(SETTINGS, encoding="ascii") as shipped:
                settings.write(shipped.read())
            settings.write(f"\nlistener {self.broker} 127.0.0.1\nallow_anonymous true\npersistence_location {self.folder}/\n")
            if os.geteuid() == 0:
                settings.write("user root\n")
        self.processes = [self.start("broker", ["/usr/sbin/mosquitto", "-c", settings.name])]
        self.wait_for(self.broker)
        for name, words in self.SERVICES.items():
            own = ["--store", database] if name == "vigil-timeline" else []
            own += ["--dashboard-port", str(self.port)] if name == "vigil-dashboard" else []
            self.processes.append(self.start(name, [
                vigil, "service", name, *words, "--broker-port", str(self.broker), "--state-folder", self.folder, *own]))
        self.wait_for(self.port)

    def run(self, *arguments):
        return subprocess.run([self.vigil, *arguments, "--state-folder", self.folder], check=True, capture_output=True, text=True, timeout=60).stdout

    def start(self, name, command):
        with open(f"{self.folder}/{name}.log", "wb") as log:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)

    def wait_for(self, port):
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return
            time.sleep(0.1)
        raise RuntimeError(f"nobody listens on {port}; see {self.folder}")

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)
