"""Cited answers split into statements, strictly as ALCE's reference does and corrected."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.backends.sentences import Nltk
from pipeline.importing.alce import AlceAnswer, Dataset
from pipeline.metrics import alce_reference, citation_corrections
from pipeline.metrics.answer_recall import exact_recall, list_scores
from pipeline.metrics.citation_marks import without_citations
from pipeline.metrics.citation_support import CitedAnswer, Pair
from pipeline.metrics.rouge import rouge_lsum
from pipeline.rarr.ports import SentenceSplitter

Figures = dict[str, float | None]
"""One answer's figures, by the reference's names; shares are 0.0 to 1.0."""
FIGURES = {
    "citation_rec": "citation recall",
    "citation_prec": "citation precision",
    "citation_rec_graded": "graded recall",
    "str_em": "short answers given",
    "str_hit": "all short answers given",
    "qampari_prec": "answers that are right",
    "qampari_rec": "right answers given, of all",
    "qampari_rec_top5": "right answers given, of five",
    "qampari_f1": "F1 of the list",
    "qampari_f1_top5": "F1 of the list, of five",
    "num_preds": "answers in the list",
    "claims_nli": "claims entailed",
    "rougeLsum": "ROUGE-Lsum",
    "QA-EM": "short answers read, exactly",
    "QA-F1": "short answers read, F1 of words",
    "QA-Hit": "all short answers read",
    "mauve": "MAUVE",
    "length": "words",
}
"""Figures of answers by the reference's names, in the order of files and pages → their labels.

MAUVE is a figure of many answers together.
"""
COUNTS = ("length", "num_preds")
"""Figures that are counts: words, and entities of a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReading:
    """One answer split in one of the two ways."""

    cited: CitedAnswer
    claims: Sequence[Pair]
    """The output as premise of each claim."""
    has_claims: bool
    questions: Sequence[Pair]
    """ASQA's questions, each with the output."""
    short_answers: Sequence[Sequence[str]]
    figures: Figures
    """Those without a model."""
    is_strict: bool
    positions: Sequence[tuple[int, int] | None] = ()
    """If corrected, each statement's span in the output, with its citations."""


def read_answer(
    answer: AlceAnswer,
    dataset: Dataset | None,
    *,
    is_strict: bool,
    split: SentenceSplitter,
    nltk: Nltk | None,
    at_most: int,
    cot: bool,
) -> AnswerReading:
    """Split to the letter of the reference if `is_strict`, else without its bugs.

    `split` replaces NLTK's sentences if `nltk` is None. With `cot`, QAMPARI's list begins after the
    first colon; the reference reads citations before it too.
    """
    output = alce_reference.first_line(answer.output)
    question = f"{answer.question} " if dataset == "qampari" else ""
    limits = {"passages": len(answer.passages), "at_most": at_most}
    positions: Sequence[tuple[int, int] | None] = ()

    def sentences(text: str) -> Sequence[str]:
        if is_strict and nltk:
            return nltk.split(text)
        parts = [span.of(text) for span in split(text)]
        return list(alce_reference.sentences_as_punkt(parts)) if is_strict else parts

    if is_strict:
        bare = alce_reference.remove_citations(output)
        parts = (
            alce_reference.listed(output, question=answer.question)
            if question
            else sentences(output)
        )
        statements = alce_reference.statements(parts, **limits)
    else:
        bare = without_citations(output)
        parts = (
            citation_corrections.listed(output)
            if question
            else citation_corrections.parts(output, [(s.start, s.end) for s in split(output)])
        )
        statements = [
            citation_corrections.statement(each, before=question, **limits) for each in parts
        ]
        positions = _positions(answer.output, parts)
    claims = answer.claims or [] if dataset == "eli5" else []
    # The reference removes citations twice here, which differs at "  ||".
    premise = alce_reference.remove_citations(bare) if is_strict else bare
    pairs = answer.qa_pairs or [] if dataset == "asqa" else []
    short_answers = [each.short_answers for each in pairs]
    figures: Figures = {"length": float(len(bare.split()))}
    if dataset == "asqa":
        figures["str_em"] = recall = exact_recall(bare, short_answers, strict=is_strict)
        figures["str_hit"] = None if recall is None else float(recall == 1)
    if dataset == "qampari":
        names = bare.partition(":")[2] if cot else bare
        figures |= list_scores(names, answer.answers or [], strict=is_strict)
    else:
        texts = [bare, *answer.references]
        stem = None
        if is_strict and nltk:
            # As in the reference; `split` needs the capitals.
            texts, stem = [each.lower() for each in texts], nltk.stem
        text, *references = map(sentences, texts)
        scores = [rouge_lsum(text, each, stem) for each in references]
        figures["rougeLsum"] = max((each for each in scores if each is not None), default=None)
    return AnswerReading(
        cited=CitedAnswer(statements=statements, passages=answer.passages),
        claims=[(premise, claim) for claim in claims] if bare.strip() or is_strict else [],
        has_claims=bool(claims),
        questions=[(each.question, bare or " ") for each in pairs],
        short_answers=short_answers,
        figures=figures,
        is_strict=is_strict,
        positions=positions,
    )


def _positions(text: str, parts: Sequence[str]) -> list[tuple[int, int] | None]:
    """Find the parts in order; None for a part that is not in the text."""
    positions: list[tuple[int, int] | None] = []
    at = 0
    for part in parts:
        start = text.find(part, at)
        if start < 0:
            positions.append(None)
        else:
            at = start + len(part)
            positions.append((start, at))
    return positions
