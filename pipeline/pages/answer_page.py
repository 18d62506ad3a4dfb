"""The page of an answer as values."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pipeline.engine.answer_readings import COUNTS, FIGURES
from pipeline.engine.scorer_info import INSTALL_NLTK, NLTK, strict_name
from pipeline.generation.answer_format import PROBLEMS
from pipeline.generation.types import Record
from pipeline.importing.alce import AlceAnswer, guess_dataset
from pipeline.importing.passage import Source
from pipeline.metrics.alce_reference import first_line
from pipeline.metrics.answer_recall import exact_recall, list_scores
from pipeline.metrics.citation_marks import MARKS, cited, has_words, without_citations
from pipeline.metrics.citation_support import ENTAILED
from pipeline.models import Revision
from pipeline.rarr.serialization import from_plain
from pipeline.rarr.types import Evidence
from pipeline.runs.cited_answers import cited_answer, cited_sources
from rarrweb.web.addresses import web_address

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPart:
    text: str
    source: int | None = None
    """Number of the cited source; None for plain text."""
    css_class: str = ""
    """Of a citation: "", "irrelevant" or "wrong"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStatement:
    number: int
    parts: tuple[AnswerPart, ...]
    css_class: str
    """attributed, not-attributed, not-scored or uncited."""
    probability: float | None
    """Entailment by the cited sources together."""
    sources: tuple[int, ...]
    """Numbers of the scored citations."""
    irrelevant: tuple[int, ...]
    wrong: tuple[int, ...]
    """Cited numbers without a source."""
    unread: tuple[int, ...]
    """Citations beyond the maximum of a statement."""
    attributed: float | None
    """Auto-AIS: the best entailment by any source."""
    best: int | None
    """The source with that entailment."""

    @property
    def is_supported(self) -> bool:
        return self.css_class == "attributed"

    @property
    def is_supported_elsewhere(self) -> bool:
        """Return whether only an uncited source supports it."""
        is_attributed = self.attributed is not None and self.attributed >= ENTAILED
        return is_attributed and not self.is_supported and self.best not in self.sources


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCard:
    number: int
    title: str
    url: str
    link: str
    """The URL if it is an http(s) address, else ""."""
    text: str
    relevance: float | None
    cited_by: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A reference answer or claim."""

    text: str
    is_given: bool
    probability: float | None = None
    """Entailment of a claim by the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPage:
    statements: tuple[AnswerStatement, ...]
    cards: tuple[SourceCard, ...]
    expected: tuple[Expected, ...]
    figures: tuple[tuple[str, float | None, float | None, bool], ...]
    """Name, corrected, strict, and whether it is a count."""
    strict_name: str
    install_nltk: str
    """How to install NLTK; "" if the strict figures use it."""
    record: Record
    problems: tuple[str, ...]
    """Problems of form, in sentences."""
    is_scored: bool

    @property
    def supported(self) -> int:
        return sum(each.is_supported for each in self.statements)


def answer_page(row: Revision) -> AnswerPage:
    """Read the page of a finished answer; raises `UnreadableResult` and `ValueError`."""
    item = cited_answer(row)
    scores: Mapping[str, Any] = row.citation_scores or {}
    sources = cited_sources(row)
    statements = tuple(_statements(row, scores, count=len(sources)))
    record = from_plain(Record, row.generation)
    has_nltk = NLTK in row.run.versions
    return AnswerPage(
        statements=statements,
        cards=tuple(_cards(sources, statements)),
        expected=tuple(_expected(item, scores)),
        figures=tuple(_figures(scores)),
        strict_name=strict_name(has_nltk=has_nltk),
        install_nltk="" if has_nltk else INSTALL_NLTK,
        record=record,
        problems=tuple(PROBLEMS.get(each, each) for each in record.problems),
        is_scored=bool(scores),
    )


