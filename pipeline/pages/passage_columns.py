"""One passage as several runs revised it, or answered its question: a column for each run."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.diff.words import Piece, word_diff
from pipeline.models import Passage, Revision, Run
from pipeline.pages.answer_page import AnswerPage
from pipeline.pages.revision_page import RevisionPage, Turn
from pipeline.pages.sentence_pairs import MarkedSentence, diff_by_sentence
from pipeline.pages.stored_page import stored_answer, stored_page

LISTED = frozenset({"kept", "rejected", "error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSentence:
    """A sentence of y with its mark, and what was removed where it stands."""

    sentence: MarkedSentence
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageColumn:
    run: Run
    revision: Revision | None
    """None where the run has not taken the passage."""
    page: RevisionPage | None
    """None while there is no result, or where it cannot be read."""
    sentences: tuple[DiffSentence, ...]
    pieces: tuple[Piece, ...]
    """The diff in one, where no sentence of y has a mark."""
    turns: tuple[Turn, ...]
    """Those turns of the trace with a kept or rejected edit or an error; the tally has the rest."""
    answer: AnswerPage | None
    """Of a run that answers, in place of all that tells of a revision."""

    @property
    def prefix(self) -> str:
        """What the names of places in this column begin with: a page has several."""
        return f"run-{self.run.pk}-"


def passage_columns(passage: Passage, runs: Sequence[Run]) -> list[PassageColumn]:
    """In the order of the runs. One query."""
    rows = Revision.objects.filter(passage=passage, run__in=list(runs)).defer("calls")
    found = {row.run_id: row for row in rows}
    return [_column(run, found.get(run.pk)) for run in runs]


def diff_sentences(page: RevisionPage) -> tuple[DiffSentence, ...]:
    """The sentences of y in their order; none where y is empty."""
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
        revision.run = run  # it is at hand
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
        turns=tuple(turn for turn in page.turns if turn.look in LISTED) if page else (),
        answer=answer,
    )
