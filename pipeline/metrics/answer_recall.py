"""ALCE's correctness (section 3): the recall of right answers. Texts have no citations.

`strict` is the reference's way, comparable with published figures. Otherwise only whole words
match, an answer without words is none, and a repeated one counts once.
"""

from collections.abc import Sequence
from statistics import fmean

from pipeline.metrics.alce_reference import normalize_answer, predictions
from pipeline.metrics.correctness import exact_match, normalised, token_f1, words_f1
from pipeline.metrics.f1 import harmonic_mean

Aliases = Sequence[str]
"""Spellings of one answer."""
_TOP = 5
_OF_ANSWERS = ("qampari_prec", "qampari_rec", "qampari_rec_top5", "qampari_f1", "qampari_f1_top5")


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
) -> dict[str, float]:
    """QA-EM, QA-F1 and QA-Hit, 0.0 to 1.0, of the answers that a model `read` from the output.

    Each is compared with the best of its question's `answers`; in the reference an empty answer
    equals one of articles alone. Empty without answers.
    """
    rows = [(each, aliases) for each, aliases in zip(read, answers, strict=True) if aliases]
    if not rows:
        return {}
    if strict:
        equal = [
            float(normalize_answer(each) in map(normalize_answer, aliases))
            for each, aliases in rows
        ]
        shared = [max(_words_f1(each, alias) for alias in aliases) for each, aliases in rows]
    else:
        equal = [exact_match(each, aliases) or 0.0 for each, aliases in rows]
        shared = [token_f1(each, aliases) or 0.0 for each, aliases in rows]
    exact = fmean(equal)
    return {"QA-EM": exact, "QA-F1": fmean(shared), "QA-Hit": float(exact == 1)}


def list_scores(
    output: str, answers: Sequence[Aliases], *, strict: bool
) -> dict[str, float | None]:
    """QAMPARI's figures of a list, split at commas; all but `num_preds` are 0.0 to 1.0.

    An empty list has recall 0 and precision 0 if `strict`, else None. For `_top5` five right
    answers, or all of fewer, are full recall. Without answers only `num_preds` is known.
    """
    text = predictions(output)
    if not strict:
        text = list(dict.fromkeys(text))
    figures = {"num_preds": float(len(text)), **dict.fromkeys(_OF_ANSWERS)}
    if not answers:
        return figures
    wanted = [[normalize_answer(alias) for alias in aliases] for aliases in answers]
    known, given = {alias for aliases in wanted for alias in aliases}, set(text)
    hits = sum(any(alias in given for alias in aliases) for aliases in wanted)
    precision = sum(each in known for each in text) / len(text) if text else 0.0
    recall, top = hits / len(wanted), min(_TOP, hits) / min(_TOP, len(wanted))
    f1 = (harmonic_mean(precision, recall), harmonic_mean(precision, top))
    values = (precision if text or strict else None, recall, top, *f1)
    return figures | dict(zip(_OF_ANSWERS, values, strict=True))


def _words_f1(one: str, other: str) -> float:
    text, wanted = normalize_answer(one).split(), normalize_answer(other).split()
    if not text or not wanted:
        return float(text == wanted)
    return words_f1(text, wanted)
