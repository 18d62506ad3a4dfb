"""Questions about a passage: one for each check-worthy span, as a person would type it."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from pipeline.backends.compact.coreference.references import (
    BESIDE,
    Edit,
    References,
    open_references,
    replacements,
)
from pipeline.backends.compact.coreference.referents import topic_of
from pipeline.backends.compact.questions.phrasing import (
    question_for,
    question_in_place,
    whole_question,
)
from pipeline.backends.compact.text.parsing import Doc, parsed, token_range
from pipeline.backends.compact.text.spans import CITATION, Kind, Mention, mentions
from pipeline.backends.compact.text.words import words
from pipeline.rarr.types import Passage, Query, Span
from pipeline.text.sentences import split_sentences

_MARKS = re.compile(r"\*\*|__|^[^\S\n]*(?:#+\s|[\-•*]\s+|\d+[.)]\s+)", re.MULTILINE)
# "… in 2011.The mill …", "… at sea.3. Loss …": a list or lines that were run together.
_RUN_TOGETHER = re.compile(
    r"(?<=[a-z0-9)])[.!?](?:\d{1,2}\. ?)?(?=[A-Z][a-z])"
    r"|(?<=[a-z)])\d{1,2}\. (?=[A-Z])|(?<=[a-z)])\.\d{1,2}\.?$"
)
# Without a comma "In 1934 Ada Coe" is parsed as a Coe of that number.
_DATED = re.compile(r"(?<=^In \d{4}) (?=[A-Z]|(?:s?he|it|they)\b)")
_JOINED = re.compile(r"\w[-–/] | [-–/]\w")
FEW_WORDS = 9
"""Content words below which a question is given its sentence's other names, for the search."""
MOST_NAMES = 2


class CompactQueryGenerator:
    """One readable question a span; a sentence without a span is asked as a whole.

    Deterministic, so it returns one sample whatever `samples` asks for.
    """

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query]]:
        queries: list[Query] = []
        spans = mentions(passage.text)
        starts = [span.start for span in spans]
        topic = topic_of(passage.text, passage.context)
        references = References(context=passage.context)
        asked: set[str] = set()
        for number, place in enumerate(split_sentences(passage.text)):
            sentence = place.of(passage.text)
            inside = spans[bisect_left(starts, place.start) : bisect_left(starts, place.end)]
            found = replacements(sentence, references)
            beside = [*open_references(sentence, references, kinds=BESIDE)] if number else []
            references.read(sentence)
            statement = Statement(sentence, sorted([*_marks(sentence), *found]))
            if not inside and any(char.isalpha() for char in statement.text):
                queries.append(Query(text=whole_question(statement.longest)))
            named = {m.start for m in inside if m.kind is Kind.NAME}
            for mention in inside:
                about = Span(start=mention.start, end=min(mention.end, place.end))
                question = statement.question(
                    mention, about.start - place.start, about.end - place.start, asked
                )
                asked.add(question.lower())
                # A later sentence that names nothing else is found by the topic alone.
                is_bare = number and named <= {mention.start} and not found
                if is_bare and topic.lower() not in sentence.lower():
                    question = with_names(question, [topic])
                queries.append(Query(text=with_names(question, beside), about=about))
        return [queries]


class Statement:
    """A sentence with its marks left out and its references resolved, and its parse."""

    def __init__(self, sentence: str, edits: Sequence[Edit]) -> None:
        pieces: list[str] = []
        self._moved: list[int] = []
        """Where each character of the sentence stands in the text, and where that ends."""
        length = 0
        for start, end, new in [*edits, (len(sentence), len(sentence) + 1, "")]:
            if start < (at := len(self._moved)):
                continue
            self._moved += range(length, length + start - at + 1)
            length += start - at + len(new)
            self._moved += [length] * (end - start - 1)
            pieces += [sentence[at:start], new]
        self.text = "".join(pieces)
        self._docs = parsed(self.text)

    @property
    def longest(self) -> Doc:
        return max((each.doc for each in self._docs), key=len)

    def question(self, mention: Mention, start: int, end: int, asked: set[str]) -> str:
        """The question for the span at `start` of the sentence; none of `asked`, if it can."""
        start, end = self._moved[start], self._moved[end]
        sentence = next(each for each in reversed(self._docs) if each.start <= start)
        doc, start, end = sentence.doc, start - sentence.start, end - sentence.start
        text = doc.text
        if not (places := token_range(doc, start, end)):
            return whole_question(doc)
        names = [
            each.text for each in mentions(text)
            if each.kind is Kind.NAME and (each.end <= start or each.start >= end)
            and mention.text not in each.text
        ]  # fmt: skip
        ways = [question_for, question_in_place, _whole]
        # The Earth of near-Earth and the 4 of 3-4 are asked for with the whole word.
        if _JOINED.search(text[max(0, start - 2) : start] + " " + text[end : end + 2]):
            ways.reverse()
        for way in ways:
            question = way(doc, places.start, places.stop, mention)
            if sum(word.is_content for word in words(question)) < FEW_WORDS:
                question = with_names(question, names)
            if question.lower() not in asked:
                break
        return question


def _whole(doc: Doc, start: int, end: int, mention: Mention) -> str:
    return whole_question(doc)


def _marks(sentence: str) -> Iterator[Edit]:
    """Citations and the marks of lists and bold words, which no question keeps, and what parts a
    sentence for the parser."""
    for pattern, new in ((CITATION, ""), (_MARKS, ""), (_RUN_TOGETHER, ". "), (_DATED, ", ")):
        for match in pattern.finditer(sentence):
            yield match.start(), match.end(), new


def with_names(question: str, names: Iterable[str]) -> str:
    """A question with names in brackets that it does not say, which a search needs.

    >>> with_names("How many windows are there?", ["Hart Mill"])
    'How many windows are there (Hart Mill)?'
    """
    unsaid = [name for name in dict.fromkeys(names) if name.lower() not in question.lower()]
    added = ", ".join(unsaid[:MOST_NAMES])
    if not added:
        return question
    if question.endswith(")?"):
        return f"{question.removesuffix(')?')}, {added})?"
    return f"{question.removesuffix('?')} ({added})?"
