"""The engines of a cluster, a node of each on every host: NATS, etcd, and PostgreSQL under Patroni. TLS everywhere."""

import json
import os
import shutil
import ssl
import urllib.request

import psutil
import psycopg

from processes import Ended, Process, await_that

MQTT, MONITOR, ROUTES, CLIENTS = 8883, 8222, 6222, 4222
ETCD, PEERS, PATRONI, DATABASE = 2379, 2380, 8008, 5432
BINARIES = "/usr/lib/postgresql/15/bin"


class Secrets:
    """What deploy/init made."""

    def __init__(self, folder):
        self.folder = folder
        self.authority = f"{folder}/tls/ca.crt"

    def certificate(self, host):
        return f"{self.folder}/tls/node-{host.number}.crt", f"{self.folder}/tls/node-{host.number}.key"

    def file(self, kind, account):
        return f"{self.folder}/{kind}/{account}"

    def password(self, kind, account):
        with open(self.file(kind, account)) as file:
            return file.read().strip()

    def context(self):
        return ssl.create_default_context(cafile=self.authority)


class Nats(Process):
    """A NATS node with JetStream, MQTT and the shipped configuration."""

    def __init__(self, host, hosts, program, secrets, folder, settings):
        os.makedirs(folder)
        certificate, key = secrets.certificate(host)
        shutil.copy(f"{settings}/nats.conf", folder)
        os.symlink(f"{secrets.folder}/state", f"{folder}/accounts")
        places = {
            "NODE": f"nats-{host.number}", "CLIENTS": f"127.0.0.1:{CLIENTS if host.namespace else CLIENTS + host.number}",
            "MONITOR": f"{host.address}:{MONITOR}", "MQTT": f"{host.address}:{MQTT}", "ROUTES": f"{host.address}:{ROUTES}", "ADVERTISE": f"{host.address}:{ROUTES}",
            "STORE": f"{folder}/store", "CERTIFICATE": certificate, "KEY": key, "AUTHORITY": secrets.authority,
        } | {f"ROUTE_{h.number}": f"tls://{h.address}:{ROUTES}" for h in hosts}
        super().__init__(f"nats-{host.number}", [program, "-c", f"{folder}/nats.conf"], host, f"{folder}/log",
                         environment={f"VIGIL_{name}": f'"{value}"' for name, value in places.items()})

    def is_ready(self):
        """Up, and all that it holds has caught up."""
        with urllib.request.urlopen(f"http://{self.host.address}:{MONITOR}/healthz", timeout=3) as answer:
            return answer.status == 200

    def is_current(self):
        """False for a node that runs and has not caught up."""
        try:
            return self.ended or self.is_ready()
        except OSError:
            return False

    def streams(self, more=""):
        address = f"http://{self.host.address}:{MONITOR}/jsz?accounts=1&streams=1&config=1{more}"
        with urllib.request.urlopen(address, timeout=3) as answer:
            accounts = json.load(answer).get("account_details") or []
        return [s for a in accounts for s in a.get("stream_detail") or [] if s["name"].startswith("$MQTT_")]

    def subscriptions(self):
        """How many subscriptions the sessions have, and how many of them are kept twice, as what the first try had made was forgotten."""
        kept = [(c["name"].split("_")[0], c["config"].get("filter_subject")) for s in self.streams("&consumers=1") if s["name"] == "$MQTT_msgs"
                for c in s.get("consumer_detail") or []]
        return len(kept), len(kept) - len(set(kept))

    def is_whole(self):
        """Nothing that it leads lags behind."""
        return self.is_ready() and not [
            s["name"] for s in self.streams() if s["cluster"].get("leader") in (None, self.name)
            for copy in s["cluster"].get("replicas") or [{"current": False}] if not copy.get("current") or copy.get("offline")]


class Etcd(Process):
    """A node of what Patroni elects its leader by."""

    def __init__(self, host, hosts, secrets, folder):
        os.makedirs(folder)
        certificate, key = secrets.certificate(host)
        tls = [f"--{side}{name}={value}" for side in ("", "peer-") for name, value in
               (("cert-file", certificate), ("key-file", key), ("trusted-ca-file", secrets.authority))]
        self.address = f"https://{host.address}:{ETCD}"
        peer = "https://{}:" + str(PEERS)
        super().__init__(f"etcd-{host.number}", [
            "etcd", f"--name=etcd-{host.number}", f"--data-dir={folder}/data", f"--listen-client-urls={self.address}",
            f"--advertise-client-urls={self.address}", f"--listen-peer-urls={peer.format(host.address)}",
            f"--initial-advertise-peer-urls={peer.format(host.address)}",
            "--initial-cluster=" + ",".join(f"etcd-{h.number}={peer.format(h.address)}" for h in hosts), "--initial-cluster-state=new",
            # Slow neighbours are no reason for an election: twice and a half the defaults.
            "--heartbeat-interval=250", "--election-timeout=2500", "--client-cert-auth", "--peer-client-cert-auth", *tls,
        ], host, f"{folder}/log")


