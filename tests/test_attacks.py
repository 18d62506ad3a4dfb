"""docs/what-is-attacked.md names tests that are there, and no more of them than there are."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLE = (ROOT / "docs/what-is-attacked.md").read_text()
ROWS = [
    pytest.param(re.findall(r"`(tests/[^`]+)`", where), cases.strip(), id=attack.strip()[:40])
    for attack, where, cases in re.findall(r"^\| (.+) \| (`tests/.+`) \|(.*)\|$", TABLE, re.M)
]


def cases_of(name: str, items: list[pytest.Item]) -> int:
    """How many of the collected tests are those of `name`: a file, or a test in one."""
    return sum(name in (node, node.partition("::")[0]) for node in map(_without_case, items))


def _without_case(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


@pytest.mark.parametrize(("names", "cases"), ROWS)
def test_every_test_that_is_named_is_there(names: list[str], cases: str) -> None:
    assert cases == "all" or cases.isdigit()
    for name in names:
        path, _, test = name.partition("::")
        assert (ROOT / path).is_file(), name
        assert not test or f"\ndef {test}(" in (ROOT / path).read_text(), name


def test_the_files_of_a_row_are_of_one_part() -> None:
    """Else no part of `make suite` has all that the row counts."""
    own = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    told = subprocess.run(
        ["make", "-n", "suite"], cwd=ROOT, env=own, capture_output=True, text=True, check=True
    )
    of_site = next(line for line in told.stdout.splitlines() if "TEST_PART=_site" in line)
    parts = ("tests/browser", tuple(re.findall(r"tests/\S+", of_site)))
    for row in ROWS:
        names, cases = row.values
        if cases != "all":
            found = {tuple(name.startswith(folders) for folders in parts) for name in names}
            assert len(found) == 1, names


def test_there_are_as_many_cases_as_it_says(request: pytest.FixtureRequest) -> None:
    """Of the files that this session collected: `make suite` shares them among several."""
    config, counted = request.config, 0
    leaves_out = bool(config.option.keyword) or any("::" in each for each in config.args)
    for row in ROWS:
        names, cases = row.values
        found = [cases_of(name, request.session.items) for name in names]
        if cases != "all" and all(found) and not leaves_out:
            assert sum(found) >= int(cases), names
            counted += 1
    assert counted or leaves_out or config.args != config.getini("testpaths")
