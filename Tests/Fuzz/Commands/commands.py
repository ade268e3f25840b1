#!/usr/bin/env python3
"""Gives every command of vigil what people mistype and what a stranger would choose, and looks how it ends.

  Tests/Fuzz/Commands/commands.py PROGRAM [--seed N] [--seconds N]

A command may refuse whatever it likes, in words: it ends with an exit code that the documentation names, and says something where the code is
not 0. It is a finding where it ends by a signal, with another code or in silence, writes a backtrace, does not end within 20 seconds although
it is none of those that go on until they are stopped, or those do not end within 10 seconds after SIGTERM. The commands and their options come
from their own --help. What brings up a whole suite, asks for a password at a terminal or has none of these (up, vault) is left out.
"""
import argparse, os, pathlib, random, re, shutil, signal, subprocess, sys, tempfile, time

LEFT_OUT = {("up",), ("vault",), ("demo",)}
CODES = {0, 1, 2, 64, 65, 66, 69, 70, 73, 74, 75, 77, 78}
# deploy/docs/how-to/import.md
IMPORT_CODES = {3, 4, 5, 6}
GOES_ON = re.compile(r"^(watch|simulate|replay|service|ready|check|map|shares|devices|modules|alerts|publish|people|timeline|erase|import serve)\b")
WORDS = [
    "", " ", "-", "--", "---", "=", "-1", "0", "1", "00", "+1", "1.5", "1e400", "-1e-400", "nan", "inf", "0x10", "1,000", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "18446744073709551616", "10" * 200, "true", "maybe", "null", "anna", "Anna Berg", "anna,ben,,", ",", "anna/#", "+", "#", "$SYS", "_module.x", "..",
    ".", "/", "~", "*", "?", "%s%n%x", "'; DROP TABLE reading; --", "\"", "\\", "\n", "\t", "a\nb", "\u202eanna", "😀", "é" * 63, "x" * 65, "x" * 100_000, b"\xff\xfe\x00"[:2], b"\xc3",
    "heart-rate", "ecg", "no-such-metric", "mmHg", "bpm", "2026-01-31", "2026-02-30", "2026-01-31T11:00:00Z", "2026-01-31T25:00:00Z", "0000-00-00", "99999-01-01", "-10s", "-99999999d",
    "1e18", "10s", "0s", "-5m", "1y", "999999999999d", "day", "decade", "Europe/Berlin", "Mars/Base", "localhost", "localhost:0", "127.0.0.1:1", "[::1", "::1", "a,b,c", "http://",
    "https://x:99999/", "sqlite:", "sqlite:/dev/null", "sqlite:.", "sqlite:garbage", "sqlite:new.sqlite", "postgresql://", "postgresql://127.0.0.1:1/x", "postgresql://%zz", "csv", "json", "fhir",
    "png", "1883", "65536", "garbage", "empty", "folder", "./x.csv", "x.csv", "broken.json5", "broken.zip", "utf16.csv", "missing", "/dev/null", "/dev/full", "/proc/self/mem", "folder/../x.csv", "loop",
    "forbidden/x", "--help", "--version",
]


