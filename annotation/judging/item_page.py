"""An item as its page displays it: sentences, evidence and questions, with their answers."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from typing import Any

from annotation.models import Item, Judgment
from annotation.questionnaires.types import Criterion, Level, Questionnaire
from pipeline.diff.words import Piece, PieceKind, word_diff
from pipeline.metrics.citation_marks import cited
from rarrweb.web.addresses import web_address

LEAST_REPEATED = 0.4
"""The share of a snippet that must occur in another one for the page to mark it."""
SHORTEST_REPEATED = 30
"""Characters in a row; shorter runs are equal by chance."""
SITE_NAME = re.compile(r"\s[-–—|·]\s[^-–—|·]+$")
"""What follows a page's name in its title."""
SHORTEST_LAST_WORD = 5
"""Characters of a word whose full stop surely ends a sentence."""
LONGEST_UNFOLDED = 3
"""Sentences of an equal stretch that cannot be folded."""

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
    def levels_best_first(self) -> tuple[Level, ...]:
        """The best level first, as key 1."""
        return self.criterion.levels[::-1]

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
    snippet: "Snippet"
    question: ItemQuestion | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence and the white space before it."""

    gap: str
    text: str
    number: int
    judgment: Judgment | None
    """Of the first criterion about sentences."""
    questions: tuple[ItemQuestion, ...] = ()
    citations: tuple[Citation, ...] = ()
    missing: tuple[int, ...] = ()
    """Cited numbers that no source has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    title: str
    text: str
    number: int
    """As the text cites it, else its position, from 1."""
    source: str
    """A web address, or empty."""
    host: str
    judgment: Judgment | None
    repeats: int | None = None
    """The number of an earlier snippet of the same document with much of the same text."""
    stretches: tuple[tuple[str, bool], ...] = ()
    """The text in stretches, each with whether `repeats` has it; empty without `repeats`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """A stretch of passage A next to its counterpart in passage B."""

    a: str
    b: str
    a_pieces: tuple[Piece, ...]
    """A, with what B lacks marked as removed."""
    b_pieces: tuple[Piece, ...]
    """B, with what A lacks marked as added."""
    line: int = 0
    """In the grid, from 1; a fold has a line of its own."""
    stretch: int = 0
    """The number, from 1, of a long stretch that is equal in both; else 0."""
    stretch_length: int = 0
    """The stretch's sentences, on its first row; else 0."""

    @property
    def is_same(self) -> bool:
        return self.a == self.b


def questions(
    item: Item, questionnaire: Questionnaire, judgments: Judgments
) -> dict[str, dict[int, ItemQuestion]]:
    """Criterion to target to question."""
    return {
        criterion.name: {
            target: ItemQuestion(
                criterion=criterion,
                target=target,
                judgment=judgments.get((criterion.name, target)),
            )
            for target in criterion.displayed_targets(item)
        }
        for criterion in questionnaire.criteria
    }


def of_item(by_criterion: Mapping[str, Mapping[int, ItemQuestion]]) -> list[ItemQuestion]:
    """Questions about the whole item."""
    return [
        question
        for targets in by_criterion.values()
        for question in targets.values()
        if question.criterion.targets == "item"
    ]


def sentences(item: Item, by_criterion: Mapping[str, Mapping[int, ItemQuestion]]) -> list[Sentence]:
    """The sentences of the passage with their questions and citations."""
    result = snippets(item, by_criterion)
    about: dict[int, list[ItemQuestion]] = defaultdict(list)
    of_citation: dict[int, ItemQuestion] = {}
    for targets in by_criterion.values():
        for target, question in targets.items():
            if question.criterion.targets == "sentences":
                about[target].append(question)
            elif question.criterion.targets == "citations":
                of_citation[target] = question
    citing: dict[int, list[Citation]] = defaultdict(list)
    for target, citation in enumerate(item.citations):
        snippet = result[citation["evidence"]]
        citing[citation["sentence"]].append(
            Citation(number=snippet.number, snippet=snippet, question=of_citation.get(target))
        )
    numbers = {snippet.number for snippet in result}
    displayed = []
    end = 0
    for index, offsets in enumerate(item.sentences):
        start = offsets["start"]
        text = item.text[start : offsets["end"]]
        about_sentence = tuple(about[index])
        displayed.append(
            Sentence(
                gap=item.text[end:start],
                text=text,
                number=index + 1,
                judgment=about_sentence[0].judgment if about_sentence else None,
                questions=about_sentence,
                citations=tuple(citing[index]),
                missing=tuple(number for number in cited(text) if number not in numbers),
            )
        )
        end = offsets["end"]
    return displayed


