"""Names are made of plain words: the list holds the ones that the project no longer uses."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
IN_TITLES = "told|said|says|stands|beside|left_out|outlook|door|busy|heart|desk|as_it_is|whoever"
"""Avoided also in the titles of tests, which are sentences."""
IN_NAMES = f"{IN_TITLES}|found|place|own|asked|came|come|kept|shown|look|turn|course"
TERMS = {"not_found", "turn", "in_place"}
"""Terms: of HTTP, a turn of a dialog, a change in place."""
PATTERNS = {
    ".js": r"(?:function|class|const|let|var)\s+([\w$]+)|(?:const|let) [{\[]([^=]+)[}\]] =",
    ".css": r"\.(-?[a-zA-Z][\w-]*)|(--[\w-]+)\s*:",
    ".html": r"""\b(?:class|id|name|data-[\w-]+)="([^"]*)"|\b(data-[\w-]+)|{% block (\w+)""",
}


def python_names(source: str) -> Iterator[str]:
    """Names that a module defines: also its parameters, attributes and names of URLs."""
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


def ours() -> list[Path]:
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
        if not re.search(r"(^|/)(migrations|vendor|research|data|fonts)/", name)
    ]
