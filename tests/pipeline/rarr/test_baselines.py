"""EFEC and LaMDA Research: one rewriting from all evidence at once."""

from collections.abc import Sequence

import pytest

from pipeline.rarr.baselines import lamda_dialog
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import BadConfig, TransientError, UnreadableReply
from pipeline.rarr.systems import load_system
from pipeline.rarr.types import EditOutcome, Evidence, Passage, ProposedEdit, Revision
from tests.support.rarr_fakes import Gate, Pen, Questions, Shelf, document, make_components, passage

TEXT = "The hall opened in 1902. It has 90 seats."
QUERIES = [f"What about {number}?" for number in range(7)]
# Two queries find the same page.
SHELF = {
    query: [document(f"The hall has {number // 2} doors.", id=str(number // 2))]
    for number, query in enumerate(QUERIES)
}
OPENING = "User: Tell me something interesting."
NEW = "It is a hall with doors, and nothing more is said of it here than that it has some."


class Writer:
    """Answers with `text`, or raises `error`."""

    def __init__(self, text: str = NEW, *, error: Exception | None = None) -> None:
        self.text, self.error = text, error
        self.received: list[tuple[Passage, list[str]]] = []

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit:
        self.received.append((passage, [each.document_id for each in evidence]))
        if self.error:
            raise self.error
        return ProposedEdit(text=self.text, reason="As the evidence says.")


def run(system: str, writer: Writer | None, *, context: str = "", **given: object) -> Revision:
    role = {"efec": "corrector", "lamda-research": "responder"}[system]
    scripts = {"query_generator": Questions(QUERIES), "retriever": Shelf(SHELF), role: writer}
    return load_system(system)(
        passage(TEXT, context=context),
        components=make_components(**{**scripts, **given}),
        config=RarrConfig(report_size=2),
    )


BOTH = pytest.mark.parametrize("system", ["efec", "lamda-research"])


@BOTH
def test_one_snippet_of_each_query_is_used(system: str) -> None:
    writer, pages = Writer(), [document(f"It has {n} doors.", id=str(n)) for n in range(3)]
    given = {"query_generator": Questions(["Doors?"]), "retriever": Shelf({"Doors?": pages})}
    revision = run(system, writer, **given)
    assert [len(snippets) for snippets in revision.evidence] == [3]
    assert [documents for _, documents in writer.received] == [["0"]]
    assert [snippet.document_id for snippet in revision.report.evidence] == ["0"]


@BOTH
def test_all_evidence_is_used_at_once_without_a_limit_of_change(system: str) -> None:
    writer, gate, pen = Writer(), Gate(["1902"]), Pen({"1902": "1904"})
    revision = run(system, writer, agreement_model=gate, edit_model=pen)
    [(_, documents)] = writer.received
    assert documents == ["0", "1", "2", "3"]
    assert (gate.received, pen.received) == ([], [])
    [step] = revision.trace
    assert (revision.text, step.text_before, step.text_after) == (NEW, TEXT, NEW)
    assert step.edit_outcome is EditOutcome.ACCEPTED
    assert (step.edit_distance or 0) > RarrConfig().max_edit_characters
    assert [each.document_id for each in step.all_evidence] == documents


@BOTH
def test_the_same_text_is_unchanged_and_without_evidence_nothing_rewritten(system: str) -> None:
    [step] = run(system, Writer(TEXT)).trace
    assert (step.edit_outcome, step.edit_distance) == (EditOutcome.UNCHANGED, 0)
    writer = Writer()
    revision = run(system, writer, retriever=Shelf())
    assert (writer.received, revision.trace, revision.text) == ([], (), TEXT)
    assert len(revision.queries) == len(QUERIES)


@BOTH
@pytest.mark.parametrize(
    "writer", [Writer(error=UnreadableReply("No text.", reply="?")), Writer(" \n")]
)
def test_an_unreadable_or_blank_reply_is_an_error_of_the_step(system: str, writer: Writer) -> None:
    revision = run(system, writer)
    [step] = revision.trace
    assert step.error is not None
    assert step.error.kind == "UnreadableReply"
    assert (step.edit_outcome, revision.text) == (EditOutcome.ERROR, TEXT)
    assert revision.report.evidence


@BOTH
def test_a_time_out_and_a_missing_rewriter_are_raised(system: str) -> None:
    with pytest.raises(TransientError):
        run(system, Writer(error=TransientError("time-out")))
    with pytest.raises(BadConfig, match=f"^{system} needs .*set .* to .*NAME_OR_PATH"):
        run(system, None)


def test_efec_reports_the_best_evidence_and_lamda_all() -> None:
    assert len(run("efec", Writer()).report.evidence) == 2
    report = run("lamda-research", Writer()).report
    assert [each.document_id for each in report.evidence] == ["0", "1", "2", "3"]
    assert report.covers[0] == tuple(QUERIES[:2])
    assert report.covers[3] == (QUERIES[6],)


def test_lamda_generates_one_sample_of_queries_in_a_dialog() -> None:
    questions, writer = Questions(QUERIES), Writer()
    revision = run("lamda-research", writer, query_generator=questions)
    [(in_dialog, samples, _)] = questions.received
    assert (in_dialog.context, samples) == (OPENING, 1)
    assert writer.received[0][0].context == in_dialog.context
    assert revision.passage == passage(TEXT)


@pytest.mark.parametrize(
    ("context", "dialog"),
    [
        ("", OPENING),
        ("When did the hall open?", "User: When did the hall open?"),
        ("User: Hi.\nSystem: Hello.\nUser: When?", "User: Hi.\nSystem: Hello.\nUser: When?"),
        ("Q: Who?\nA: Ada.\nQ: When?", "User: Who?\nSystem: Ada.\nUser: When?"),
        ("System: Hello.\nUser: When?", f"{OPENING}\nSystem: Hello.\nUser: When?"),
        ("User: Hi.\nSystem: Hello.", f"User: Hi.\nSystem: Hello.\n{OPENING}"),
    ],
)
def test_the_user_speaks_first_and_last(context: str, dialog: str) -> None:
    assert lamda_dialog(context) == dialog
