"""How much of a text its sources support: Attr of the RARR paper, section 2.1."""

from collections.abc import Sequence


def attribution(sentence_scores: Sequence[float]) -> float | None:
    """The mean over sentences of each one's attribution, from 0.0 to 1.0.

    Attr_AIS (equation 1) when the scores are raters' 0s and 1s, Attr_auto (equation 2) when
    each is `best_entailment` of a sentence. None for a text without sentences: there is
    nothing to score.

    >>> attribution([1.0, 0.5])
    0.75
    >>> attribution([]) is None
    True
    """
    if not sentence_scores:
        return None
    return sum(sentence_scores) / len(sentence_scores)


def restrictive(entailed: float, contradicted: float | None) -> float | None:
    """What a sentence counts where no source may contradict it (section 9), 0.0 to 1.0.

    The paper's own definition is permissive: any source that supports a sentence is enough. Here
    the sentence counts nothing where a source contradicts it with a greater probability than the
    best source entails it. None where the entailment model knows no contradiction.

    >>> restrictive(0.9, 0.2), restrictive(0.6, 0.8), restrictive(0.9, None)
    (0.9, 0.0, None)
    """
    if contradicted is None:
        return None
    return 0.0 if contradicted > entailed else entailed


def best_entailment(entailed: Sequence[float]) -> tuple[float, int | None]:
    """max over e in A of NLI(e, s), and which e that is; the first of equals.

    `entailed` holds NLI(e, s) of one sentence for each e of the report. An empty report
    supports nothing: 0.0, by no evidence.

    >>> best_entailment([0.2, 0.9, 0.9])
    (0.9, 1)
    >>> best_entailment([])
    (0.0, None)
    """
    if not entailed:
        return 0.0, None
    best = max(range(len(entailed)), key=lambda index: (entailed[index], -index))
    return entailed[best], best
