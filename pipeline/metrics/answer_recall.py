"""ALCE's correctness (section 3): the recall of right answers. Texts have no citations.

`strict` is the reference's way, comparable with published figures. Otherwise only whole words
match, an answer without words is none, and a repeated one counts once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from pipeline.metrics.alce_reference import normalize_answer, predictions
from pipeline.metrics.correctness import exact_match, normalised, token_f1, words_f1
from pipeline.metrics.f1 import harmonic_mean

Aliases = Sequence[str]
"""Spellings of one answer."""
_TOP = 5


def exact_recall(output: str, answers: Sequence[Aliases], *, strict: bool) -> float | None:
    """ASQA's EM recall, 0.0 to 1.0: the share of the short answers in the output."""
    if not answers:
        return None
    text = normalize_answer(output) if strict else f" {normalised(output)} "

    def occurs(alias: str) -> bool:
        if strict:
            return normalize_answer(alias) in text
        bare = normalised(alias)
        return bool(bare) and f" {bare} " in text

    return fmean(float(any(map(occurs, aliases))) for aliases in answers)


def read_answer_scores(
    read: Sequence[str], answers: Sequence[Aliases], *, strict: bool
) -> tuple[float, float] | None:
    """QA-EM and QA-F1, 0.0 to 1.0, of the answers that a model `read` from the output.

    Each is compared with the best of its question's `answers`; in the reference an empty answer
    equals one of articles alone. None without answers.
    """
    rows = [(each, aliases) for each, aliases in zip(read, answers, strict=True) if aliases]
    if not rows:
        return None
    if strict:
        equal = [
            float(normalize_answer(each) in map(normalize_answer, aliases))
            for each, aliases in rows
        ]
        shared = [max(_words_f1(each, alias) for alias in aliases) for each, aliases in rows]
    else:
        equal = [exact_match(each, aliases) or 0.0 for each, aliases in rows]
        shared = [token_f1(each, aliases) or 0.0 for each, aliases in rows]
    return fmean(equal), fmean(shared)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListScores:
    """QAMPARI's figures of one list, 0.0 to 1.0; None where there is nothing to score."""

    precision: float | None
    recall: float | None
    recall_top5: float | None
    """Five right answers, or all of fewer, are full recall."""
    f1: float | None
    f1_top5: float | None


def list_scores(output: str, answers: Sequence[Aliases], *, strict: bool) -> ListScores:
    """Score a list, split at commas.

    An empty list has recall 0 and precision 0 if `strict`, else None.
    """
    if not answers:
        return ListScores(precision=None, recall=None, recall_top5=None, f1=None, f1_top5=None)
    text = predictions(output)
    if not strict:
        text = list(dict.fromkeys(text))
    wanted = [[normalize_answer(alias) for alias in aliases] for aliases in answers]
    known, given = {alias for aliases in wanted for alias in aliases}, set(text)
    hits = sum(any(alias in given for alias in aliases) for aliases in wanted)
    right = sum(each in known for each in text)
    precision = right / len(text) if text else 0.0
    recall = hits / len(wanted)
    top = min(_TOP, hits) / min(_TOP, len(wanted))
    return ListScores(
        precision=precision if text or strict else None,
        recall=recall,
        recall_top5=top,
        f1=harmonic_mean(precision, recall),
        f1_top5=harmonic_mean(precision, top),
    )


def _words_f1(one: str, other: str) -> float:
    text, wanted = normalize_answer(one).split(), normalize_answer(other).split()
    if not text or not wanted:
        return float(text == wanted)
    return words_f1(text, wanted)
