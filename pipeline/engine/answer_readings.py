"""Cited answers split into statements, strictly as ALCE's reference does and corrected."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pipeline.importing.alce_answers import AlceAnswer, Dataset
from pipeline.metrics import alce_reference, citation_corrections
from pipeline.metrics.answer_recall import exact_recall, list_scores
from pipeline.metrics.citation_marks import without_citations
from pipeline.metrics.citation_support import CitedAnswer, Pair, Statement
from pipeline.metrics.rouge import rouge_lsum
from pipeline.rarr.ports import SentenceSplitter

Punkt = Callable[[str], Sequence[str]]
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


def read_strictly(
    answer: AlceAnswer,
    dataset: Dataset | None,
    *,
    split: SentenceSplitter,
    punkt: Punkt | None,
    at_most: int,
) -> AnswerReading:
    """Split to the letter of the reference; `split` replaces NLTK's `punkt` if that is None."""
    output = alce_reference.first_line(answer.output)
    passages = answer.passages

    def sentences(text: str) -> list[str]:
        if punkt:
            return list(punkt(text))
        return list(alce_reference.sentences_as_punkt([span.of(text) for span in split(text)]))

    parts = (
        alce_reference.listed(output, question=answer.question)
        if dataset == "qampari"
        else sentences(output)
    )
    return _read(
        answer,
        dataset,
        statements=alce_reference.statements(parts, passages=len(passages), at_most=at_most),
        passages=passages,
        bare=alce_reference.remove_citations(output),
        sentences=sentences,
        is_strict=True,
    )


def read_corrected(
    answer: AlceAnswer, dataset: Dataset | None, *, split: SentenceSplitter, at_most: int
) -> AnswerReading:
    """Split without the reference's bugs."""
    output = alce_reference.first_line(answer.output)
    passages = answer.passages
    is_list = dataset == "qampari"
    parts = (
        citation_corrections.listed(output)
        if is_list
        else citation_corrections.parts(output, [(span.start, span.end) for span in split(output)])
    )
    return _read(
        answer,
        dataset,
        statements=[
            citation_corrections.statement(
                each,
                passages=len(passages),
                at_most=at_most,
                before=f"{answer.question} " if is_list else "",
            )
            for each in parts
        ],
        passages=passages,
        bare=without_citations(output),
        sentences=lambda text: [span.of(text) for span in split(text)],
        is_strict=False,
        positions=_positions(answer.output, parts),
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


def _read(
    answer: AlceAnswer,
    dataset: Dataset | None,
    *,
    statements: Sequence[Statement],
    passages: Sequence[str],
    bare: str,
    sentences: Callable[[str], Sequence[str]],
    is_strict: bool,
    positions: Sequence[tuple[int, int] | None] = (),
) -> AnswerReading:
    figures: Figures = {"length": float(len(bare.split()))}
    pairs = answer.qa_pairs or [] if dataset == "asqa" else []
    short = [each.short_answers for each in pairs]
    if dataset == "asqa":
        figures["str_em"] = recall = exact_recall(bare, short, strict=is_strict)
        figures["str_hit"] = None if recall is None else float(recall == 1)
    if dataset == "qampari":
        listed = list_scores(bare, answer.answers or [], strict=is_strict)
        predictions = alce_reference.predictions(bare)
        figures |= {
            "num_preds": float(len(predictions) if is_strict else len(set(predictions))),
            "qampari_prec": listed.precision,
            "qampari_rec": listed.recall,
            "qampari_rec_top5": listed.recall_top5,
            "qampari_f1": listed.f1,
            "qampari_f1_top5": listed.f1_top5,
        }
    else:
        text = sentences(bare)
        scores = [rouge_lsum(text, sentences(each)) for each in answer.references]
        figures["rougeLsum"] = max((each for each in scores if each is not None), default=None)
    claims = answer.claims or [] if dataset == "eli5" else []
    return AnswerReading(
        cited=CitedAnswer(statements=statements, passages=passages),
        claims=[(bare, claim) for claim in claims] if bare.strip() or is_strict else [],
        has_claims=bool(claims),
        questions=[(each.question, bare or " ") for each in pairs],
        short_answers=short,
        figures=figures,
        is_strict=is_strict,
        positions=positions,
    )
