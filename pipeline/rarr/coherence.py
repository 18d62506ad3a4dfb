"""Coherence after an edit (Figure 7e): sentences that still rely on a value that was changed.

RARR edits one place at a time. What stood elsewhere because of the old value stays: the value
said once more ("since 1902"), a number worked out from it ("over 160 years"), a conclusion, a
surname. This module names such sentences and changes nothing. It asks no model, and would rather
miss one than raise a false alarm: a year that evidence agreed with is never doubted.
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Postfix, Prefix

from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import (
    EditOutcome,
    Incoherence,
    Reliance,
    Span,
    TraceStep,
    Verdict,
)

LONGEST = 8
"""Words. What replaces more is a new sentence, not a new value."""
MOST_PAIRS = 60_000
"""Pairs of equal words that difflib may look at; its time grows with them."""
PRESENT = (1980, 2050)
"""Years in which somebody may have written "for N years" and meant "until today"."""
LEAST_SHIFT = 5
"""Years that a date must have moved before a rounded duration stops being true of it."""

_WORD = re.compile(r"\w+(?:[.,:'’\-–]\w+)*|[^\w\s]")
_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w])|(?<![\w.,])\d+(?:\.\d+)?(?![\w])")
_YEAR = re.compile(r"(?<![\w,.])(?:1\d|20)\d\d(?![\w])(?!,\d)")
_DURATION = re.compile(
    r"(?<![\w.,])(?P<number>\d{1,4})[ \-](?:years?\b|year-old)"
    r"|\b(?:aged?|at the age of|age of)\s(?P<age>\d{1,3})\b",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"^\W*(?:therefore|thus|hence|consequently|accordingly|as a result|it follows that|"
    r"this means|that means|so,|for this reason|because of this)\b",
    re.IGNORECASE,
)
_TOTALS = re.compile(
    r"\b(?:in total|a total of|altogether|all told|combined|sum of|adds? up to|difference of|"
    r"makes? a total|twice|half)\b",
    re.IGNORECASE,
)
_SMALL = {"of", "the", "de", "da", "la", "le", "van", "von", "and", "&", "-", "–", "."}
_HE = ({"king", "lord", "mr", "sir", "prince", "duke", "emperor"}, {"he", "his", "him"})
_SHE = (
    {"queen", "lady", "mrs", "ms", "miss", "princess", "duchess", "empress"},
    {"she", "her", "hers"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One value that a kept edit put in another's place, and still stands in y."""

    old: str
    new: str
    at: int
    """Where the new value begins in y."""
    follower: str
    """The word after the value: what a number counts."""


def find_incoherences(
    text: str, trace: Sequence[TraceStep], *, splitter: SentenceSplitter
) -> tuple[Incoherence, ...]:
    """The sentences of `text` (y) that rely on a value which the trace's kept edits replaced.

    In the order of the text; of each sentence the first reason that is found.
    """
    changes = tuple(find_changes(trace, text))
    if not changes:
        return ()
    sentences = [span for span in splitter.split(text) if span.of(text).strip()]
    doubted: dict[Span, Incoherence] = {}
    for change in changes:
        home = next((s for s in sentences if s.start <= change.at < s.end), None)
        if home is None:
            continue
        later = sentences[sentences.index(home) + 1 :]
        for place, span in enumerate(later):
            if span in doubted or _is_in(change.new, span.of(text)):
                continue
            found = _doubt(change, span.of(text), text, is_next=place == 0, trace=trace)
            if found is None:
                continue
            was_edited = any(span.start <= other.at < span.end for other in changes)
            if was_edited and found[0] is Reliance.CONCLUDED:
                continue  # the conclusion was looked at, and edited itself
            doubted[span] = Incoherence(
                span=span, reliance=found[0], reason=found[1], old=change.old, new=change.new
            )
    return tuple(doubted[span] for span in sentences if span in doubted)


