"""How alike the surroundings of two spans are, one in the passage and one in the evidence."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.backends.compact.revision.word_alignment import laid
from pipeline.backends.compact.text.coverage import clauses, coverage
from pipeline.backends.compact.text.names import name_stands_in, name_words
from pipeline.backends.compact.text.roles import Role, role_of
from pipeline.backends.compact.text.spans import Kind, Mention
from pipeline.backends.compact.text.words import (
    STOPWORDS,
    Word,
    stem,
    weight,
    words,
    words_in,
)

_PREPOSITIONS = words_in("in at by from to with near on of for into as")


def clause_of(mention: Mention, text: str) -> tuple[int, int]:
    return next(((a, b) for a, b in clauses(text) if a <= mention.start < b), (0, len(text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """The passage's sentence around the span that is asked for."""

    mention: Mention
    sentence: str
    wanted: Sequence[Word]
    left: Sequence[Word]
    right: Sequence[Word]
    window: frozenset[str]
    others: float
    """Share of the sentence's other spans that the evidence holds."""
    has_others: float
    subject: float
    """1.0 where the evidence lacks the first other name of the sentence."""
    role: Role
    """Of the span in its sentence."""
    asked: float
    """Share of the context's words, mostly a question's, that the evidence lacks."""


def features_of(
    hole: Hole, other: Mention, *, evidence: str, title: str, context: str
) -> dict[str, float]:
    """What can be told of `other` alone, by name and mostly 0.0 to 1.0; `candidates` adds what
    depends on the other candidates, `choice.WORDS` lists all."""
    mention, left_words, right_words = hole.mention, hole.left, hole.right
    clause = clause_of(other, evidence)
    around = [w for w in words(evidence) if clause[0] <= w.start < clause[1]]
    before = [w for w in around if w.end <= other.start]
    after = [w for w in around if w.start >= other.end]
    place: dict[str, tuple[int, int]] = {}
    sides: tuple[tuple[int, Sequence[Word]], ...] = ((-1, before[::-1]), (1, after))
    for side, row in sides:
        for distance, word in enumerate(row, 1):
            if word.is_content and (word.stem not in place or place[word.stem][1] > distance):
                place[word.stem] = (side, distance)
    total = gained = matched = sided = 0.0
    for side, row in ((-1, left_words[::-1]), (1, right_words)):
        for distance, word in enumerate(row, 1):
            if not word.is_content:
                continue
            worth = weight(word.text) / (1 + distance / 5)
            total += worth
            found = place.get(word.stem)
            if found:
                gained += worth / (1 + found[1] / 8)
                matched += 1
                sided += found[0] == side
    here = frozenset(w.stem for w in around if w.is_content)
    unit = unit_other = 0.0
    if mention.kind is Kind.NUMBER and mention.unit and mention.unit.lower() not in STOPWORDS:
        counted = bool(other.unit) and other.unit.lower() not in STOPWORDS
        same = stem(mention.unit) == stem(other.unit)
        unit, unit_other = float(counted and same), float(counted and not same)
    is_name = other.kind in (Kind.NAME, Kind.TITLE)
    between, beside, aligned = _laid_beside(hole, other, evidence)
    same_left, same_right = _same(left_words[-1:], before[-1:]), _same(right_words[:1], after[:1])
    role = role_of(evidence, other.start, other.end)
    return {
        "sentence": coverage(hole.wanted, here),
        "window": coverage(hole.wanted, hole.window),
        "local": gained / total if total else 0.0,
        "left": same_left,
        "right": same_right,
        "left_two": _same(left_words[-2:-1], before[-2:-1]) * same_left,
        "unit": unit,
        "unit_other": unit_other,
        "shape": _shape(mention, other),
        "form": float(_form(mention) == _form(other)),
        "same_kind": float(mention.kind is other.kind or mention.kind is Kind.YEAR),
        "in_context": float(is_name and bool(context) and name_stands_in(other.text, context)),
        "in_title": float(is_name and bool(title) and name_stands_in(other.text, title)),
        "side": sided / matched if matched else 0.0,
        "date_parts": _date_parts(mention, other),
        "first": float(not left_words and not before),
        "label": float(bool(mention.label) and mention.label == other.label),
        "clash": float(_clash(mention.label, other.label)),
        "relation": float(role.relation == hole.role.relation),
        "governor": float(bool(role.governor) and role.governor == hole.role.governor),
        "modified": float(bool(role.modified) and role.modified == hole.role.modified),
        "role": float(role.relation == hole.role.relation and role.governor == hole.role.governor),
        "others": hole.others,
        "others_known": hole.has_others,
        "full": float(is_name and len(name_words(other.text)) > 1),
        "in_passage": float(is_name and name_stands_in(other.text, hole.sentence)),
        "right_two": _same(right_words[1:2], after[1:2]) * same_right,
        "left_content": _meets(left_words[::-1], before[::-1]),
        "right_content": _meets(right_words, after),
        "bare_word": float(
            mention.quantity is not None
            and mention.quantity.is_word
            and not unit
            and not same_right
        ),
        "preposition": float(
            bool(left_words) and left_words[-1].text.lower() in _PREPOSITIONS and not same_left
        ),
        "agent": float(is_name and _is_agent(left_words) and _is_agent(before)),
        "between": between,
        "beside": beside,
        "aligned": aligned,
        "lined_up": beside * aligned,
        "modifier": float(
            is_name
            and other.label == "NORP"
            and _modifies(after, evidence)
            and not _modifies(right_words, hole.sentence)
        ),
        "subject": hole.subject,
        "asked": hole.asked,
        "numbered": float(
            mention.kind is Kind.NUMBER and _is_numbered(left_words) and not same_left
        ),
    }