def files(folder):
    """What the words above name, in the folder where a command runs."""
    chance = random.Random(1)
    contents = {
        "garbage": chance.randbytes(3000), "empty": b"", "x.csv": b"time;participant;heart rate (bpm)\r\n2026-01-31 11:00;anna;61,5\r\n;;\r\n\"", "broken.json5": b"{rules: [{a: 1,,]", "broken.zip": b"PK\x03\x04" + chance.randbytes(200),
        "utf16.csv": "time,heart-rate\n2026-01-31,61\n".encode("utf-16"),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")


def asked(program, words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=20).stdout


def leaves(program, words=()):
    """Every command that does something itself, with its options: name and whether it takes a value. import does, and has commands below it."""
    text = asked(program, words)
    _, _, listed = text.partition("\nCommands:\n")
    for name in re.findall(r"^  ([a-z][a-z-]*)", listed.partition("\nOptions")[0], re.MULTILINE):
        if (*words, name) not in LEFT_OUT:
            yield from leaves(program, (*words, name))
    usage = re.search(r"^Usage: (.*)$", text, re.MULTILINE)
    if words and not (usage and "COMMAND" in usage[1]):
        yield words, re.findall(r"^  (--[a-z-]+)( \S+)?", text, re.MULTILINE), usage[1].split("]", 1)[-1].split() if usage else []


def line(chance, words, options, operands):
    """A command line that somebody might give."""
    said = list(words)
    for name, value in chance.sample(options, min(len(options), chance.choice([0, 0, 1, 1, 2, 4]))):
        word = chance.choice(WORDS)
        if chance.random() < 0.1:
            said.append(name)
        elif isinstance(word, bytes) or chance.random() < 0.5 or not value:
            said += [name, word] if value or chance.random() < 0.3 else [name]
        else:
            said.append(f"{name}={word}")
    for _ in range(max(0, len(operands) + chance.choice([-1, 0, 0, 0, 1]))):
        said.append(chance.choice(WORDS))
    if chance.random() < 0.05:
        chance.shuffle(said)
    return said


class Trial:
    """One command line, and how it ended."""

    def __init__(self, program, said, folder):
        self.said = said
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8", "VIGIL_BROKER_PORT": "1", "SWIFT_BACKTRACE": "enable=no"}
        child = subprocess.Popen([program, *said], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.was_stopped = False
        self.goes_on = GOES_ON.match(" ".join(map(str, said))) is not None
        try:
            self.output, self.errors = child.communicate(timeout=3 if self.goes_on else 20)
        except subprocess.TimeoutExpired:
            self.was_stopped = True
            child.send_signal(signal.SIGTERM)
            try:
                self.output, self.errors = child.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                child.kill()
                self.output, self.errors = child.communicate()
        self.code = child.returncode

    def finding(self):
        """What is wrong with how it ended; None where nothing is."""
        if self.code == -signal.SIGKILL:
            return "did not end"
        if self.code < 0 and not (self.was_stopped and self.code == -signal.SIGTERM):
            return f"ended by {signal.Signals(-self.code).name}"
        if self.was_stopped and not self.goes_on:
            return "did not end within 20 s"
        if b"Fatal error" in self.errors or b"Illegal instruction" in self.errors:
            return "wrote a fatal error"
        own = IMPORT_CODES if self.said[0] == "import" or "vigil-import" in self.said else set()
        if self.code not in CODES | own and not self.was_stopped:
            return f"ended with {self.code}"
        if self.code > 0 and not self.was_stopped and not (self.output.strip() or self.errors.strip()):
            return f"ended with {self.code} and said nothing"
        if len(self.errors) > 400_000:
            return f"wrote {len(self.errors)} bytes of errors"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60)
    chosen = parser.parse_args()
    seed = chosen.seed or random.SystemRandom().randrange(1, 1_000_000)
    chance, program = random.Random(seed), str(pathlib.Path(chosen.program).resolve())
    commands = sorted(leaves(program))
    if len(commands) < 50:
        sys.exit(f"only {len(commands)} commands were found in --help")
    found, count, codes, end = {}, 0, {}, time.monotonic() + chosen.seconds
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory(prefix="vigil-commands-") as folder:
            files(pathlib.Path(folder))
            trial = Trial(program, line(chance, *chance.choice(commands)), folder)
        count += 1
        codes[trial.code] = codes.get(trial.code, 0) + 1
        finding = trial.finding()
        if finding and (key := (" ".join(map(str, trial.said[:2])), finding)) not in found:
            found[key] = trial
            said = " ".join(repr(word)[:120] for word in trial.said)
            print(f"FOUND {finding}: vigil {said}\n    {trial.errors[-300:].decode(errors='replace')}", flush=True)
    print(f"seed {seed}: {count} command lines of {len(commands)} commands; ended with " + ", ".join(f"{code}: {number}" for code, number in sorted(codes.items())))
    print(f"{len(found)} found" if found else "nothing found")
    sys.exit(1 if found else 0)


main()
