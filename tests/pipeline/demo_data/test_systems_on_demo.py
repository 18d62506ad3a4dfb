"""The systems that need no language model on the demo's passages.

`python -m research.demo_passages -v` shows each of RARR's revisions with its trace.
"""

import re
from collections.abc import Callable
from functools import cache

import pytest

from pipeline.backends.tantivy_corpus import CorpusWriter
from pipeline.demo_data import PASSAGES, PlantedError, demo_documents, planted
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Outcome
from pipeline.engine.loading import load_engine
from pipeline.importing.passages import PassageRow, read_passages
from pipeline.rarr.systems import NEEDS_LANGUAGE_MODEL, SYSTEMS
from pipeline.rarr.types import EditOutcome, Passage

PLANTED = planted()
PASSAGE_OF = {
    row.external_id: Passage(id=row.external_id, text=row.text, context=row.context)
    for row in read_passages(PASSAGES)
    if isinstance(row, PassageRow)
}
ERRORS = {f"{each.id}-{error.wrong}": error for each in PLANTED.values() for error in each.errors}
WRONG = [each.id for each in PLANTED.values() if each.errors][:2]
"""Passages that every system revises."""
NAMES = [name for name in SYSTEMS if name not in NEEDS_LANGUAGE_MODEL]
KNOWN_FAILURES = {"dialog-01-two octaves"}
"""Passages that lose a correct fact, and planted errors that stay; what passes has to leave it."""
Revise = Callable[[str, str], Outcome]


@pytest.fixture(scope="module")
def revise(tmp_path_factory: pytest.TempPathFactory) -> Revise:
    """Revise a passage, by id, by a system."""
    index = tmp_path_factory.mktemp("index")
    with CorpusWriter(index) as writer:
        for document in demo_documents():
            writer.add(document)

    def revise(system: str, name: str) -> Outcome:
        return load_engine(RunConfig(system=system), index=index).revise(PASSAGE_OF[name])

    return cache(revise)


def cases(names: list[str]) -> list[object]:
    """The names as parameters, those of `KNOWN_FAILURES` expected to fail."""
    known = pytest.mark.xfail(
        strict=True, raises=AssertionError, reason="compact is wrong here, as its docs say"
    )
    return [pytest.param(name, marks=[known] if name in KNOWN_FAILURES else []) for name in names]


def is_restored(error: PlantedError, text: str) -> bool:
    return error.right in text and error.wrong not in text


@pytest.mark.parametrize("name", cases([*PLANTED]))
def test_no_passage_loses_a_correct_fact(revise: Revise, name: str) -> None:
    """The text around the planted errors stays, whatever becomes of them."""
    after = revise("rarr", name).revision.text
    sound = re.escape(PASSAGE_OF[name].text)
    for error in PLANTED[name].errors:
        sound = sound.replace(re.escape(error.wrong), ".*")
    assert re.fullmatch(sound, after), after


@pytest.mark.parametrize("name", cases([*ERRORS]))
def test_a_planted_error_is_restored(revise: Revise, name: str) -> None:
    after = revise("rarr", name.rpartition("-")[0]).revision.text
    assert is_restored(ERRORS[name], after), after


def test_each_known_failure_is_a_case() -> None:
    assert not KNOWN_FAILURES - {*PLANTED, *ERRORS}


@pytest.mark.parametrize("system", NAMES)
def test_it_finds_evidence_and_ends_without_an_error(revise: Revise, system: str) -> None:
    for each in (revise(system, name) for name in WRONG):
        assert each.revision.report.evidence
        assert not each.revision.errors
        assert EditOutcome.ERROR not in {step.edit_outcome for step in each.revision.trace}
        assert each.scores.f1_ap is not None


def test_editing_restores_what_research_alone_leaves_wrong(revise: Revise) -> None:
    assert not any(revise("none", name).revision.is_changed for name in WRONG)
    errors = [(name, error) for name in WRONG for error in PLANTED[name].errors]
    assert any(is_restored(error, revise("efec", name).revision.text) for name, error in errors)


def test_evidence_about_another_bridge_moves_no_date(revise: Revise) -> None:
    """The Prince of Wales opened both: Tower Bridge on 30 June 1894, and the Forth Bridge."""
    forth = next(name for name in WRONG if "Forth Bridge" in PASSAGE_OF[name].text)
    revision = revise("rarr", forth).revision
    assert "1894" not in revision.text
    queries = [step.query.text for step in revision.trace]
    assert [text for text in queries if "Prince of Wales opened" in text] == [
        "The Prince of Wales opened the Forth Bridge on what date?"
    ]


def test_without_a_gate_more_is_edited(revise: Revise) -> None:
    def tried(system: str) -> int:
        return sum(
            step.edit_outcome not in {EditOutcome.NONE, EditOutcome.UNCHANGED}
            for name in WRONG
            for step in revise(system, name).revision.trace
        )

    assert tried("rarr-no-agreement") > tried("rarr")