def find_changes(trace: Sequence[TraceStep], text: str) -> Iterator[Change]:
    """The replaced values of the kept edits, as far as the new ones still stand in `text`."""
    kept = [step for step in trace if step.edit_outcome is EditOutcome.KEPT]
    for number, step in enumerate(kept):
        for old, new, at, follower in find_replacements(step.text_before, step.text_after):
            place: int | None = at
            for later in kept[number + 1 :]:
                place = _moved(place, len(new), later.text_before, later.text_after)
            if place is not None and text[place : place + len(new)] == new:
                yield Change(old=old, new=new, at=place, follower=follower)


def find_replacements(before: str, after: str) -> Iterator[tuple[str, str, int, str]]:
    """(old, new, place of the new, word after it) of each stretch of words that was exchanged."""
    ours, theirs = list(_WORD.finditer(before)), list(_WORD.finditer(after))
    old_words, new_words = [w.group() for w in ours], [w.group() for w in theirs]
    head, tail = _same_ends(old_words, new_words)
    old_words, new_words = old_words[head : len(ours) - tail], new_words[head : len(theirs) - tail]
    counts = Counter(new_words)
    if sum(counts[word] for word in old_words) > MOST_PAIRS:
        return  # a text that was written anew
    same = difflib.SequenceMatcher(None, old_words, new_words, autojunk=False)
    for kind, *places in same.get_opcodes():
        a, b, c, d = (head + place for place in places)
        if kind != "replace" or max(b - a, d - c) > LONGEST:
            continue
        old = before[ours[a].start() : ours[b - 1].end()]
        new = after[theirs[c].start() : theirs[d - 1].end()]
        follower = theirs[d].group() if d < len(theirs) else ""
        yield old, new, theirs[c].start(), follower


def _moved(place: int | None, length: int, before: str, after: str) -> int | None:
    """Where a stretch of `before` lies in `after`; None where it was changed."""
    if place is None:
        return None
    head, tail = _same_ends(before, after)
    if place + length <= head:
        return place
    if place >= len(before) - tail:
        return place + len(after) - len(before)
    return None


def _same_ends(ours: Sequence[str], theirs: Sequence[str]) -> tuple[int, int]:
    """How much the two have in common at their beginning, and behind that at their end.

    >>> _same_ends("abcd", "abxd")
    (2, 1)
    """
    head = Prefix.similarity(ours, theirs)
    return head, Postfix.similarity(ours[head:], theirs[head:])


def _doubt(
    change: Change, sentence: str, text: str, *, is_next: bool, trace: Sequence[TraceStep]
) -> tuple[Reliance, str] | None:
    """Why the sentence relies on the old value, if it does."""
    told = f"“{change.old}” was changed to “{change.new}” before"
    repeated = _repeated(change, sentence)
    if repeated and not _is_agreed(repeated, trace):
        return Reliance.REPEATED, f"{told}, and this sentence still says “{repeated}”."
    computed = _computed(change, sentence, text)
    if computed:
        return Reliance.COMPUTED, f"{told}, and “{computed}” fits the old value alone."
    pronoun = _left_behind(change, sentence) if is_next else ""
    if pronoun:
        return Reliance.PRONOUN, f"{told}, and this sentence goes on with “{pronoun}”."
    if is_next and _CONCLUDES.match(sentence):
        return Reliance.CONCLUDED, f"{told}, and this sentence draws a conclusion from it."
    return None


# ---- The value said once more -------------------------------------------------------------------
def _repeated(change: Change, sentence: str) -> str:
    """The old value, or the end of an old name, as the sentence says it; "" where it does not."""
    old = change.old
    if _YEAR.fullmatch(old):
        return old if _is_in(old, sentence) else ""
    if _NUMBER.fullmatch(old):
        counted = change.follower
        if not counted.isalpha() or len(counted) < 3:
            return ""
        again = re.search(
            rf"(?<![\w.,]){re.escape(old)}[ \-]{re.escape(counted)}\b", sentence, re.IGNORECASE
        )
        return again.group() if again else ""
    if not (_is_name(old) and _is_name(change.new)):
        return ""
    last = old.split()[-1]
    kin = {word.casefold() for word in change.new.split()}
    names = [old]
    if " " in old and len(last) >= 4 and last.casefold() not in kin:
        names.append(last)
    for name in names:
        # In another role the name may be meant as it stands: "and died in Paris".
        if re.match(rf"\W*{re.escape(name)}(?!\w)", sentence):
            return name
        if re.search(rf"(?<!\w){re.escape(name)}['’]s?(?!\w)", sentence):
            return name
    return ""


