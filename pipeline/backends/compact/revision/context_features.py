"""Similarity of the surroundings of two spans, in passage and evidence."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from pipeline.backends.compact.revision.slot_alignment import align_to_clauses, word_range
from pipeline.backends.compact.text.parsing import parsed
from pipeline.backends.compact.text.spans import Mention, MentionKind, without_marks
from pipeline.backends.compact.text.words import Word, coverage, rest_of, stem, weight, words
from pipeline.backends.compact.values import contains_name, name_words
from pipeline.text.sentences import split_sentences
from pipeline.text.spans import Span

_PARTS = frozenset(["conj", "appos", "nummod", "amod", "compound", "quantmod", "nmod", "poss"])
"""Relations of words that share their head's role."""
_FARTHEST = 6
"""Steps up the parse."""
_FAR = 5
"""Words from a span that may align."""
_sentences = lru_cache(maxsize=1024)(split_sentences)


def features_of(
    mention: Mention, other: Mention, *, sentence: str, evidence: str, context: str
) -> dict[str, float]:
    """Return features of `other`, by the names in `choice.WORDS`."""
    left = [w for w in words(sentence) if w.end <= mention.start]
    right = [w for w in words(sentence) if w.start >= mention.end]
    ends = Span(start=len(evidence), end=len(evidence))
    sentence_span = next((each for each in _sentences(evidence) if other.start < each.end), ends)
    around = [w for w in words(evidence) if sentence_span.start <= w.start < sentence_span.end]
    before = [w for w in around if w.end <= other.start]
    after = [w for w in around if w.start >= other.end]
    is_name = other.kind in (MentionKind.NAME, MentionKind.TITLE)
    adjacency, aligned = _alignment_features(mention, other, sentence, evidence)
    same_left = _same(left[-1:], before[-1:])
    # A number may belong to a name: "Toy Story 2", "Type 1".
    is_numbered = mention.kind is MentionKind.NUMBER and bool(left) and left[-1].is_content
    is_numbered = is_numbered and left[-1].text[:1].isupper() and not same_left
    relation = relation_of(sentence, mention)
    stems = frozenset(w.stem for w in around if w.is_content)
    return {
        "sentence": coverage(rest_of(sentence, mention), stems),
        "local": _shared_nearby(left, right, before, after),
        "left": same_left,
        "right": _same(right[:1], after[:1]),
        "left_content": _meets(left[::-1], before[::-1]),
        "beside": adjacency,
        "aligned": aligned,
        "lined_up": adjacency * aligned,
        "relation": float(relation == relation_of(evidence, other)),
        "agent": float(is_name and _is_agent(left) and _is_agent(before)),
        "unit": float(bool(mention.unit) and stem(mention.unit) == stem(other.unit)),
        "numbered": float(is_numbered),
        "shape": _shape(mention, other),
        "label": float(bool(mention.label) and mention.label == other.label),
        "full": float(is_name and len(name_words(other.text)) > 1),
        "in_context": float(is_name and bool(context) and contains_name(other.text, context)),
        "in_passage": float(is_name and contains_name(other.text, sentence)),
    }


def _shared_nearby(
    left: Sequence[Word], right: Sequence[Word], before: Sequence[Word], after: Sequence[Word]
) -> float:
    distances: dict[str, int] = {}
    for row in (before[::-1], after):
        for distance, word in enumerate(row, 1):
            distances[word.stem] = min(distance, distances.get(word.stem, distance))
    total = gained = 0.0
    for row in (left[::-1], right):
        for distance, word in enumerate(row, 1):
            if word.is_content:
                worth = weight(word.text) / (1 + distance / 5)
                total += worth
                if word.stem in distances:
                    gained += worth / (1 + distances[word.stem] / 8)
    return gained / total if total else 0.0


def _alignment_features(
    mention: Mention, other: Mention, sentence: str, evidence: str
) -> tuple[float, float]:
    side = next(
        (each for each in align_to_clauses(sentence, evidence) if each.holds(other.start)), None
    )
    if side is None:
        return 0.0, 0.0
    first, last = word_range(side.mine, mention)
    low, high = word_range(side.theirs, other)
    # Clauses align at both ends.
    positions = [-1, *(p if p >= 0 else None for p in side.targets), len(side.theirs)]
    left = [
        1 / (1 + (steps + low - 1 - position) / 2)
        for steps, position in enumerate(positions[first::-1][:_FAR])
        if position is not None and position < low
    ]
    right = [
        1 / (1 + (steps + position - high) / 2)
        for steps, position in enumerate(positions[last + 1 :][:_FAR])
        if position is not None and position >= high
    ]
    return max([*left[:1], *right[:1], 0.0]), side.aligned(first, last)


def _is_agent(before: Sequence[Word]) -> bool:
    """Check whether a name after these words may be an agent: a subject, "by …", "singer …"."""
    if not before:
        return True
    word = before[-1].text
    return word == "by" or (word.islower() and word.endswith(("er", "or", "ist", "ress", "band")))


def _meets(one: Sequence[Word], other: Sequence[Word]) -> float:
    near = [word.stem for word in one if word.is_content][:1]
    return float(bool(near) and near[0] in [w.stem for w in other if w.is_content][:3])


def _same(one: Sequence[Word], other: Sequence[Word]) -> float:
    return float(bool(one) and bool(other) and one[0].stem == other[0].stem)


def _shape(mention: Mention, other: Mention) -> float:
    if mention.kind in (MentionKind.NAME, MentionKind.TITLE):
        mine, theirs = len(name_words(mention.text)), len(name_words(other.text))
        return 1.0 / (1 + abs(mine - theirs))
    if mention.quantity and other.quantity:
        if mention.quantity.is_word != other.quantity.is_word:
            return 0.3
        return 1.0 / (1 + abs(len(mention.text) - len(other.text)))
    if not mention.date or not other.date:
        return 0.0
    if mention.kind is MentionKind.YEAR:
        return 1.0
    return mention.date.parts / 3 if mention.date.parts <= other.date.parts else 0.0


@lru_cache(maxsize=16384)
def relation_of(text: str, span: Span) -> str:
    """Return a span's dependency label, or its preposition; "" for none.

    >>> relation_of("Hart Mill opened in 1852.", Span(start=20, end=24))
    'in'
    """
    sentences = parsed(without_marks(text))
    at = bisect_right([each.start for each in sentences], span.start) - 1
    if at < 0:
        return ""
    inside = sentences[at].tokens(span)
    if not inside:
        return ""
    low, high = inside[0].i, inside[-1].i
    token = next((t for t in inside if not low <= t.head.i <= high or t.head == t), inside[-1])
    for _ in range(_FARTHEST):
        if token.dep_ in _PARTS and token.head != token:
            token = token.head
    return token.head.lower_ if token.dep_ in ("pobj", "pcomp") else token.dep_
