"""The pure rooms stand alone, and every name in a table leads to something."""

import ast
import pkgutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

from annotation.exporting import FORMATS
from annotation.questionnaires import QUESTIONNAIRES
from pipeline.backends import BACKENDS
from pipeline.rarr.systems import SYSTEMS

ROOT = Path(__file__).parent.parent
ROOMS = ["pipeline.rarr", "pipeline.metrics", "pipeline.importing", "pipeline.backends"]
OUTER_WORLD = {
    "os", "time", "datetime", "random", "secrets", "socket", "ssl", "http", "urllib.request",
    "subprocess", "multiprocessing", "asyncio", "logging", "sqlite3", "tempfile",
    "requests", "httpx",
}  # fmt: skip
"""What the algorithm and the metrics have no business with: they compute."""
AT_ONCE = 2


def modules_of(room: str) -> list[str]:
    """The room itself and all modules in it."""
    package = import_module(room)
    inside = pkgutil.walk_packages(package.__path__, prefix=f"{room}.")
    return [room, *(found.name for found in inside)]


PURE = [module for room in ROOMS for module in modules_of(room)]


@pytest.fixture(scope="module")
def alone() -> dict[str, subprocess.CompletedProcess[str]]:
    """What happened when each pure module was imported in an interpreter of its own."""

    def load(module: str) -> subprocess.CompletedProcess[str]:
        code = (
            f"import sys, {module}; "
            "sys.exit(', '.join({'django', 'celery', 'kombu'} & set(sys.modules)) or 0)"
        )
        return subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(PURE, pool.map(load, PURE), strict=True))


@pytest.mark.parametrize("module", PURE)
def test_a_pure_module_imports_alone_and_without_django(
    alone: dict[str, subprocess.CompletedProcess[str]], module: str
) -> None:
    assert alone[module].returncode == 0, alone[module].stderr


def test_the_walk_finds_the_rooms() -> None:
    assert {"pipeline.rarr.types", "pipeline.rarr.systems.rarr", "pipeline.rarr.loop"} <= set(PURE)
    assert all(any(name.startswith(f"{room}.") for name in PURE) for room in ROOMS)


def imports_of(module: str) -> set[str]:
    """Every module that a source file imports, at its top or inside a function."""
    path = Path(str(import_module(module).__file__))
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize(
    "module", [name for name in PURE if name.startswith(("pipeline.rarr", "pipeline.metrics"))]
)
def test_the_algorithm_asks_no_clock_no_network_and_no_environment(module: str) -> None:
    outer = {
        name
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
