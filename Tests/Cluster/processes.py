"""Processes that can be killed, frozen and started again, with everything that they started."""

import ctypes
import os
import signal
import subprocess
import time

import psutil

PR_SET_PDEATHSIG = 1
# Looked up before anything is forked: between fork and exec nothing may be imported.
LIBC = ctypes.CDLL(None)


def dies_with_parent():
    """Runs in the child: nothing outlives a test that was killed."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """A program on a host."""

    def __init__(self, name, command, host, log, user=None, environment=None, folder=None):
        self.name, self.command, self.host, self.log, self.user, self.folder = name, command, host, log, user, folder
        # What steers the test is no setting of a service, which refuses what it does not know.
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("VIGIL_")} | (environment or {})
        self.child = None
        self.frozen = []

    def start(self):
        # Which process is the first of a frozen or killed one's descendants the name of its user does not change.
        become = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--init-groups", "--pdeathsig=KILL"] if self.user else []
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(
                [*self.host.prefix, *become, *self.command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env=self.environment, start_new_session=True, preexec_fn=dies_with_parent)

    @property
    def ended(self):
        return self.child is None or self.child.poll() is not None

    def tree(self):
        """The process, what it started, and a database server that it left to itself."""
        found = []
        if self.child and self.child.poll() is None:
            try:
                first = psutil.Process(self.child.pid)
                found = [first, *first.children(recursive=True)]
            except psutil.NoSuchProcess:
                pass
        return found + [p for p in self.left() if p not in found]

    def left(self):
        return []

    def kill(self):
        """As if the machine had lost its power: at once, and all of it."""
        tree = self.tree()
        # Stopped first, so that none of them sees another one end.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in tree:
                tell(process, number)
        if self.child:
            self.child.wait()
        psutil.wait_procs([p for p in tree if p.pid != self.child.pid], timeout=5)
        self.frozen = []

    def stop(self, within=40):
        """In good order."""
        if self.ended:
            return
        self.resume()
        self.child.send_signal(signal.SIGTERM)
        try:
            self.child.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RuntimeError(f"{self.name} did not end within {within} s of being asked to") from None

    def freeze(self):
        self.frozen = self.tree()
        for process in self.frozen:
            tell(process, signal.SIGSTOP)

    def resume(self):
        for process in self.frozen:
            tell(process, signal.SIGCONT)
        self.frozen = []

    def last_words(self, count=6):
        try:
            with open(self.log, errors="replace") as log:
                return "".join(log.readlines()[-count:])
        except OSError:
            return ""


class Ended(RuntimeError):
    """A process that ended by itself, for which nobody needs to wait."""


def tell(process, number):
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        pass


def await_that(what, condition, within=60, every=0.2):
    """Waits until the condition holds, and says in words what did not come about; an error of its own counts as no."""
    end, trouble = time.monotonic() + within, ""
    while time.monotonic() < end:
        try:
            if condition():
                return
            trouble = ""
        except Ended:
            raise
        except Exception as error:  # whatever a node that is just starting answers
            trouble = f": {error}"
        time.sleep(every)
    raise RuntimeError(f"{what}: not within {within} s{trouble}")
