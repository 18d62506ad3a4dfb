"""Pure packages import no Django, and tables name existing objects."""

import ast
import json
import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from annotation.exporting import FORMATS
from annotation.questionnaires import QUESTIONNAIRES
from pipeline.backends import BACKENDS
from pipeline.rarr.systems import SYSTEMS

ROOT = Path(__file__).parent.parent
ROOMS = [
    "pipeline.text",
    "pipeline.rarr",
    "pipeline.replies",
    "pipeline.metrics",
    "pipeline.importing",
    "pipeline.backends",
]
OUTER_WORLD = {
    *("os", "time", "datetime", "random", "secrets", "logging", "sqlite3", "tempfile"),
    *("subprocess", "multiprocessing", "asyncio", "socket", "ssl", "http", "urllib.request"),
    *("requests", "httpx", "httpx2", "httpcore2"),
}
"""What the algorithm and the metrics have no business with: they compute."""


def modules_of(room: str) -> list[str]:
    package = import_module(room)
    inside = pkgutil.walk_packages(package.__path__, prefix=f"{room}.")
    return [room, *(result.name for result in inside)]


PURE = [module for room in ROOMS for module in modules_of(room)]


IMPORT_EACH = """
import importlib, json, sys, traceback
packages, faults = tuple(sys.argv[1].split(",")), {}
for module in sys.argv[2:]:
    # Other people's modules stay; ours are imported anew, so that each has to find what it needs.
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]
    try:
        importlib.import_module(module)
    except Exception:
        faults[module] = traceback.format_exc()
    if brought := {"django", "celery", "kombu"} & set(sys.modules):
        faults[module] = f"imports {sorted(brought)}"
        break
print(json.dumps(faults))
"""


@pytest.mark.parametrize("room", ROOMS)
def test_a_pure_room_imports_without_django_and_each_module_by_itself(room: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_EACH, "pipeline,annotation,rarrweb", *modules_of(room)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}


def test_the_walk_finds_the_rooms() -> None:
    assert {"pipeline.rarr.types", "pipeline.rarr.prompts", "pipeline.rarr.loop"} <= set(PURE)
    assert all(any(name.startswith(f"{room}.") for name in PURE) for room in ROOMS)


def imports_of(module: str) -> set[str]:
    """Return all modules that a file imports, also within functions."""
    path = Path(str(import_module(module).__file__))
    result = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            result |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            result.add(node.module)
    return result


def test_the_algorithm_asks_no_clock_no_network_and_no_environment() -> None:
    outer = {
        (module, name)
        for module in PURE
        if module.startswith(("pipeline.text", "pipeline.rarr", "pipeline.metrics"))
        for name in imports_of(module)
        if name in OUTER_WORLD or name.partition(".")[0] in OUTER_WORLD
    }
    assert outer == set()


TABLES = {
    **{f"backend {kind}": table for kind, table in BACKENDS.items()},
    "system": SYSTEMS,
    "export format": FORMATS,
    "questionnaire": QUESTIONNAIRES,
}
ENTRIES = [
    pytest.param(path, id=f"{kind} {name}")
    for kind, table in TABLES.items()
    for name, path in table.items()
]


@pytest.mark.parametrize("path", ENTRIES)
def test_every_name_in_a_table_leads_to_something(path: str) -> None:
    module, _, attribute = path.rpartition(".")
    assert getattr(import_module(module), attribute) is not None


@pytest.mark.parametrize("kind", sorted(TABLES))
def test_no_table_is_empty(kind: str) -> None:
    assert TABLES[kind]


def test_pipeline_names_no_page_of_annotation() -> None:
    files = [*(ROOT / "pipeline").rglob("*.py"), *(ROOT / "templates" / "pipeline").rglob("*.html")]
    assert [
        path.name for path in files if re.search(r"""["']annotation:""", path.read_text())
    ] == []