def _statements(
    row: Revision, scores: Mapping[str, Any], *, count: int
) -> Iterator[AnswerStatement]:
    text = row.original_text
    # A statement that does not occur in the text literally has no position.
    judged = [each for each in scores.get("statements", []) if each["start"] is not None]
    over_all = list(scores.get("auto_ais") or row.sentences.get("before") or [])
    if not judged:
        judged = [{"start": each["start"], "end": each["end"]} for each in over_all]
    bounds = [0, *(each["start"] for each in judged[1:]), len(text)] if judged else [0, len(text)]
    if judged and has_words(text[judged[-1]["end"] :]):
        # ALCE's evaluation reads nothing after a line break.
        bounds.insert(-1, judged[-1]["end"])
        judged.append({})
    over_all.sort(key=lambda each: each["start"])
    starts = [each["start"] for each in over_all]
    for number, (start, end) in enumerate(pairwise(bounds), start=1):
        statement = text[start:end]
        if not statement.strip():
            continue
        judgment = judged[number - 1] if judged else {}
        probability = judgment.get("probability")
        sources = tuple(judgment.get("sources") or ())
        irrelevant = tuple(judgment.get("irrelevant") or ())
        numbers = cited(statement)
        wrong = tuple(each for each in numbers if not 1 <= each <= count)
        first = bisect_left(starts, start)
        is_scored = first < len(starts) and starts[first] < end
        score: Mapping[str, Any] = over_all[first] if is_scored else {}
        best = score.get("evidence")
        yield AnswerStatement(
            number=number,
            parts=tuple(_parts(statement.strip(), irrelevant=irrelevant, wrong=wrong)),
            css_class=_css_class(judgment, probability),
            probability=probability,
            sources=sources,
            irrelevant=irrelevant,
            wrong=wrong,
            unread=tuple(each for each in numbers if each not in {*sources, *wrong})
            if "sources" in judgment
            else (),
            attributed=score.get("entailed"),
            best=None if best is None else best + 1,
        )


def _css_class(judgment: Mapping[str, Any], probability: float | None) -> str:
    if "sources" not in judgment:
        return "not-scored"
    if probability is None:
        return "uncited"
    return "attributed" if probability >= ENTAILED else "not-attributed"


def _parts(text: str, *, irrelevant: Sequence[int], wrong: Sequence[int]) -> Iterator[AnswerPart]:
    at = 0
    for run in MARKS.finditer(text):
        for number in _NUMBER.finditer(text, run.start(), run.end()):
            if number.start() > at:
                yield AnswerPart(text=text[at : number.start()])
            source = int(number.group())
            css_class = "wrong" if source in wrong else "irrelevant" if source in irrelevant else ""
            yield AnswerPart(text=number.group(), source=source, css_class=css_class)
            at = number.end()
    if at < len(text):
        yield AnswerPart(text=text[at:])


def _cards(
    sources: Sequence[Evidence | Source], statements: Sequence[AnswerStatement]
) -> Iterator[SourceCard]:
    for number, each in enumerate(sources, start=1):
        relevance = each.relevance if isinstance(each, Evidence) else 0.0
        yield SourceCard(
            number=number,
            title=each.title,
            url=each.url,
            link=web_address(each.url)[0],
            text=each.text,
            # 0.0 means unknown.
            relevance=relevance or None,
            cited_by=tuple(
                one.number
                for one in statements
                if number in {*one.sources, *one.unread}
                or any(part.source == number for part in one.parts)
            ),
        )


def _expected(item: AlceAnswer, scores: Mapping[str, Any]) -> Iterator[Expected]:
    bare = without_citations(first_line(item.output))
    dataset = scores.get("dataset") or guess_dataset([item])
    if dataset == "eli5":
        probabilities = scores.get("claims") or []
        for position, claim in enumerate(item.claims or []):
            known = probabilities[position] if position < len(probabilities) else None
            yield Expected(
                text=claim, is_given=known is not None and known >= ENTAILED, probability=known
            )
    elif dataset == "qampari":
        for aliases in item.answers or []:
            recall = list_scores(bare, [aliases], strict=False)["qampari_rec"]
            yield Expected(text=" / ".join(aliases[:1]), is_given=bool(recall))
    else:
        for pair in item.qa_pairs or []:
            recall = exact_recall(bare, [pair.short_answers], strict=False)
            yield Expected(text=" / ".join(pair.short_answers[:3]), is_given=bool(recall))


def _figures(scores: Mapping[str, Any]) -> Iterator[tuple[str, float | None, float | None, bool]]:
    corrected, strict = scores.get("corrected") or {}, scores.get("strict") or {}
    for name, words in FIGURES.items():
        if corrected.get(name) is not None or strict.get(name) is not None:
            is_count = name in COUNTS
            yield words, corrected.get(name), strict.get(name), is_count
