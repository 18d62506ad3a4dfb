"""Questions about a passage: one for each check-worthy span, as a person would type it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pipeline.backends.compact.coreference.references import (
    References,
    open_references,
    replacements,
)
from pipeline.backends.compact.coreference.topics import topic_of
from pipeline.backends.compact.questions.phrasing import (
    question_for,
    question_in_place,
    whole_question,
)
from pipeline.backends.compact.text.parsing import parsed
from pipeline.backends.compact.text.spans import CITATION, Kind, Mention, mentions
from pipeline.backends.compact.text.words import STOPWORDS
from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import Passage, Query, Span

if TYPE_CHECKING:
    from spacy.tokens import Doc

_MARKS = re.compile(r"\*\*|__|^[^\S\n]*(?:#+\s|[\-•*]\s+|\d+[.)]\s+)", re.MULTILINE)
# "… in 2011.The mill …", "… at sea.3. Loss …": a list or lines that were run together.
_RUN_TOGETHER = re.compile(
    r"(?<=[a-z0-9)])[.!?](?:\d{1,2}\. ?)?(?=[A-Z][a-z])"
    r"|(?<=[a-z)])\d{1,2}\. (?=[A-Z])|(?<=[a-z)])\.\d{1,2}\.?$"
)
_NAMES = frozenset({"PERSON", "ORG", "GPE", "LOC", "FAC", "EVENT", "WORK_OF_ART", "PRODUCT"})
FEW_WORDS = 9
"""Content words below which a question is given its sentence's other names, for the search."""
MOST_NAMES = 2
_JOINS = "-–/"

Edit = tuple[int, int, str]
"""Characters of a sentence, and what is put in their place."""


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
        starts = [span.start for span in spans]
        topic = topic_of(passage.text, passage.context)
        references = References(context=passage.context)
        asked: set[str] = set()
        for number, place in enumerate(self._splitter.split(passage.text)):
            sentence = place.of(passage.text)
            inside = spans[bisect_left(starts, place.start) : bisect_left(starts, place.end)]
            found = [
                (each.start, each.end, each.text) for each in replacements(sentence, references)
            ]
            left_open = next(open_references(sentence, references), "") if number else ""
            references.read(sentence)
            statement = Statement(sentence, sorted([*_marks(sentence), *found]))
            if not inside and any(char.isalpha() for char in statement.text):
                queries.append(Query(text=whole_question(statement.longest)))
            named = {m.start for m in inside if m.kind is Kind.NAME}
            for mention in inside:
                end = min(mention.end, place.end)
                question = statement.question(mention, mention.start - place.start,
                                              end - place.start, asked)  # fmt: skip
                asked.add(question.lower())
                # A later sentence that names nothing else is found by the topic alone, and what
                # the Prince of Wales opened by what "it" is.
                if number and not found and named <= {mention.start}:
                    question = with_topic(question, sentence, topic)
                elif not found:
                    question = with_topic(question, sentence, left_open)
                queries.append(Query(text=question, about=Span(start=mention.start, end=end)))
        return [queries]


class Statement:
    """A sentence with its marks left out and its references resolved, and its parse."""

    def __init__(self, sentence: str, edits: Sequence[Edit]) -> None:
        pieces, at = [], 0
        self._edges: list[int] = [0]
        self._moved: list[int] = [0]
        length = 0
        for start, end, new in edits:
            if start < at:
                continue
            pieces += [sentence[at:start], new]
            length += start - at
            self._edges += [start, end]
            self._moved += [length, length + len(new)]
            length += len(new)
            at = end
        self.text = "".join([*pieces, sentence[at:]])
        self._docs = parsed(self.text)

    @property
    def longest(self) -> "Doc":
        return max((each.doc for each in self._docs), key=len)

    def moved(self, place: int) -> int:
        """Where a character of the sentence stands in the text."""
        at = bisect_right(self._edges, place) - 1
        if at % 2:  # inside an edit
            return self._moved[at] if self._edges[at] == place else self._moved[at + 1]
        return self._moved[at] + place - self._edges[at]

    def question(self, mention: Mention, start: int, end: int, asked: set[str]) -> str:
        """The question for the span at `start` of the sentence; none of `asked`, if it can."""
        start, end = self.moved(start), self.moved(end)
        for each in reversed(self._docs):
            if each.start <= start:
                doc = each.doc
                start, end = start - each.start, end - each.start
                break
        ends = [token.idx + len(token) for token in doc]
        first = bisect_right(ends, start)
        last = bisect_left([token.idx for token in doc], end)
        if first >= last:
            return whole_question(doc)
        ways = [question_for, question_in_place, _whole]
        if _is_joined(doc.text, start, end):
            ways.reverse()
        for way in ways:
            question = with_names(way(doc, first, last, mention), doc, first, last)
            if question.lower() not in asked:
                break
        return question


def _whole(doc: "Doc", start: int, end: int, mention: Mention) -> str:
    return whole_question(doc)


def with_names(question: str, doc: "Doc", first: int, last: int) -> str:
    """A short question with the first other names of its sentence, which a search needs."""
    words = (word.strip("?(),\"'").lower() for word in question.split())
    if sum(bool(word) and word not in STOPWORDS for word in words) >= FEW_WORDS:
        return question
    names: dict[str, None] = {}
    for ent in doc.ents:
        name = re.sub(r"^[Tt]he |['’]s$", "", ent.text)
        is_other = ent.end <= first or ent.start >= last
        if is_other and ent.label_ in _NAMES and name not in question:
            names[name] = None
    added = [name for name in names if doc[first:last].text not in name][:MOST_NAMES]
    return f"{question.removesuffix('?')} ({', '.join(added)})?" if added else question


def _is_joined(text: str, start: int, end: int) -> bool:
    """Whether a span is part of a longer word: the Earth of near-Earth, the 4 of 3-4."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if before[-1:] and before[-1] in _JOINS and before[:1].isalnum():
        return True
    return bool(after[:1]) and after[0] in _JOINS and after[1:2].isalnum()


def _marks(sentence: str) -> Iterator[Edit]:
    """Citations and the marks of lists and bold words, which no question keeps."""
    for pattern in (CITATION, _MARKS):
        for match in pattern.finditer(sentence):
            yield match.start(), match.end(), ""
    for match in _RUN_TOGETHER.finditer(sentence):
        yield match.start(), match.end(), ". "


def with_topic(question: str, sentence: str, topic: str) -> str:
    """A later sentence's question with the passage's topic, if it says nothing of it.

    >>> with_topic("How many windows are there?", "There are 12 windows.", "Hart Mill")
    'How many windows are there (Hart Mill)?'
    """
    if not topic or topic.lower() in question.lower() or topic.lower() in sentence.lower():
        return question
    if question.endswith(")?"):
        return f"{question.removesuffix(')?')}, {topic})?"
    return f"{question.removesuffix('?')} ({topic})?"
