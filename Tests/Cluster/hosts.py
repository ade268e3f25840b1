"""Three hosts on one machine: network namespaces on a bridge where root runs this, else three addresses of the loopback interface."""

import os
import subprocess


def run(*command):
    """Runs a command to its end; its own words are the error."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout.strip()}")
    return done.stdout


class Host:
    """A place where processes run, with an address of its own."""

    def __init__(self, number, address, namespace=None):
        self.number, self.address, self.namespace = number, address, namespace

    @property
    def prefix(self):
        """What comes before a command that is to run there."""
        return ["ip", "netns", "exec", self.namespace] if self.namespace else []


class Network:
    """The hosts and what joins them. Without root no host can be cut off."""

    def __init__(self, count=3):
        self.number = os.getpid()
        self.can_cut = os.geteuid() == 0 and subprocess.run(["ip", "netns", "list"], capture_output=True).returncode == 0
        self.switch = f"vg{self.number}-0"
        self.made = []
        if not self.can_cut:
            self.address = "127.0.0.1"
            self.hosts = [Host(n, f"127.{50 + self.number % 100}.{self.number // 100 % 250}.{n}") for n in range(1, count + 1)]
            return
        # One of the networks that are meant for such trials (RFC 2544), so that nobody's real one is in the way.
        net = f"198.18.{self.number % 250}"
        self.address = f"{net}.254"
        self.hosts = [Host(n, f"{net}.{n}", f"vg{self.number}-{n}") for n in range(1, count + 1)]
        try:
            self.make()
        except Exception:
            self.remove()
            raise

    def make(self):
        """The bridge has a namespace of its own, as on this machine others' rules (Docker's) may stop what passes bridges."""
        run("ip", "netns", "add", self.switch)
        self.made.append(("ip", "netns", "del", self.switch))
        run("ip", "-n", self.switch, "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", self.switch, "link", "set", "bridge", "up")
        run("ip", "link", "add", f"vg{self.number}", "type", "veth", "peer", "name", "tester", "netns", self.switch)
        self.made.append(("ip", "link", "del", f"vg{self.number}"))
        run("ip", "-n", self.switch, "link", "set", "tester", "master", "bridge", "up")
        run("ip", "addr", "add", f"{self.address}/24", "dev", f"vg{self.number}")
        run("ip", "link", "set", f"vg{self.number}", "up")
        for host in self.hosts:
            run("ip", "netns", "add", host.namespace)
            self.made.append(("ip", "netns", "del", host.namespace))
            run("ip", "-n", self.switch, "link", "add", self.cable(host), "type", "veth", "peer", "name", "eth0", "netns", host.namespace)
            run("ip", "-n", self.switch, "link", "set", self.cable(host), "master", "bridge", "up")
            for command in (["addr", "add", f"{host.address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"], ["link", "set", "lo", "up"]):
                run("ip", "-n", host.namespace, *command)

    def cable(self, host):
        return f"host{host.number}"

    def cut(self, host):
        """Nothing goes to the host or comes from it, and nobody is told."""
        run("ip", "-n", self.switch, "link", "set", self.cable(host), "down")

    def join(self, host):
        run("ip", "-n", self.switch, "link", "set", self.cable(host), "up")

    def remove(self):
        for command in reversed(self.made):
            subprocess.run(command, capture_output=True)
        self.made = []