def snippets(item: Item, by_criterion: Mapping[str, Mapping[int, ItemQuestion]]) -> list[Snippet]:
    """The evidence, numbered from 1, without a title that its text repeats."""
    rated = {
        question.target: question.judgment
        for targets in by_criterion.values()
        for question in targets.values()
        if question.criterion.targets == "evidence"
    }
    displayed = []
    for index, evidence in enumerate(item.evidence):
        source, host = web_address(evidence["url"])
        displayed.append(
            Snippet(
                title=evidence["title"],
                text=_without_title(evidence["text"], evidence["title"]),
                number=evidence.get("number", index + 1),
                source=source,
                host=host,
                judgment=rated.get(index),
            )
        )
    return with_repeats(displayed)


def _without_title(text: str, title: str) -> str:
    """Remove a first line or sentence that only repeats the title, also without the site's name.

    A short last word may be an abbreviation, whose full stop ends no sentence.
    """
    body = text.lstrip()
    titles = {title.strip().casefold(), SITE_NAME.sub("", title).strip().casefold()} - {""}
    first, _, rest = body.partition("\n")
    line = first.strip("# \r").casefold()
    if rest.strip() and titles & {line, line.removesuffix(".")}:
        return rest.lstrip()
    for title in titles:
        is_sentence = len(title.split()[-1]) >= SHORTEST_LAST_WORD
        sentence, rest = body[: len(title) + 2], body[len(title) + 2 :]
        if is_sentence and rest and sentence.casefold() == f"{title}. ":
            return rest
    return text


def with_repeats(displayed: Sequence[Snippet]) -> list[Snippet]:
    """Mark what repeats an earlier snippet of the same document, as windows of a page overlap.

    Numbers and texts stay: judgments are about them.
    """
    marked: list[Snippet] = []
    for snippet in displayed:
        position = (snippet.title, snippet.source)
        earlier = [
            each for each in marked if any(position) and (each.title, each.source) == position
        ]
        result = [(_repeated(each.text, snippet.text), each.number) for each in earlier]
        stretches, number = max(result, key=lambda pair: _same(pair[0]), default=((), 0))
        if _same(stretches) >= LEAST_REPEATED * len(snippet.text):
            snippet = replace(snippet, repeats=number, stretches=stretches)
        marked.append(snippet)
    return marked


def _repeated(earlier: str, text: str) -> tuple[tuple[str, bool], ...]:
    """`text` in stretches, each with whether `earlier` has it too."""
    pieces = [each for each in word_diff(earlier, text) if each.kind is not PieceKind.REMOVED]
    stretches = [
        (each.text, each.kind is PieceKind.SAME and len(each.text) >= SHORTEST_REPEATED)
        for each in pieces
    ]
    return tuple(
        ("".join(part for part, _ in run), is_same)
        for is_same, run in groupby(stretches, key=lambda pair: pair[1])
    )


def _same(stretches: Sequence[tuple[str, bool]]) -> int:
    return sum(len(text) for text, is_same in stretches if is_same) or -1


def with_source(snippet: Mapping[str, Any]) -> dict[str, Any]:
    """The snippet without its repeated title, with `source` and `host` of its address, or ""."""
    source, host = web_address(snippet["url"])
    text = _without_title(snippet["text"], snippet["title"])
    return {**snippet, "text": text, "source": source, "host": host}


def side_by_side(item: Item) -> list[ComparisonRow]:
    """Passages A and B aligned by sentence, with their differences by word.

    Equal sentences are anchors; sentences between two anchors are paired in order.
    """
    first = [item.text[each["start"] : each["end"]] for each in item.sentences]
    second = [item.second_text[each["start"] : each["end"]] for each in item.second_sentences]
    return _folded([_row(a, b) for a, b in _aligned(first, second)])


def _folded(rows: list[ComparisonRow]) -> list[ComparisonRow]:
    """Number the lines of the rows and the stretches that can be folded."""
    result: list[ComparisonRow] = []
    line = number = 0
    for is_same, group in groupby(rows, key=lambda row: row.is_same):
        stretch = list(group)
        folds = is_same and len(stretch) > LONGEST_UNFOLDED
        number += folds
        line += folds
        for position, row in enumerate(stretch):
            line += 1
            result.append(
                replace(
                    row,
                    line=line,
                    stretch=number if folds else 0,
                    stretch_length=len(stretch) if folds and position == 0 else 0,
                )
            )
    return result


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
    rows: list[tuple[str, str]] = []
    at = 0
    waiting: list[str] = []
    for sentence in first:
        try:
            result = second.index(sentence, at)
        except ValueError:
            waiting.append(sentence)
            continue
        rows += zip_longest(waiting, second[at:result], fillvalue="")
        rows.append((sentence, sentence))
        waiting, at = [], result + 1
    rows += zip_longest(waiting, second[at:], fillvalue="")
    return rows
