"""docs/configuration.md documents exactly the variables that the program reads."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = (ROOT / "docs/configuration.md").read_text()
HEADINGS = re.findall(r"^## (.+)$", DOCUMENT, re.MULTILINE)
READERS = {
    "env_str",
    "env_bool",
    "env_int",
    "env_float",
    "env_choice",
    "env_url",
}
PRODUCT = [
    path for room in ("rarrweb", "pipeline", "annotation") for path in (ROOT / room).rglob("*.py")
]
NOT_OURS = {"CELERY_SKIP_CHECKS", "DJANGO_SETTINGS_MODULE", "PROMETHEUS_MULTIPROC_DIR"}
"""Read by Celery, Django and prometheus_client, and set by us."""


def names_read(source: str) -> set[str]:
    result = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args:
            called = ast.unparse(node.func)
            if called in READERS or called in {
                "os.environ.get",
                "os.getenv",
                "os.environ.setdefault",
            }:
                name = node.args[0]
                if isinstance(name, ast.Constant):
                    result.add(str(name.value))
        elif (
            isinstance(node, ast.Subscript)
            and ast.unparse(node.value) == "os.environ"
            and isinstance(node.slice, ast.Constant)
        ):
            result.add(str(node.slice.value))
    return result


SETTINGS = names_read((ROOT / "rarrweb/settings.py").read_text())


def test_every_variable_that_is_read_is_documented_and_no_heading_is_stale() -> None:
    assert sorted(SETTINGS) == sorted(HEADINGS)


def test_every_variable_has_a_default_and_an_example() -> None:
    for section in DOCUMENT.split("\n## ")[1:]:
        name = section.splitlines()[0]
        assert "Default: " in section, name
        assert f"`{name}=" in section, name


def test_the_environment_is_read_in_the_settings_only() -> None:
    elsewhere = {
        path.relative_to(ROOT).as_posix(): sorted(names)
        for path in PRODUCT
        if path.name != "settings.py" and (names := names_read(path.read_text()) - NOT_OURS)
    }
    assert elsewhere == {}
