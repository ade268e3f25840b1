"""Prepares the documents for MkDocs in a folder: site.py FOLDER. Links to files that are no pages become plain text; a link to
nothing, and a page without a place in the navigation, end it with a message."""
import json
import os
import re
import shutil
import sys

DOCS = "deploy/docs"
TOP = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
SECTIONS = {"tutorial": "Tutorial", "how-to": "How to", "reference": "Reference", "explanation": "Explanation"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def pages():
    """The pages as {path in the checkout: path in the site}."""
    found = dict(TOP)
    for folder, _, names in os.walk(DOCS):
        for name in sorted(names):
            if name.endswith(".md"):
                path = os.path.join(folder, name)
                found[path] = os.path.relpath(path, DOCS)
    return found


def rewritten(path, text, known, problems):
    """The text with links as the site has them."""
    def link(match):
        picture, words, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        file, _, anchor = target.partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(path), file))
        if full == "README.md":
            full = DOCS + "/index.md"
        if not os.path.exists(full):
            problems.append(f"{path}: {target} leads nowhere")
            return words
        if full not in known and not full.startswith(DOCS + "/pictures/"):
            return words
        place = known.get(full) or os.path.relpath(full, DOCS)
        relative = os.path.relpath(place, os.path.dirname(known[path]) or ".")
        return f"{picture}[{words}]({relative}{'#' + anchor if anchor else ''})"
    # A code block holds no links.
    parts = re.split(r"(^```.*?^```)", text, flags=re.S | re.M)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def title(path):
    with open(path) as file:
        return next(line[2:].strip() for line in file if line.startswith("# "))


def main(folder):
    known, problems = pages(), []
    target = os.path.join(folder, "docs")
    shutil.copytree(DOCS + "/pictures", target + "/pictures")
    with open("README.md") as file:
        rewritten("README.md", file.read(), known | {"README.md": "index.md"}, problems)
    for path, place in known.items():
        os.makedirs(os.path.dirname(os.path.join(target, place)), exist_ok=True)
        with open(path) as read, open(os.path.join(target, place), "w") as write:
            write.write(rewritten(path, read.read(), known, problems))
    named = {os.path.normpath(m[3].split("#")[0]) for m in LINK.finditer(open(DOCS + "/index.md").read())}
    orphans = [place for place in known.values() if os.path.dirname(place) and place not in named]
    problems += [f"{DOCS}/index.md does not name {place}" for place in orphans]
    if problems:
        sys.exit("\n".join(problems))
    navigation = [{"Vigil": "index.md"}]
    for name, words in SECTIONS.items():
        inside = [{title(path): place} for path, place in known.items() if place.startswith(name + "/")]
        navigation.append({words: inside})
    navigation.append({"Project": [{"Working on Vigil": "contributing.md"}, {"Changes": "changelog.md"}]})
    settings = {
        "site_name": "Vigil", "docs_dir": target, "nav": navigation, "use_directory_urls": False,
        "theme": {"name": "mkdocs", "highlightjs": False}, "plugins": ["search"],
        "markdown_extensions": ["tables", "fenced_code", "toc"],
        "validation": {"links": {"anchors": "warn", "not_found": "warn"}, "omitted_files": "warn"},
    }
    # JSON is YAML.
    with open(os.path.join(folder, "mkdocs.yml"), "w") as file:
        json.dump(settings, file)


main(sys.argv[1])