_SORTS = {
    "PERSON": "person", "NORP": "people", "LANGUAGE": "people", "GPE": "place", "LOC": "place",
    "FAC": "place", "ORG": "organisation",
}  # fmt: skip
"""Entities that the recogniser seldom takes for one another, by its labels."""


def _clash(one: str, other: str) -> bool:
    """Whether two labels name things of another sort: a person and a place."""
    return bool(one and other) and _SORTS.get(one, "thing") != _SORTS.get(other, "thing")


def _modifies(after: Sequence[Word], text: str) -> bool:
    """Whether a name stands before the noun that it describes: "the English band"."""
    if not after or not after[0].is_content or not after[0].text[:1].islower():
        return False
    return text[max(0, after[0].start - 1) : after[0].start] == " " and (
        text[max(0, after[0].start - 2) : after[0].start - 1] not in {",", ".", ";", ":", ")", '"'}
    )


def _is_numbered(before: Sequence[Word]) -> bool:
    """Whether a number belongs to the name before it: "Toy Story 2", "Type 1"."""
    return bool(before) and before[-1].is_content and before[-1].text[:1].isupper()


def _laid_beside(hole: Hole, other: Mention, evidence: str) -> tuple[float, float, float]:
    """How close the candidate's place is to the span's, as the two sentences lie beside each
    other: on both sides, on the better side, and how much of the sentence lines up at all."""
    side = next((each for each in laid(hole.sentence, evidence) if each.holds(other.start)), None)
    if side is None:
        return 0.0, 0.0, 0.0
    first, last = side.of_mine(hole.mention)
    low, high = side.of_theirs(other)
    left = right = 0.0
    for steps in range(1, 6):
        at = first - steps
        if at < -1 or left:
            break
        place = side.place[at] if at >= 0 else -1
        if (at == -1 or place >= 0) and place < low:
            left = 1 / (1 + (steps - 1 + low - 1 - place) / 2)
    for steps in range(1, 6):
        at = last - 1 + steps
        if at > len(side.mine) or right:
            break
        place = side.place[at] if at < len(side.mine) else len(side.theirs)
        if (at == len(side.mine) or place >= 0) and place >= high:
            right = 1 / (1 + (steps - 1 + place - high) / 2)
    return left * right, max(left, right), side.aligned(first, last)


def _is_agent(before: Sequence[Word]) -> bool:
    """Whether a name after these words may be who did it: a subject, "by …", "singer …"."""
    if not before:
        return True
    word = before[-1].text
    return word == "by" or (word.islower() and word.endswith(("er", "or", "ist", "ress", "band")))


def _meets(one: Sequence[Word], other: Sequence[Word]) -> float:
    """Whether the next content word of one is among the next three of the other."""
    near = [word.stem for word in one if word.is_content][:1]
    return float(bool(near) and near[0] in [w.stem for w in other if w.is_content][:3])


def _same(one: Sequence[Word], other: Sequence[Word]) -> float:
    if not one or not other:
        return 0.0
    return float(one[0].stem == other[0].stem)


def _form(mention: Mention) -> str:
    if mention.quantity:
        return mention.quantity.form + ("." if "." in mention.text else "")
    return "date" if mention.date else str(mention.kind)


def _shape(mention: Mention, other: Mention) -> float:
    """1.0 for equal looks: as many words of a name, as many digits of a number."""
    if mention.kind in (Kind.NAME, Kind.TITLE):
        mine, theirs = len(name_words(mention.text)), len(name_words(other.text))
        return 1.0 / (1 + abs(mine - theirs))
    if mention.quantity and other.quantity:
        if mention.quantity.is_word != other.quantity.is_word:
            return 0.3
        return 1.0 / (1 + abs(len(mention.text) - len(other.text)))
    if not mention.date or not other.date:
        return 0.0
    if mention.kind is Kind.YEAR:
        return float(
            (mention.date.year or 0) * (other.date.year or 0) > 0
            and mention.date.is_decade == other.date.is_decade
        )
    return mention.date.parts / 3 if mention.date.parts <= other.date.parts else 0.0


def _date_parts(mention: Mention, other: Mention) -> float:
    if not mention.date or not other.date:
        return 0.0
    pairs = (
        (mention.date.year, other.date.year), (mention.date.month, other.date.month),
        (mention.date.day, other.date.day),
    )  # fmt: skip
    return sum(a == b and a is not None for a, b in pairs) / 2
