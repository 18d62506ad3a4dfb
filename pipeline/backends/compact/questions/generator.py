"""Questions about a passage: one for each check-worthy span, as a person would type it."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipeline.backends.compact.coreference.references import (
    References,
    Replacement,
    open_references,
    replacements,
    resolved,
)
from pipeline.backends.compact.coreference.topics import topic_of
from pipeline.backends.compact.questions.phrasing import (
    question_for,
    question_in_place,
    whole_question,
)
from pipeline.backends.compact.questions.tagging import Token, tokens_of
from pipeline.backends.compact.text.spans import CITATION, Kind, Mention, mentions
from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import Passage, Query, Span

_MARKS = re.compile(r"\*\*|__|^[^\S\n]*(?:#+\s|[\-•*]\s+|\d+[.)]\s+)", re.MULTILINE)

MOST_TOKENS = 100
"""Tokens that a question is made of: a longer sentence is a list, and asked for in part."""


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
        references = References(context=passage.context)
        asked: set[str] = set()
        starts = [span.start for span in spans]
        for number, place in enumerate(self._splitter.split(passage.text)):
            sentence = place.of(passage.text)
            inside = [
                replace(m, start=m.start - place.start, end=min(m.end, place.end) - place.start)
                for m in spans[bisect_left(starts, place.start) : bisect_left(starts, place.end)]
            ]
            found = replacements(sentence, references)
            spelled = [_moved(mention, found) for mention in inside]
            full = resolved(_unmarked(sentence), found)
            tokens = tokens_of(full, _with_names(full, spelled))
            left_open = next(open_references(sentence, references), "") if number else ""
            references.read(sentence)
            if not inside and any(token.text[0].isalnum() for token in tokens):
                queries.append(Query(text=whole_question(tokens[:MOST_TOKENS])))
            named = {m.start for m in inside if m.kind is Kind.NAME}
            is_own = not found
            own = {id(moved): mention for moved, mention in zip(spelled, inside, strict=True)}
            for at, moved in _asked_spans(tokens, spelled):
                mention = own[id(moved)]
                around, place_around = _around(tokens, at)
                question = question_for(around, place_around)
                if question.lower() in asked:
                    question = question_in_place(around, place_around)
                asked.add(question.lower())
                # A later sentence that names nothing else is found by the topic alone, and what
                # the Prince of Wales opened by what "it" is.
                if number and is_own and named <= {mention.start}:
                    question = with_topic(question, sentence, topic)
                elif is_own:
                    question = with_topic(question, sentence, left_open)
                about = Span(start=place.start + mention.start, end=place.start + mention.end)
                queries.append(Query(text=question, about=about))
        return [queries]


def _asked_spans(
    tokens: Sequence[Token], inside: Sequence[Mention]
) -> Iterator[tuple[int, Mention]]:
    """(place among the tokens, span) of each span of the sentence itself."""
    own = {id(mention): mention for mention in inside}
    for at, token in enumerate(tokens):
        if mention := own.get(id(token.mention)):
            yield at, mention


def _moved(mention: Mention, found: Sequence[Replacement]) -> Mention:
    """The span where it stands after the replacements."""
    added = within = 0
    for each in found:
        grown = len(each.text) - (each.end - each.start)
        if each.end <= mention.start:
            added += grown
        elif each.start < mention.end:
            within += grown
    return replace(mention, start=mention.start + added, end=mention.end + added + within)


def _with_names(full: str, spelled: Sequence[Mention]) -> list[Mention]:
    """The spans, and the names that the replacements put in between."""
    taken = {place for each in spelled for place in range(each.start, each.end)}
    new = [m for m in mentions(full) if not taken & set(range(m.start, m.end))]
    return sorted([*spelled, *new], key=lambda mention: mention.start)


def _around(tokens: Sequence[Token], at: int) -> tuple[Sequence[Token], int]:
    """The tokens of a sentence that a question about `tokens[at]` is made of, and its place."""
    first = max(0, min(at - MOST_TOKENS // 2, len(tokens) - MOST_TOKENS))
    return tokens[first : first + MOST_TOKENS], at - first


def _unmarked(sentence: str) -> str:
    """The sentence with spaces for its citation and list marks, so that places stay."""
    for pattern in (CITATION, _MARKS):
        sentence = pattern.sub(lambda match: " " * len(match.group()), sentence)
    return sentence


def with_topic(question: str, sentence: str, topic: str) -> str:
    """A later sentence's question with the passage's topic, if it says nothing of it.

    >>> with_topic("How many windows are there?", "There are 12 windows.", "Hart Mill")
    'How many windows are there (Hart Mill)?'
    """
    if not topic or topic.lower() in question.lower() or topic.lower() in sentence.lower():
        return question
    return f"{question.removesuffix('?')} ({topic})?"
