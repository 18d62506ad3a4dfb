"""What the public RARR program wrote, read as a revision with its trace."""

import copy
from pathlib import Path
from typing import Any

import pytest

from pipeline.importing.passages import PassageRow, RowError, read_passages
from pipeline.importing.rarr_results import revision_of
from pipeline.rarr.types import EditOutcome, Passage, Revision, Verdict
from tests.support.commands import write_lines
from tests.support.factories import only
from tests.support.rarr_lines import AFTER, BEFORE, EVIDENCE, LINE, RESULT


def revised(result: dict[str, Any]) -> Revision:
    revision = revision_of({"result": result}, passage=Passage(id="1", text=BEFORE))
    assert revision is not None
    return revision


def test_a_line_gives_queries_evidence_trace_and_report() -> None:
    revision = revised(RESULT)
    assert revision.text == AFTER
    assert revision.is_consistent_with(Passage(id="1", text=BEFORE))
    assert [query.text for query in revision.queries] == RESULT["questions"]
    texts = [[each.text for each in evidence] for evidence in revision.evidence]
    assert texts == [[EVIDENCE["text"]], ["B."]]
    outcomes = [step.edit_outcome for step in revision.trace]
    assert outcomes == [EditOutcome.ACCEPTED, EditOutcome.NONE, EditOutcome.NONE]
    verdicts = [step.agreement and step.agreement.verdict for step in revision.trace]
    assert verdicts == [Verdict.DISAGREES, Verdict.IRRELEVANT, None]
    assert revision.trace[2].error is not None
    assert revision.trace[2].error.message == "Failed to parse."

    known, unknown = revision.report.evidence
    assert (known.url, known.query) == (EVIDENCE["url"], EVIDENCE["query"])
    assert (unknown.text, unknown.url) == ("Found nowhere.", "")


def test_a_line_may_hold_the_revised_text_alone_or_a_trace_that_does_not_lead_to_it() -> None:
    revision = revised({"revisions": [{"revised_text": AFTER}]})
    assert (revision.text, revision.trace, revision.report.evidence) == (AFTER, (), ())

    result = copy.deepcopy(RESULT)
    result["revisions"][0]["revised_text"] = "Otherwise."
    assert revised(result).trace == ()


def test_the_revision_of_a_dialog_of_bare_lines_fits_its_passage(tmp_path: Path) -> None:
    line = {**LINE, "input_info": {"claim": BEFORE, "context": "Which hall?\nOurs.\nWhen?"}}
    [row] = read_passages(write_lines(tmp_path / "out.jsonl", [line]), dialog=True)
    assert isinstance(row, PassageRow)
    assert row.context.startswith("User: Which hall?\nSystem: Ours.")
    assert row.source.revision is not None
    assert row.source.revision.is_consistent_with(row.passage)


@pytest.mark.parametrize("source", [{}, {"result": "fine"}, {"result": {"score": 1}}])
def test_a_line_without_revisions_is_a_plain_passage(
    tmp_path: Path, source: dict[str, Any]
) -> None:
    row = only(PassageRow, read(tmp_path, {"input_info": {"claim": BEFORE}, **source}))
    assert row.source.extra == source
    assert revision_of(source, passage=Passage(id="1", text=BEFORE)) is None


def read(folder: Path, line: dict[str, Any]) -> list[PassageRow | RowError]:
    return list(read_passages(write_lines(folder / "out.jsonl", [line])))


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"revisions": []}, "result.revisions", "empty"),
        ({"revisions": [{}]}, "result.revisions[0].revised_text", "there is no revised_text"),
        ({"revisions": [{"revised_text": 3}]}, "result.revisions[0].revised_text", "is a number"),
        ({"questions": "Why?"}, "result.questions", "questions is a text"),
        ({"questions": ["Why?"]}, "result.evidences_for_questions", "2 lists of evidence for 1"),
        ({"selected_evidences": [{}]}, "result.selected_evidences[0].text", "there is no text"),
        (
            {"revisions": [{"revised_text": "x" * 200_001}]},
            "result.revisions[0].revised_text",
            "revised_text has 200,001 characters, the limit is 200,000",
        ),
        (
            {"revisions": [{**RESULT["revisions"][0], "revision_steps": []}]},
            "result.revisions[0]",
            "3 evidences, 3 agreement_gates, 0 revision_steps",
        ),
    ],
)
def test_a_bad_result_names_its_field_and_problem(
    tmp_path: Path, changes: dict[str, Any], field: str, words: str
) -> None:
    error = only(RowError, read(tmp_path, {**LINE, "result": RESULT | changes}))
    assert (error.line, error.field) == (1, field)
    assert words in str(error)
    assert error.fix
