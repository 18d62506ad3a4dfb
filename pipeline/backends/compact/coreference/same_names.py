"""Whether two names name the same: those that share but a word of their kind do not."""

from itertools import zip_longest

from rapidfuzz import fuzz

from pipeline.backends.compact.text.entities import label_of
from pipeline.backends.compact.text.names import name_stands_in, name_words
from pipeline.backends.compact.text.spans import Kind, Mention, mentions
from pipeline.backends.compact.text.words import is_common, plain, words, words_in

ALIKE = 84
"""Of 100: two spellings of one long word are at least so alike."""
_GENERIC = words_in("river lake mount mountain city town state county island republic kingdom")
"""What may stand beside a place's name or be left out."""
_SPECIFIERS = words_in(
    "new north south east west northern southern eastern western united upper lower"
)
"""A name that opens with one is no short name's long form: York is not New York."""
_ORDER = {
    word: str(number)
    for row in (
        "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi",
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "one two three four five six seven eight nine ten",
    )
    for number, word in enumerate(row.split(), 1)
}
"""Two names that differ by these are two: "World War I", "the Second World War"."""


def is_named(subject: str, ground: str) -> bool:
    """Whether the evidence names the subject; "Coe Mill" does not name Hart Mill.

    >>> is_named("Jane Coe", "Coe opened it."), is_named("Jane Coe", "Otto Coe opened it.")
    (True, False)
    >>> is_named("Forth Bridge", "Tower Bridge is a suspension bridge. The Bridge has two towers.")
    False
    """
    wanted = _parts(subject)
    near = []
    rest = ground
    for mention in mentions(ground):
        if mention.kind in (Kind.NAME, Kind.TITLE):
            parts = _parts(mention.text)
            if set(parts) & set(wanted):
                near.append((mention, parts))
                blank = " " * (mention.end - mention.start)
                rest = rest[: mention.start] + blank + rest[mention.end :]
    others = {parts for _, parts in near}
    return any(
        _is_same(wanted, parts)
        or (len(wanted) == 1 and parts[-1:] == wanted and _label(mention, ground) == "PERSON")
        or (
            set(parts) < set(wanted)
            and not any(set(parts) < set(other) and other != wanted for other in others)
            and _is_short_for(subject, wanted, parts, mention, ground)
        )
        for mention, parts in near
    ) or name_stands_in(subject, rest)  # abbreviated, or as "Italian" for Italy


def _parts(name: str) -> tuple[str, ...]:
    return tuple(_ORDER.get(part, part.removesuffix("th")) for part in name_words(name))


def _is_same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two names have the same words, but for spellings, middle names and "River"."""
    if set(one) == set(other):
        return True
    if len(one) > len(other):
        one, other = other, one
    if set(one) < set(other):
        is_middle = (one[0], one[-1]) == (other[0], other[-1]) and len(one) > 1
        is_regnal = other[: len(one)] == one and one[-1].isdigit()  # "Henry VIII of England"
        return is_middle or is_regnal or set(other) - set(one) <= _GENERIC
    return all(
        a == b or (min(len(a), len(b)) > 4 and fuzz.ratio(a, b) >= ALIKE) or _is_initial(a, b)
        for a, b in zip_longest(one, other, fillvalue="")
    )


def _is_initial(one: str, other: str) -> bool:
    return one[:1] == other[:1] and min(len(one), len(other)) == 1


def _is_short_for(
    subject: str, wanted: tuple[str, ...], parts: tuple[str, ...], mention: Mention, ground: str
) -> bool:
    """Whether a part of a name stands for it: a person's one word, or all but the class word."""
    head = name_words(subject.partition(" of ")[0]) if " of " in subject else wanted[-1:]
    missing = set(wanted) - set(parts)
    if missing <= set(head):  # "Leeds has a university"
        return missing <= {plain(word.text) for word in words(ground)}
    label = _label(mention, ground)
    if len(parts) > 1:  # "the Harbour Bridge", but not "South Wales"
        return parts == wanted[-len(parts) :] and label not in ("GPE", "LOC", "NORP")
    if (
        wanted[0] in _SPECIFIERS
        or is_common(wanted[0])
        or (is_common(wanted[-1]) and label != "PERSON")
    ):
        return False
    return parts[0] == wanted[-1] or (label == "PERSON" and parts[0] == wanted[0])


def _label(mention: Mention, ground: str) -> str:
    return label_of(ground, mention.start, mention.end)
