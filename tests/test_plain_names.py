"""Names consist of plain words, and a class name occurs once in the product."""

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
IN_TITLES = "told|said|says|stands|beside|left_out|outlook|door|busy|heart|desk|as_it_is|whoever"
"""Avoided also in the titles of tests, which are sentences."""
IN_NAMES = f"{IN_TITLES}|found|place|own|asked|came|come|kept|shown|look|turn|course"
TERMS = {"not_found", "turn", "in_place"}
"""Terms: of HTTP, a turn of a dialog, a change in place."""
PRODUCT = {"rarrweb", "pipeline", "annotation"}
REPEATED_CLASSES = {"Command", "Document", "Passage", "Revision"}
"""`Command` is Django's; the others are rows in the database and types of the algorithm."""
PATTERNS = {
    ".js": r"(?:function|class|const|let|var)\s+([\w$]+)|(?:const|let) [{\[]([^=]+)[}\]] =",
    ".css": r"\.(-?[a-zA-Z][\w-]*)|(--[\w-]+)\s*:",
    ".html": r"""\b(?:class|id|name)="([^"]*)"|\b(data-[\w-]+)|{% block (\w+)""",
}


def python_names(source: str) -> Iterator[str]:
    """Yield the names that a module defines, also parameters, attributes and URL names."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr
            case ast.alias(asname=str()):
                yield node.asname
            case ast.Call(func=ast.Name(id="path" | "re_path")):
                for keyword in node.keywords:
                    if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                        yield str(keyword.value.value)


def names_in(path: Path) -> Iterator[str]:
    yield path.stem
    if path.suffix == ".py":
        yield from python_names(path.read_text())
    elif path.suffix in PATTERNS:
        text = re.sub(r"{%(?! block).*?%}|{{.*?}}|/\*.*?\*/", " ", path.read_text(), flags=re.S)
        for groups in re.findall(PATTERNS[path.suffix], text):
            yield from re.findall(r"[\w$-]+", " ".join(groups))


def parts_avoided(name: str) -> list[str]:
    """Return the avoided words in a name of any style: `whatCame`, `what-came`, `what_came`."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|-", "_", name).lower()
    for term in TERMS:
        snake = re.sub(rf"(?:^|(?<=_)){term}s?(?=_|$)", "", snake)
    words = IN_TITLES if snake.startswith("test_") else IN_NAMES
    return re.findall(rf"(?:^|_)({words})(?=_|$)", snake)


def our_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--", "*.py", "*.js", "*.css", "*.html", "*.txt"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return [
        ROOT / name
        for name in listed
        if not re.search(r"(^|/)(migrations|vendor|research|fonts)/", name)
    ]


def test_names_avoid_the_listed_words() -> None:
    names = {name for path in our_files() for name in names_in(path) if parts_avoided(name)}
    assert names == set()


def test_a_class_name_occurs_once() -> None:
    modules = [
        path
        for path in our_files()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in PRODUCT
    ]
    names = Counter(
        node.name
        for path in modules
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    )
    repeated = {name for name, count in names.items() if count > 1}
    assert repeated == REPEATED_CLASSES
