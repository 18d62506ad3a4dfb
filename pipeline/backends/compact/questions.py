"""Questions about a passage: one for each check-worthy span, asking for it in its place."""

import re
from collections.abc import Sequence

from pipeline.backends.compact.names import sort_of_name
from pipeline.backends.compact.spans import CITATION, Kind, Mention, mentions
from pipeline.backends.compact.topics import topic_of, with_subject
from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import Passage, Query, Span

_INITIAL = re.compile(
    r"(?P<lead>(?:in|on|by|since|during|from|until|around|at|after|before)(?:\s+(?:the|about|early|late|mid))*)\s+$",
    re.IGNORECASE,
)
_MARKS = re.compile(r"\*\*|__|^[\-•*]\s+|^\d+\.\s+")
_HOLE = "\ue000"  # a private character that no text has


class CompactQueryGenerator:
    """One readable question a span; a sentence without a span is asked as a whole.

    Deterministic, so it returns one sample whatever `samples` asks for.
    """

    def __init__(self, splitter: SentenceSplitter) -> None:
        self._splitter = splitter

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query]]:
        queries: list[Query] = []
        spans = mentions(passage.text)
        topic = topic_of(passage.text, passage.context)
        for number, place in enumerate(self._splitter.split(passage.text)):
            sentence = place.of(passage.text)
            inside = [m for m in spans if place.start <= m.start < place.end]
            about = topic if number else topic_of("", passage.context)
            named = {m.start for m in inside if m.kind is Kind.NAME}
            for mention in inside:
                # A sentence with a name of its own is found by that name.
                needed = bool(number) and not named - {mention.start}
                asked = question_about(sentence, mention, offset=place.start, topic=about)
                queries.append(
                    Query(
                        text=with_topic(asked, sentence, about if needed else ""),
                        about=Span(start=mention.start, end=mention.end),
                    )
                )
            if not inside and any(c.isalnum() for c in _clean(sentence)):
                queries.append(Query(text=_whole(with_subject(sentence, about))))
        return [queries]


def with_topic(question: str, sentence: str, topic: str) -> str:
    """A later sentence that names no topic is asked "About <topic>": it must be found alone."""
    if not topic or topic.lower() in question.lower() or topic.lower() in sentence.lower():
        return question
    return f"About {topic}: {question}"


def question_about(sentence: str, mention: Mention, *, offset: int, topic: str) -> str:
    """The sentence as a question for one of its spans, the question word in the span's place."""
    start, end = mention.start - offset, min(mention.end - offset, len(sentence))
    lead = sentence[:start]
    holed = with_subject(lead + _HOLE + sentence[end:], topic)
    lead, rest = holed.split(_HOLE, 1)
    asked, lead, rest = _asking(mention, lead, rest)
    lead, rest = _clean(lead), _clean(rest)
    initial = _INITIAL.fullmatch(lead.lstrip())
    if initial and rest.startswith(", ") and len(rest) > 20:
        # "In 1889, the tower opened" reads better as "The tower opened in what year".
        body = rest[2:].rstrip(" .!?;:,")
        body = body[:1].upper() + body[1:]
        return f"{body} {initial['lead'].lower()} {asked}?"
    body = (lead + asked + rest).strip().rstrip(" .!?;:,")
    return body[:1].upper() + body[1:] + "?"


def _asking(mention: Mention, lead: str, rest: str) -> tuple[str, str, str]:
    """The question words for a span, and what is left before and after it."""
    noun_follows = bool(re.match(r"\s+[a-z]{3,}", rest))
    if mention.kind is Kind.YEAR:
        decade = mention.date is not None and mention.date.is_decade
        noun = "decade" if decade else "year"
        article = re.search(r"\b(?:a|an|the|its|his|her)\s+$", lead, re.IGNORECASE)
        if article and noun_follows and not decade:
            return f"which {noun}'s", lead[: article.start()], rest
        return f"what {noun}", re.sub(r"\bthe\s+$", "", lead), rest
    if mention.kind is Kind.DATE:
        day = mention.date is not None and mention.date.day is not None
        return ("what date" if day else "what month and year"), lead, rest
    if mention.kind is Kind.TITLE:
        return "which title", lead.rstrip("\"'“‘"), rest.lstrip("\"'”’")
    if mention.kind is Kind.NAME:
        return _asking_name(mention, lead), lead, rest
    quantity = mention.quantity
    if quantity is None or quantity.form == "cardinal":
        if mention.unit and (noun_follows or rest.startswith("-")):
            return "how many", lead, rest
        return "what number", lead, rest
    if quantity.form == "money":
        return "how much money", lead, rest
    if quantity.form == "percent":
        return "what percentage", lead, rest
    return "which number in order (first, second, …)", re.sub(r"\bthe\s+$", "", lead), rest


def _asking_name(mention: Mention, lead: str) -> str:
    before = re.search(r"(\w+)\s+$", lead)
    word = before.group(1).lower() if before else ""
    if sort_of_name(mention.text) == "people":
        return "which nationality, people or language"
    if word in ("in", "at", "near", "from", "to", "into", "outside", "across"):
        return "which place or organisation"
    if word in ("by", "with", "and") or not lead.strip():
        return "who or what"
    return "which name"


def _clean(text: str) -> str:
    text = CITATION.sub("", _MARKS.sub("", text))
    return re.sub(r"\s+", " ", text)


def _whole(sentence: str) -> str:
    body = _clean(sentence).strip().rstrip(" .!?;:")
    first = body.split(" ", 1)[0]
    keeps_capital = (len(first) > 1 and first.isupper()) or first in ("I",)
    named = mentions(body)
    if not keeps_capital and not (named and named[0].start == 0 and not named[0].is_weak):
        body = body[:1].lower() + body[1:]
    return f"Is it true that {body}?"