def _is_name(text: str) -> bool:
    parts = [word for word in text.split() if word.casefold() not in _SMALL]
    is_capital = all(word[:1].isupper() for word in parts)
    return bool(parts) and is_capital and not any(letter.isdigit() for letter in text)


def _is_in(value: str, sentence: str) -> bool:
    return re.search(rf"(?<![\w.,]){re.escape(value)}(?!\w)", sentence) is not None


def _is_agreed(value: str, trace: Sequence[TraceStep]) -> bool:
    """Whether some evidence agreed with the value elsewhere in the passage."""
    return any(
        step.agreement is not None
        and step.agreement.verdict is Verdict.AGREES
        and _is_in(value, step.agreement.passage_answer)
        for step in trace
    )


# ---- A number worked out from the value ---------------------------------------------------------
def _computed(change: Change, sentence: str, text: str) -> str:
    """The words whose number follows from the old value and not from the new one."""
    old, new = _value(change.old), _value(change.new)
    if old is None or new is None or old == new:
        return ""
    if _YEAR.fullmatch(change.old) and _YEAR.fullmatch(change.new):
        years = {float(found.group()) for found in _YEAR.finditer(text)}
        for found in _DURATION.finditer(sentence):
            length = float(found["number"] or found["age"])
            if _spans(old, new, length, years - {new}):
                return found.group()
        return ""
    if not (_TOTALS.search(sentence) or _CONCLUDES.match(sentence)):
        return ""
    others = [n for n in _numbers(text) if n not in {old, new}]
    for found in _NUMBER.finditer(sentence):
        number = _value(found.group())
        if number is None or number < 10 or number in {old, new}:
            continue
        rest = [n for n in others if n != number]
        if _follows(number, old, rest) and not _follows(number, new, rest):
            return found.group()
    return ""


def _spans(old: float, new: float, length: float, years: set[float]) -> bool:
    """Whether a duration leads from the old year to another one, and not from the new year."""
    if length < 2 or any(abs(year - new) == length for year in years):
        return False
    if any(abs(year - old) == length for year in years - {old}):
        return True
    first, last = PRESENT
    until_today = first <= old + length <= last and not any(year > old for year in years)
    return until_today and abs(new - old) > max(LEAST_SHIFT, 0.1 * length)


def _follows(number: float, value: float, others: Sequence[float]) -> bool:
    """Whether a number is a sum, difference or product of the value and one of the others."""
    made = {2 * value, value / 2}
    for other in others:
        made |= {value + other, abs(value - other), value * other}
    return number in made


def _numbers(text: str) -> list[float]:
    found = (_value(each.group()) for each in _NUMBER.finditer(text))
    return [number for number in found if number is not None]


def _value(text: str) -> float | None:
    return float(text.replace(",", "")) if _NUMBER.fullmatch(text) else None


# ---- A pronoun left behind ----------------------------------------------------------------------
def _left_behind(change: Change, sentence: str) -> str:
    """The pronoun at the sentence's head that meant the old name and cannot mean the new one."""
    head = re.match(r"\W*(\w+)", sentence)
    if head is None:
        return ""
    for (own, _), (other, pronouns) in ((_SHE, _HE), (_HE, _SHE)):
        titles = {word.strip(".").casefold() for word in change.new.split()}
        before = {word.strip(".").casefold() for word in change.old.split()}
        if titles & own and before & other and head[1].casefold() in pronouns:
            return head[1]
    return ""
