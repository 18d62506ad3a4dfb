"""An item as its page displays it: sentences, evidence and questions, with their answers."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from typing import Any

from annotation.models import Item, Judgment
from annotation.questionnaires.types import Criterion, Questionnaire
from pipeline.diff.words import Piece, PieceKind, word_diff
from pipeline.metrics.citation_marks import cited
from rarrweb.web.addresses import web_address

MIN_REPEATED_SHARE = 0.4
"""Of a snippet's characters; the page marks no smaller share."""
MIN_REPEATED_LENGTH = 30
"""Characters of a part that counts as repeated; shorter ones are equal by chance."""
SITE_NAME = re.compile(r"\s[-–—|·]\s[^-–—|·]+$")
"""The end of a title that names the site."""
DOCUMENT_ID = re.compile(r"\S+#\d+")
"""A title that is only the docid of a HAGRID quote."""
SHORTEST_LAST_WORD = 5
"""Minimum characters of a title's last word to end a sentence; "Dr." is too short."""

Judgments = Mapping[tuple[str, int], Judgment]
"""(criterion, target) to judgment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemQuestion:
    """One criterion about one target."""

    criterion: Criterion
    target: int
    judgment: Judgment | None

    @property
    def key(self) -> str:
        """Such as "informative-0"."""
        return f"{self.criterion.name}-{self.target}"

    @property
    def value(self) -> int | None:
        return self.judgment.value if self.judgment else None

    @property
    def text(self) -> str:
        return self.judgment.text if self.judgment else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    number: int
    """The evidence's number on the page, from 1."""
    question: ItemQuestion | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence and the white space before it."""

    space_before: str
    text: str
    number: int
    questions: tuple[ItemQuestion, ...] = ()
    citations: tuple[Citation, ...] = ()
    missing_sources: tuple[int, ...] = ()
    """Cited numbers that no snippet has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    title: str
    text: str
    number: int
    """As the passage cites it, else its position, from 1."""
    source: str
    """A web address, or empty."""
    host: str
    question: ItemQuestion | None
    """Whether the snippet is useful; None where that is not asked."""
    repeats: int | None = None
    """The number of an earlier snippet with much of the same text."""
    parts: tuple[tuple[str, bool], ...] = ()
    """The text in parts, each with whether `repeats` has it too; empty without `repeats`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """A sentence of passage A next to its counterpart in passage B."""

    a: str
    b: str
    a_pieces: tuple[Piece, ...]
    """A, with what B lacks marked as removed."""
    b_pieces: tuple[Piece, ...]
    """B, with what A lacks marked as added."""


def questions_of(
    item: Item, questionnaire: Questionnaire, judgments: Judgments
) -> list[ItemQuestion]:
    """The questions, in the order of criteria and targets."""
    return [
        ItemQuestion(
            criterion=criterion, target=target, judgment=judgments.get((criterion.name, target))
        )
        for criterion in questionnaire.criteria
        for target in criterion.displayed_targets(item)
    ]


def sentences_of(item: Item, questions: Sequence[ItemQuestion]) -> list[Sentence]:
    """The sentences of the passage with their questions and citations."""
    sentence_questions: dict[int, list[ItemQuestion]] = defaultdict(list)
    citation_questions: dict[int, ItemQuestion] = {}
    for question in questions:
        if question.criterion.targets == "sentences":
            sentence_questions[question.target].append(question)
        elif question.criterion.targets == "citations":
            citation_questions[question.target] = question
    numbers = _evidence_numbers(item)
    citations: dict[int, list[Citation]] = defaultdict(list)
    for target, citation in enumerate(item.citations):
        number = numbers[citation["evidence"]]
        citations[citation["sentence"]].append(
            Citation(number=number, question=citation_questions.get(target))
        )
    sentences = []
    end = 0
    for index, offsets in enumerate(item.sentences):
        start = offsets["start"]
        text = item.text[start : offsets["end"]]
        sentences.append(
            Sentence(
                space_before=item.text[end:start],
                text=text,
                number=index + 1,
                questions=tuple(sentence_questions[index]),
                citations=tuple(citations[index]),
                missing_sources=tuple(each for each in cited(text) if each not in numbers),
            )
        )
        end = offsets["end"]
    return sentences


def snippets_of(item: Item, questions: Sequence[ItemQuestion]) -> list[Snippet]:
    """The evidence, without titles at the beginning of texts."""
    numbers = _evidence_numbers(item)
    ratings = {each.target: each for each in questions if each.criterion.targets == "evidence"}
    return with_repeats(
        [
            Snippet(
                title=evidence["title"],
                text=evidence["text"],
                number=numbers[index],
                source=evidence["source"],
                host=evidence["host"],
                question=ratings.get(index),
            )
            for index, evidence in enumerate(map(displayed_evidence, item.evidence))
        ]
    )


def _evidence_numbers(item: Item) -> list[int]:
    return [each.get("number", index) for index, each in enumerate(item.evidence, start=1)]


def displayed_evidence(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Cut the title from the text's beginning; add `source` and `host` of the URL, or ""."""
    source, host = web_address(evidence["url"])
    title = "" if DOCUMENT_ID.fullmatch(evidence["title"]) else evidence["title"]
    text = _without_title(evidence["text"], title)
    return {**evidence, "title": title, "text": text, "source": source, "host": host}


