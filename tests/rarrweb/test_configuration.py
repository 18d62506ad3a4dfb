"""docs/configuration.md documents exactly the variables that the program reads."""

import ast
import re

from tests.support.sources import PYTHON, ROOT, name_of

DOCUMENT = (ROOT / "docs/configuration.md").read_text()
ROWS = re.findall(r"^\| `([A-Z_]+)` \| (.*?) \| (.*) \|$", DOCUMENT, re.MULTILINE)
"""Name, default and meaning."""
READERS = re.compile(r"env_\w+|os\.environ\.(get|setdefault)|os\.getenv")
NOT_OURS = {"CELERY_SKIP_CHECKS", "DJANGO_SETTINGS_MODULE", "PROMETHEUS_MULTIPROC_DIR"}
"""Read by Celery, Django and prometheus_client, and set by us."""


def names_read(source: str) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args:
            name = node.args[0]
            if READERS.fullmatch(ast.unparse(node.func)) and isinstance(name, ast.Constant):
                names.add(str(name.value))
        elif (
            isinstance(node, ast.Subscript)
            and ast.unparse(node.value) == "os.environ"
            and isinstance(node.slice, ast.Constant)
        ):
            names.add(str(node.slice.value))
    return names


SETTINGS = names_read((ROOT / "rarrweb/settings.py").read_text())


def test_every_variable_that_is_read_is_documented_and_no_row_is_stale() -> None:
    assert sorted(SETTINGS) == sorted(name for name, _, _ in ROWS)


def test_every_variable_has_a_default_and_a_meaning() -> None:
    for name, default, meaning in ROWS:
        assert default.strip(), name
        assert len(meaning.split()) >= 4, name


def test_the_environment_is_read_in_the_settings_only() -> None:
    elsewhere = {
        name_of(path): sorted(names)
        for path in PYTHON
        if path.name != "settings.py" and (names := names_read(path.read_text()) - NOT_OURS)
    }
    assert elsewhere == {}