class Patroni(Process):
    """PostgreSQL under Patroni, with the shipped settings."""

    def __init__(self, host, hosts, program, secrets, folder, settings, user):
        os.makedirs(folder)
        self.folder, self.user, self.secrets = folder, user, secrets
        environment = {
            "PATRONI_NAME": f"database-{host.number}", "VIGIL_NODE_ADDRESS": host.address, "VIGIL_DATA": f"{folder}/data",
            "VIGIL_RUN": folder, "PATRONI_SCOPE": "vigil",
        }
        for name in ("owner", "writer", "reader", "postgres", "replication", "patroni", "alert", "stress", "ingest", "modules", "import", "dashboard"):
            shutil.copy(secrets.file("database", name), f"{folder}/{name}")
        # PostgreSQL takes only a key that nobody else can read.
        certificate, key = secrets.certificate(host)
        shutil.copy(certificate, f"{folder}/server.crt")
        shutil.copy(key, f"{folder}/server.key")
        shutil.copy(secrets.authority, f"{folder}/ca.crt")
        os.chmod(f"{folder}/server.key", 0o600)
        # As in a container: the bootstrap with the scripts that it needs beside it, where the server's user may read them.
        for script in ("bootstrap", "../postgres/roles.sh", "../postgres/start"):
            shutil.copy(f"{settings}/{script}", folder)
        if user:
            for root, _, files in os.walk(folder):
                for name in [root, *(f"{root}/{f}" for f in files)]:
                    shutil.chown(name, user, user)
        self.configuration(host, hosts, settings)
        # The bootstrap's psql finds the server by these.
        environment |= {"HOME": folder, "PGHOST": folder, "VIGIL_DATABASE_PASSWORDS": f"{folder}/", "PATH": f"{BINARIES}:{os.environ['PATH']}"}
        super().__init__(f"database-{host.number}", [program, f"{folder}/patroni.yml"], host, f"{folder}/log", user, environment, folder)

    def configuration(self, host, hosts, settings):
        """deploy/cluster/patroni.yml with this machine's places in place of a container's."""
        with open(f"{settings}/patroni.yml") as file:
            text = file.read()
        places = {
            "@NAME@": f"database-{host.number}", "@ADDRESS@": host.address, "@ETCD@": ", ".join(f'"{h.address}:{ETCD}"' for h in hosts),
            "@RUN@": self.folder, "@DATA@": f"{self.folder}/data", "@BINARIES@": BINARIES, "@BOOTSTRAP@": f"{self.folder}/bootstrap",
        } | {f"@{name.upper()}_PASSWORD@": self.secrets.password("database", name) for name in ("postgres", "replication", "patroni")}
        for place, value in places.items():
            text = text.replace(place, value)
        with open(f"{self.folder}/patroni.yml", "w") as file:
            file.write(text)
        os.chmod(f"{self.folder}/patroni.yml", 0o600)
        if self.user:
            shutil.chown(f"{self.folder}/patroni.yml", self.user, self.user)

    def left(self):
        """The server's processes, which are Patroni's children no more when it has been started again."""
        try:
            with open(f"{self.folder}/data/postmaster.pid") as file:
                first = psutil.Process(int(file.readline()))
            if self.folder in " ".join(first.cmdline()):
                return [first, *first.children(recursive=True)]
        except (OSError, ValueError, psutil.NoSuchProcess):
            pass
        return []

    def state(self):
        request = f"https://{self.host.address}:{PATRONI}/patroni"
        with urllib.request.urlopen(request, timeout=2, context=self.secrets.context()) as answer:
            return json.load(answer)


class Database:
    """The cluster's database as its clients see it."""

    def __init__(self, nodes, secrets):
        self.nodes, self.secrets = nodes, secrets
        self.uri = self.address("vigil_owner")
        self.connection = None

    def address(self, role):
        """Where one of its roles finds it."""
        hosts = ",".join(n.host.address for n in self.nodes)
        return (f"postgresql://{role}@{hosts}/vigil?target_session_attrs=read-write&sslmode=verify-full"
                f"&sslrootcert={self.secrets.authority}&connect_timeout=2")

    def ask(self, statement, *values):
        """The rows of a question, over a connection that is kept while it works."""
        try:
            if self.connection is None:
                self.connection = psycopg.connect(
                    self.uri, password=self.secrets.password("database", "owner"), autocommit=True, keepalives_idle=2, tcp_user_timeout=4000)
                self.connection.execute("SET statement_timeout = '10s'")
            return self.connection.execute(statement, values).fetchall()
        except psycopg.Error:
            self.forget()
            raise

    def forget(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def leader(self):
        """The node that takes writes, by what the nodes say of themselves."""
        for node in self.nodes:
            try:
                if node.state().get("role") in ("primary", "master"):
                    return node
            except (OSError, ValueError):
                continue
        raise RuntimeError("no database node says that it leads")

    def is_whole(self):
        """A leader, two standbys that follow it, one of them synchronous."""
        request = f"https://{self.leader().host.address}:{PATRONI}/cluster"
        with urllib.request.urlopen(request, timeout=2, context=self.secrets.context()) as answer:
            members = json.load(answer)["members"]
        return (sorted(m["state"] for m in members) == ["running", "streaming", "streaming"]
                and any(m["role"] in ("sync_standby", "quorum_standby") for m in members))


def await_engines(brokers, database):
    def is_up(node):
        if node.ended:
            raise Ended(f"{node.name} ended: {node.last_words()}")
        return node.is_ready()

    for broker in brokers:
        await_that(f"{broker.name} is up", lambda: is_up(broker))
    def is_whole():
        for node in database.nodes:
            if node.ended:
                raise Ended(f"{node.name} ended: {node.last_words()}")
        return database.is_whole()

    await_that("the database has a leader and two standbys, one of them synchronous", is_whole, within=240)
