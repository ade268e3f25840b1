"""The suite on a cluster: two replicas of each service, or one process of each, started again by whoever runs this."""

import os
import urllib.request

from engines import MQTT
from processes import Process, await_that

HTTP = 9100
# That of the dashboards' pages.
PAGES = 8443
# Nothing here depends on when a reading arrives, so that a fault changes only when its alarm comes.
RULES = """{rules: [
  {id: "high", metric: "heart-rate", severity: "critical", above: 120, clear: 100, lateness: "1d", staleAfter: "1d", maximumAge: "3600d"},
]}"""


class Service(Process):
    """One process of a service."""

    def __init__(self, suite, kind, instance, host, arguments, port):
        self.kind, self.instance, self.address = kind, instance, f"http://{host.address}:{port}"
        name = f"{kind}-{instance}"
        secrets, folder = suite.secrets, f"{suite.folder}/{name}"
        account = kind.removeprefix("vigil-")
        if suite.shares > 1:
            arguments = [*arguments, "--shares", str(suite.shares)]
        self.arguments = [
            *arguments, "--instance", instance, "--broker-host", ",".join(h.address for h in suite.hosts), "--broker-port", str(MQTT),
            "--broker-ca-file", secrets.authority, "--broker-user", account, "--broker-password-file", secrets.file("broker", account),
            "--broker-protocol", "3.1.1", "--http-host", host.address, "--http-port", str(port), "--state-folder", folder,
        ]
        super().__init__(name, [], host, f"{suite.folder}/{name}.log")
        self.program = suite.program

    @property
    def program(self):
        return self.command[0]

    @program.setter
    def program(self, path):
        self.command = [path, "service", self.kind, *self.arguments]

    def is_ready(self):
        with urllib.request.urlopen(f"{self.address}/readyz", timeout=2) as answer:
            return answer.status == 200


class Suite:
    """Every service that is needed from a device to the timeline and an alarm, and, where it is complete, what people look at and bring files to."""

    def __init__(self, program, hosts, secrets, database, folder, shares, is_complete):
        os.makedirs(folder)
        self.program, self.hosts, self.secrets, self.database, self.folder = program, hosts, secrets, database, folder
        self.shares = shares
        self.restarts = []
        self.next_port = HTTP
        self.timelines = []
        for instance in self.instances:
            self.add_timeline(instance)
        with open(f"{folder}/rules.json5", "w") as file:
            file.write(RULES)
        self.alerts = self.each("alert", 1, ["--rules", f"{folder}/rules.json5"])
        self.stresses = self.each("stress", 0, [])
        self.ingests = self.each("ingest", 2, [])
        self.modules = self.each("modules", 1, []) if is_complete else []
        self.others = [*self.each("import", 2, ["serve"]), *self.dashboards()] if is_complete else []

    @property
    def instances(self):
        return ["a", "b"] if self.shares > 1 else ["main"]

    def each(self, account, first, arguments):
        """The replicas of a service, each on a host of its own, with their state in the database."""
        if self.shares > 1:
            arguments = [*arguments, "--state", self.database.address(f"vigil_{account}_owner"), "--state-password-file", self.secrets.file("database", account)]
        return [self.service(f"vigil-{account}", instance, self.hosts[(first + n) % len(self.hosts)], arguments) for n, instance in enumerate(self.instances)]

    def dashboards(self):
        """Those of a cluster's machines, each with the certificate of its own."""
        pages = os.path.join(os.path.dirname(__file__), "../../Services/Dashboard/Web")
        made = self.each("dashboard", 0, ["--web-folder", pages, "--dashboard-port", str(PAGES)])
        for service, host in zip(made, self.hosts):
            certificate, key = self.secrets.certificate(host)
            service.arguments += ["--dashboard-host", host.address, "--certificate-file", certificate, "--key-file", key]
            service.program = self.program
        return made

    def service(self, kind, instance, host, arguments):
        self.next_port += 1
        return Service(self, kind, instance, host, arguments, self.next_port)

    def add_timeline(self, instance):
        store = ["--store", self.database.uri, "--store-password-file", self.secrets.file("database", "owner")]
        made = self.service("vigil-timeline", instance, self.hosts[len(self.timelines) % len(self.hosts)], store)
        self.timelines.append(made)
        return made

    @property
    def services(self):
        return [*self.timelines, *self.alerts, *self.stresses, *self.modules, *self.ingests, *self.others]

    def start(self):
        # Those that read come first: what ingest publishes before they have subscribed once nobody keeps for them.
        for service in self.services:
            service.start()
            await_that(f"{service.name} is ready", lambda: self.supervise() or service.is_ready(), within=120)

    def supervise(self):
        """Starts again what has ended by itself, as an orchestrator does."""
        ended = [s for s in self.services if s.child and s.ended]
        for service in ended:
            self.restarts.append(service.name)
            service.start()

    def owned(self):
        """How many shares of the timeline each replica owns."""
        rows = self.database.ask("SELECT owner, count(*) FROM lease WHERE service = 'vigil-timeline' AND expires > clock_timestamp() GROUP BY 1")
        return {owner: count for owner, count in rows if owner}

    def is_even(self):
        """Each share is owned by a replica that runs, and they differ by one at most."""
        if self.shares == 1:
            return True
        running = [s.instance for s in self.timelines if not s.ended and not s.frozen]
        owned = self.owned()
        counts = [owned.get(name, 0) for name in running]
        return sum(counts) == self.shares and max(counts) - min(counts) <= 1