def _without_title(text: str, title: str) -> str:
    """Remove a first line or sentence that is the title, or the title without the site's name."""
    body = text.lstrip()
    titles = {title.strip().casefold(), SITE_NAME.sub("", title).strip().casefold()} - {""}
    first, _, rest = body.partition("\n")
    line = first.strip("# \r").casefold()
    if rest.strip() and titles & {line, line.removesuffix(".")}:
        return rest.lstrip()
    for each in titles:
        sentence = f"{each}. "
        rest = body[len(sentence) :]
        ends_sentence = len(each.split()[-1]) >= SHORTEST_LAST_WORD
        if ends_sentence and rest and body[: len(sentence)].casefold() == sentence:
            return rest
    return text


def with_repeats(snippets: Sequence[Snippet]) -> list[Snippet]:
    """Mark text that an earlier snippet of the same document has, as snippets overlap."""
    marked: list[Snippet] = []
    for snippet in snippets:
        document = (snippet.title, snippet.source)
        compared = [
            (_parts(each.text, snippet.text), each.number)
            for each in marked
            if any(document) and (each.title, each.source) == document
        ]
        parts, number = max(compared, key=lambda pair: _repeated_length(pair[0]), default=((), 0))
        repeated = _repeated_length(parts)
        if repeated and repeated >= MIN_REPEATED_SHARE * len(snippet.text):
            snippet = replace(snippet, repeats=number, parts=parts)
        marked.append(snippet)
    return marked


def _parts(earlier: str, text: str) -> tuple[tuple[str, bool], ...]:
    """Split `text` into parts, each with whether `earlier` has it too."""
    pieces = [
        (each.text, each.kind is PieceKind.SAME and len(each.text) >= MIN_REPEATED_LENGTH)
        for each in word_diff(earlier, text)
        if each.kind is not PieceKind.REMOVED
    ]
    return tuple(
        ("".join(piece for piece, _ in run), in_earlier)
        for in_earlier, run in groupby(pieces, key=lambda pair: pair[1])
    )


def _repeated_length(parts: Sequence[tuple[str, bool]]) -> int:
    return sum(len(text) for text, in_earlier in parts if in_earlier)


def side_by_side(item: Item) -> list[ComparisonRow]:
    """Passages A and B aligned by sentence, with their differences by word.

    Equal sentences are anchors; sentences between two anchors are paired in order.
    """
    first = [item.text[each["start"] : each["end"]] for each in item.sentences]
    second = [item.second_text[each["start"] : each["end"]] for each in item.second_sentences]
    return [_row(a, b) for a, b in _aligned(first, second)]


def _row(a: str, b: str) -> ComparisonRow:
    pieces = word_diff(a, b)
    return ComparisonRow(
        a=a,
        b=b,
        a_pieces=tuple(piece for piece in pieces if piece.kind is not PieceKind.ADDED),
        b_pieces=tuple(piece for piece in pieces if piece.kind is not PieceKind.REMOVED),
    )


def _aligned(first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of sentences in order; "" where one side has none."""
    pairs: list[tuple[str, str]] = []
    unmatched: list[str] = []
    start = 0
    for sentence in first:
        if sentence not in second[start:]:
            unmatched.append(sentence)
            continue
        match = second.index(sentence, start)
        pairs += zip_longest(unmatched, second[start:match], fillvalue="")
        pairs.append((sentence, sentence))
        unmatched, start = [], match + 1
    pairs += zip_longest(unmatched, second[start:], fillvalue="")
    return pairs
