"""A passage's results of several runs, by columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.diff.words import Piece, word_diff
from pipeline.models import Passage, Revision, Run
from pipeline.pages.answer_page import AnswerPage
from pipeline.pages.revision_page import RevisionPage, TraceRow
from pipeline.pages.sentence_pairs import MarkedSentence, diff_by_sentence
from pipeline.pages.stored_page import stored_answer, stored_page

LISTED = frozenset({"accepted", "rejected", "error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSentence:
    """A sentence of y with the diff."""

    sentence: MarkedSentence
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageColumn:
    run: Run
    revision: Revision | None
    """None if the run does not have the passage."""
    page: RevisionPage | None
    """None if there is no result, or it cannot be read."""
    sentences: tuple[DiffSentence, ...]
    pieces: tuple[Piece, ...]
    """The whole diff, if no sentence of y has a mark."""
    trace: tuple[TraceRow, ...]
    """The rows with an edit or an error."""
    answer: AnswerPage | None
    """Of a run that answers, instead of a revision."""

    @property
    def prefix(self) -> str:
        """Prefix of HTML ids in this column."""
        return f"run-{self.run.pk}-"


def passage_columns(passage: Passage, runs: Sequence[Run]) -> list[PassageColumn]:
    """Return a column per run, with one query."""
    rows = Revision.objects.filter(passage=passage, run__in=list(runs)).defer("calls")
    by_run = {row.run_id: row for row in rows}
    return [_column(run, by_run.get(run.pk)) for run in runs]


def diff_sentences(page: RevisionPage) -> tuple[DiffSentence, ...]:
    """Return the sentences of y; none if it is empty."""
    pieces = word_diff(page.result.passage.text, page.result.text)
    stretches = diff_by_sentence(pieces, page.result.text, page.scores.after)
    return tuple(
        DiffSentence(sentence=sentence, pieces=stretches[sentence.number - 1])
        for pair in page.pairs
        for sentence in pair.after
    )


def _column(run: Run, revision: Revision | None) -> PassageColumn:
    page = answer = None
    sentences: tuple[DiffSentence, ...] = ()
    pieces: tuple[Piece, ...] = ()
    if revision is not None:
        revision.run = run
        if run.shows_answers:
            answer = stored_answer(revision)
        else:
            page = stored_page(revision)
        if revision.state == Revision.State.DONE:
            sentences = diff_sentences(page) if page else ()
            if not sentences and not answer:
                old = revision.original_text
                pieces = word_diff(old, old if run.shows_answers else revision.text)
    return PassageColumn(
        run=run,
        revision=revision,
        page=page,
        sentences=sentences,
        pieces=pieces,
        trace=tuple(row for row in page.trace if row.css_class in LISTED) if page else (),
        answer=answer,
    )
