"""Every system that needs no language model, on some of the demo's passages, and compared."""

import pytest

from pipeline.backends.tantivy_corpus import CorpusWriter
from pipeline.demo_data import PASSAGES, demo_documents, planted
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Engine, Outcome
from pipeline.engine.loading import load_engine
from pipeline.importing.passages import PassageRow, read_passages
from pipeline.rarr.systems import NEEDS_LANGUAGE_MODEL, SYSTEMS
from pipeline.rarr.types import EditOutcome, Passage

DISPLAYED = 2
"""Passages; each is revised by every system."""
NAMES = [name for name in SYSTEMS if name not in NEEDS_LANGUAGE_MODEL]
PLANTED = planted()


@pytest.fixture(scope="module")
def passages() -> list[Passage]:
    rows = [row for row in read_passages(PASSAGES) if isinstance(row, PassageRow)]
    wrong = [row for row in rows if PLANTED[row.external_id].errors][:DISPLAYED]
    return [Passage(id=row.external_id, text=row.text, context=row.context) for row in wrong]


@pytest.fixture(scope="module")
def outcomes(
    passages: list[Passage], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Outcome]]:
    """What each system makes of each passage."""
    index = tmp_path_factory.mktemp("index")
    with CorpusWriter(index) as writer:
        for document in demo_documents():
            writer.add(document)

    def engine(system: str) -> Engine:
        return load_engine(RunConfig(system=system), index=index)

    return {name: [engine(name).revise(each) for each in passages] for name in NAMES}


def restored(outcomes: list[Outcome]) -> int:
    """How many planted errors are put right."""
    return sum(
        error.right in each.revision.text and error.wrong not in each.revision.text
        for each in outcomes
        for error in PLANTED[each.revision.passage.id].errors
    )


@pytest.mark.parametrize("system", NAMES)
def test_it_finds_evidence_and_ends_without_an_error(
    outcomes: dict[str, list[Outcome]], system: str
) -> None:
    for each in outcomes[system]:
        assert each.revision.report.evidence
        assert not each.revision.errors
        assert EditOutcome.ERROR not in {step.edit_outcome for step in each.revision.trace}
        assert each.scores.f1_ap is not None


def test_editing_restores_what_research_alone_leaves_wrong(
    outcomes: dict[str, list[Outcome]],
) -> None:
    assert restored(outcomes["none"]) == 0
    assert not any(each.revision.is_changed for each in outcomes["none"])
    for system in ("rarr", "efec"):
        assert restored(outcomes[system]) > 0, system


def test_evidence_about_another_bridge_moves_no_date(outcomes: dict[str, list[Outcome]]) -> None:
    """The Prince of Wales opened both: Tower Bridge on 30 June 1894, and the Forth Bridge."""
    forth = next(each for each in outcomes["rarr"] if "Forth Bridge" in each.revision.text)
    assert "1894" not in forth.revision.text
    requests = [
        step for step in forth.revision.trace if "Prince of Wales opened" in step.query.text
    ]
    assert [step.query.text for step in requests] == [
        "The Prince of Wales opened the Forth Bridge on what date?"
    ]


def test_without_a_gate_more_is_edited(outcomes: dict[str, list[Outcome]]) -> None:
    def tried(system: str) -> int:
        return sum(
            step.edit_outcome not in {EditOutcome.NONE, EditOutcome.UNCHANGED}
            for each in outcomes[system]
            for step in each.revision.trace
        )

    assert tried("rarr-no-agreement") > tried("rarr")
