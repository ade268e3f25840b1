"""Runs the commands of the documents: test-documents.py VIGIL, called by deploy/test-documents."""
import glob
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.getcwd()
BLOCK = re.compile(r"(?:^<!-- ([a-z ]+?)(?:: ([^\n]*))? -->\n)?^```sh\n(.*?)^```\n(?:<!-- shows: ([^\n]*) -->\n)?", re.S | re.M)


def pages():
    return ["README.md", "CONTRIBUTING.md"] + sorted(glob.glob("deploy/docs/**/*.md", recursive=True))


def blocks(page):
    """The blocks of a page: line, mark, its words, commands, expected output."""
    text = open(page).read()
    for match in BLOCK.finditer(text):
        yield text.count("\n", 0, match.start(3)) + 1, match[1], match[2], match[3], match[4]


class Help:
    """What `vigil … --help` says, asked once each."""

    def __init__(self, vigil):
        self.vigil, self.known = vigil, {}

    def text(self, words):
        if words not in self.known:
            result = subprocess.run([self.vigil, *words, "--help"], capture_output=True, text=True, timeout=60)
            self.known[words] = result.stdout if result.returncode == 0 else ""
        return self.known[words]

    def command(self, words):
        """The longest beginning of the words that is a command."""
        command = ()
        for word in words:
            if f"\n  {word} " not in self.text(command) and f"\n  {word}\n" not in self.text(command):
                break
            command += (word,)
        return command


def commands(script):
    """The simple commands of a script as lists of words, as far as shlex reads them."""
    for line in script.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;()<>")
        lexer.whitespace_split = True
        words = []
        try:
            for word in lexer:
                if set(word) <= set("|&;()<>"):
                    if words:
                        yield words
                    words = []
                else:
                    words.append(word)
        except ValueError:
            pass
        if words:
            yield words


def misfits(script, helper):
    """What the commands of a script name and there is not: options of vigil, files of deploy/."""
    for words in commands(script):
        while words and re.match(r"[A-Z_]+=", words[0]):
            words = words[1:]
        if not words:
            continue
        name = os.path.basename(words[0])
        if words[0].startswith("deploy/") and not os.path.exists(words[0]):
            yield f"there is no {words[0]}"
        if name.startswith("vigil-"):
            words = ["vigil", "service"] + [name] + words[1:]
        elif name != "vigil":
            continue
        rest = words[1:]
        if "…" in rest or not rest:
            continue
        command = helper.command(rest)
        if not command and not rest[0].startswith("-"):
            yield f"vigil has no command {rest[0]}"
        options = {word.split("=")[0] for word in rest if re.fullmatch(r"--[a-z][a-z-]*(=.*)?", word)}
        for option in sorted(options - {"--help", "--version"}):
            if not re.search(rf"(?<![\w-]){option}(?![\w-])", helper.text(command)):
                yield f"vigil {' '.join(command)} has no {option}"


def start(vigil, arguments, environment, folder, log):
    process = subprocess.Popen([vigil, *arguments], stdout=log, stderr=log, env=environment, cwd=folder)
    end = time.monotonic() + 90
    while time.monotonic() < end and process.poll() is None:
        if "Vigil is up" in open(log.name).read():
            return process
        time.sleep(0.1)
    sys.exit("vigil up did not come up:\n" + open(log.name).read()[-2000:])


def run(page, vigil):
    """Runs the blocks of a page in order, in a folder of their own; the number of those that ran."""
    marked = list(blocks(page))
    if not any(mark == "run" for _, mark, *_ in marked):
        return 0
    ran, suite = 0, None
    starts = any(mark == "starts" for _, mark, *_ in marked)
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "up.log"), "w") as log:
        os.makedirs(os.path.join(folder, "bin"))
        os.symlink(vigil, os.path.join(folder, "bin", "vigil"))
        for name in ("deploy", "Services", "Tests"):
            os.symlink(os.path.join(TOP, name), os.path.join(folder, name))
        environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        environment.pop("NTFY_TOPIC", None)
        try:
            if not starts:
                suite = start(vigil, ["up"], environment, folder, log)
            for line, mark, _, script, shows in marked:
                if mark == "starts":
                    arguments = next(shlex.split(x)[1:] for x in script.splitlines() if x.startswith("vigil up"))
                    suite = start(vigil, arguments, environment, folder, log)
                if mark != "run":
                    continue
                result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=environment, text=True, timeout=120,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                if result.returncode != 0:
                    sys.exit(f"{page}:{line}: ended with {result.returncode}:\n{result.stdout}")
                if shows and not re.search(shows, result.stdout):
                    sys.exit(f"{page}:{line}: the output does not show {shows}:\n{result.stdout}")
                ran += 1
        finally:
            if suite and suite.poll() is None:
                suite.send_signal(signal.SIGINT)
                suite.wait(60)
    return ran


def main(vigil):
    vigil, helper, problems, counts = os.path.abspath(vigil), None, [], {"run": 0, "not run": 0, "starts": 0}
    helper = Help(vigil)
    for page in pages():
        for line, mark, words, script, _ in blocks(page):
            if mark not in counts or (mark != "run" and not words):
                problems.append(f"{page}:{line}: say above the block <!-- run --> or <!-- not run: WHY -->")
                continue
            counts[mark] += 1
            problems += [f"{page}:{line}: {problem}" for problem in misfits(script, helper)]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{counts['not run']} blocks are not run; their commands, options and scripts exist")
    for page in pages():
        if number := run(page, vigil):
            print(f"{page}: {number} blocks run")


main(sys.argv[1])
