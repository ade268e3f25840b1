"""The small faults that Tests/Mutation/mutate can put into the code: where each could stand, and what stands there instead."""
import fnmatch, json, pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def more(number):
    """A constant that is wrong: by a quarter, as the next of a million microseconds is as good as the one before."""
    return str(number + max(1, number // 4))


# Kind, what it looks for in code without strings and comments, and what it puts there. Operators stand between spaces, as swift-format has it.
KINDS = [
    ("comparison", r" (<=|>=|<|>) ", {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}),
    ("equality", r" (==|!=) ", {"==": "!=", "!=": "=="}),
    ("logic", r" (&&|\|\|) ", {"&&": "||", "||": "&&"}),
    ("arithmetic", r" ([-+*/]) ", {"+": "-", "-": "+", "*": "/", "/": "*"}),
    ("boolean", r"(?<!keepingCapacity: )\b(true|false)\b", {"true": "false", "false": "true"}),
    ("negation", r"(?<=[ (])(!)(?=[a-z(])", {"!": ""}),
    ("constant", r"(?<![\w.$#%])(\d[\d_]*)(?![\w.]|\s*[.:])", lambda text: more(int(text.replace("_", "")))),
    ("settling", r"\.(committed|rejected)\b", {"committed": "rejected", "rejected": "committed"}),
    ("ends", r"\b(min|max|first|last)\b(?=[(.])", {"min": "max", "max": "min", "first": "last", "last": "first"}),
]
# A statement by itself on a line, that is no declaration: left out.
STATEMENT = re.compile(r"^\s+((try|await|try await) )?[a-z_][\w.?!]*\(.*\)$|^\s+[a-z_][\w.]* ([-+*|&]?=) [^{]*$")

# What only tells operators, or is only quicker with it: tests are not asked to notice that.
UNSEEN = re.compile(r"^\s+(?:(?:self|context)\.)?(?:log(?:ger)?\.(?:debug|info|notice|warning|error)|[\w.]+\.reserveCapacity)\(")


def blanked(text):
    """The text with strings, patterns and comments as blanks of the same length."""
    pattern = re.compile(r'#*""".*?"""#*|#"(?:[^"]|"(?!#))*"#|"(?:\\.|[^"\\\n])*"|(?<=of: )/(?:\\.|[^/\\\n])+/|//[^\n]*|/\*.*?\*/', re.S)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def targets():
    """Folders with the tests that look at them: a line each of folder, test targets, and a filter where not all their tests are fitting."""
    for line in (ROOT / "Tests/Mutation/targets").read_text().splitlines():
        words = line.split()
        if words and not line.startswith("#"):
            yield words[0], words[1], words[2] if len(words) > 2 else None


class Fault:
    def __init__(self, path, line, column, kind, old, new, tests, chosen, name=None):
        self.path, self.line, self.column, self.kind, self.old, self.new = path, line, column, kind, old, new
        self.tests, self.filter, self.known = tests, chosen, name
        self.number = 0

    @property
    def name(self):
        return self.known or f"{self.path}:{self.line}:{self.column}:{self.kind}"

    def __str__(self):
        return f"{self.name}  {' '.join(self.old.split())} -> {' '.join(self.new.split()) or 'nothing'}"

    @property
    def mark(self):
        """An ending that makes an operator the fault's own."""
        digits, rest = "", self.number
        while rest:
            digits, rest = "|^%"[rest % 3] + digits, rest // 3
        return "~~" + digits

    def switched(self):
        """What stands in the code instead, and the declarations that it needs."""
        n, old, new, mark = self.number, self.old, self.new, self.mark
        on = f"Mutant.isOn({n})"
        pair = f"(_ l: T, _ r: T) -> T {{ {on} ? l {new} r : l {old} r }}"
        if self.kind in ("comparison", "equality"):
            bound = "Comparable" if self.kind == "comparison" else "Equatable"
            return "<" + mark, f"infix operator <{mark}: ComparisonPrecedence\nfunc <{mark} <T: {bound}>" + pair.replace("-> T", "-> Bool")
        if self.kind == "logic":
            precedence = "LogicalConjunctionPrecedence" if old == "&&" else "LogicalDisjunctionPrecedence"
            return "&" + mark, (f"infix operator &{mark}: {precedence}\nfunc &{mark} (_ l: Bool, _ r: @autoclosure () throws -> Bool) rethrows -> Bool "
                                f"{{ {on} ? try (l {new} r()) : try (l {old} r()) }}")
        if self.kind == "arithmetic":
            bounds = ["AdditiveArithmetic"] if old in "+-" else ["BinaryInteger", "FloatingPoint"]
            precedence = "AdditionPrecedence" if old in "+-" else "MultiplicationPrecedence"
            return "+" + mark, f"infix operator +{mark}: {precedence}\n" + "\n".join(f"func +{mark} <T: {bound}>" + pair for bound in bounds)
        if self.kind == "negation":
            return "!" + mark, f"prefix operator !{mark}\nprefix func !{mark} (_ x: Bool) -> Bool {{ {on} ? x : !x }}"
        if self.kind in ("boolean", "constant"):
            return f"Mutant.either({n}, {old}, {new})", ""
        if self.kind == "settling":
            return f"Mutant.either({n}, .{old}, .{new})", ""
        if self.kind == "ends":
            if old in ("first", "last"):
                return f"mutant{n}", f"extension BidirectionalCollection {{ var mutant{n}: Element? {{ {on} ? {new} : {old} }} }}"
            return f"mutant{n}", f"func mutant{n}<T: Comparable>(_ l: T, _ r: T) -> T {{ {on} ? Swift.{new}(l, r) : Swift.{old}(l, r) }}"
        if self.kind == "statement":
            return f"if !{on} {{ {old} }}", ""
        if self.kind == "plain":
            return new.replace("NUMBER", str(n)), ""
        if self.kind == "statements":
            return f"if {on} {{ {new} }} else {{ {old} }}", ""
        return f"({on} ? ({new}) : ({old}))", ""


def faults_of(path, tests, chosen):
    if path.suffix != ".swift":
        # Access lists and the like: each line that says something is left out; a remark says nothing.
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if line.strip() and not line.strip().startswith(("#", "//")):
                yield Fault(path.relative_to(ROOT), number, 1, "line", line, "", tests, chosen)
        return
    text = path.read_text()
    for number, (line, whole) in enumerate(zip(blanked(text).split("\n"), text.split("\n")), 1):
        if re.match(r"\s*(import|package import|@|case \.?\w+ = |#)", line) or UNSEEN.match(whole):
            continue
        for kind, pattern, new in KINDS:
            for found in re.finditer(pattern, line):
                old = found.group(1)
                become = new(old) if callable(new) else new[old]
                yield Fault(path.relative_to(ROOT), number, found.start(1) + 1, kind, old, become, tests, chosen)
        if STATEMENT.match(whole) and STATEMENT.match(line.rstrip()) and line.count("(") == line.count(")"):
            yield Fault(path.relative_to(ROOT), number, 1, "statement", whole, "", tests, chosen)


def faults(places, kinds):
    for folder, tests, chosen in targets():
        start = ROOT / folder
        for path in sorted(start.rglob("*.swift")) if start.is_dir() else [start]:
            for fault in faults_of(path, tests, chosen):
                if (not places or any(lies_in(fault, place) for place in places)) and (not kinds or fault.kind in kinds):
                    yield fault


def lies_in(fault, place):
    name, _, lines = place.partition(":")
    name = name.rstrip("/")
    if str(fault.path) != name and not str(fault.path).startswith(name + "/") and not fnmatch.fnmatch(str(fault.path), name):
        return False
    if not lines:
        return True
    first, _, last = lines.partition("-")
    return int(first) <= fault.line <= int(last or first)


def known(names):
    """The faults that were once found by no test."""
    for entry in json.loads((ROOT / "Tests/Mutation/known.json").read_text()):
        if names and not any(name in entry["name"] for name in names):
            continue
        text = (ROOT / entry["path"]).read_text()
        if text.count(entry["old"]) != 1:
            sys.exit(f"{entry['name']}: {entry['path']} does not hold once: {entry['old']}")
        place = text.index(entry["old"])
        line = text.count("\n", 0, place) + 1
        column = place - (text.rfind("\n", 0, place) + 1) + 1
        yield Fault(pathlib.Path(entry["path"]), line, column, entry.get("kind", "expression"), entry["old"], entry["new"], entry["tests"],
                    entry.get("filter"), entry["name"])


def equivalent():
    """Faults that no test could see: a line each of file, kind and the code's line, then a reason, separated by bars."""
    path = ROOT / "Tests/Mutation/equivalent"
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.strip() and not line.startswith("#"):
            place, kind, code, _ = (part.strip() for part in line.split(" | ", 3))
            yield place, kind, code
