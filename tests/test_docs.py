"""Documents match the product."""

import re
import runpy
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.core.management import get_commands, load_command_class
from django.urls import resolve

from annotation.exporting import FORMATS
from annotation.questionnaires import QUESTIONNAIRES
from pipeline.generation.strategies import STRATEGIES
from pipeline.rarr.systems import SYSTEMS

ROOT = Path(__file__).parent.parent
ROOMS = {"rarrweb.operations", "rarrweb.accounts", "pipeline", "annotation"}
COMMANDS = (ROOT / "docs/commands.md").read_text()
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "pipeline").rglob("*.md")),
]
TABLES = {
    "| system |": ("systems.md", SYSTEMS),
    "| strategy |": ("systems.md", STRATEGIES),
    "| questionnaire |": ("questionnaires.md", QUESTIONNAIRES),
    "| format | for campaigns of |": ("formats.md", FORMATS),
}
"""Head of a table → its page and the names that its rows have."""
OURS = {name: app for name, app in get_commands().items() if app in ROOMS}
TABLE_ROWS = re.findall(r"^\| `(\w+)([^`]*)`(.*)$", COMMANDS, re.MULTILINE)


def links_of(document: Path) -> list[str]:
    text = re.sub(
        r"^(```.*?^```|    .*?$)", "", document.read_text(), flags=re.DOTALL | re.MULTILINE
    )
    return [
        target
        for target in re.findall(r"\]\(([^)\s]+)\)", text)
        if not re.match(r"[a-z]+:", target)
    ]


def anchors_of(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_link_leads_to_something(document: Path) -> None:
    for target in links_of(document):
        path, _, anchor = target.partition("#")
        if path.startswith("/"):
            assert resolve(path)  # a page of the site
            continue
        result = document.parent / unquote(path) if path else document
        assert result.exists(), target
        assert not anchor or anchor in anchors_of(result), target


@pytest.mark.parametrize("head", TABLES)
def test_the_table_of_a_page_names_all_that_there_is_and_nothing_else(head: str) -> None:
    page, names = TABLES[head]
    text = (ROOT / "docs" / page).read_text()
    table = re.search(rf"^{re.escape(head)}.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert table is not None
    firsts = [row.split("|")[1] for row in table[1].splitlines()]
    assert sorted(re.findall(r"`([^`]+)`", "".join(firsts))) == sorted(names)


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_command_is_documented(name: str) -> None:
    assert name in {row[0] for row in TABLE_ROWS}


@pytest.mark.parametrize(("name", "usage", "rest"), TABLE_ROWS, ids=[row[0] for row in TABLE_ROWS])
def test_documented_commands_and_options_exist(name: str, usage: str, rest: str) -> None:
    parser = load_command_class(OURS[name], name).create_parser("manage.py", name)
    known = {option for action in parser._actions for option in action.option_strings}
    assert set(re.findall(r"--[a-z-]+", usage + rest)) <= known


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_command_reports_what_it_does_and_how_it_ends(name: str) -> None:
    text = load_command_class(OURS[name], name).create_parser("manage.py", name).format_help()
    assert "Exit status:" in " ".join(text.split())


def test_the_drawing_of_the_layers_is_that_of_the_import_contracts() -> None:
    make_layers = runpy.run_path(str(ROOT / "docs" / "make_layers.py"))
    assert make_layers["drawing"]() in make_layers["PAGE"].read_text()
