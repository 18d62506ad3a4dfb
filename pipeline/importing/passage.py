"""The stored form of an imported passage's other data."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

import msgspec
from msgspec.structs import replace

from pipeline.rarr.types import Document, Evidence, Report, Revision
from pipeline.text.spans import Span

Format = Literal["rarr", "jsonl", "csv", "hagrid", "alce", "questions", "contexts"]
KeyPath = tuple[str, ...]
"""Keys from an object to a value in it."""
TEXT: KeyPath = ("text",)


class Source(msgspec.Struct, omit_defaults=True, kw_only=True, gc=False):
    """A source that an answer cites or is based on."""

    number: int
    """The number of its citations, from 1."""
    title: str = ""
    """The title, or the id of a source without a title."""
    url: str = ""
    text: str = ""
    """Stored in `PassageSource.extra` only."""
    sent: str | None = None
    """The part of the text that ALCE's evaluation reads."""
    position: int | str = 0
    """Its index or key in the value at `PassageSource.sources_at`."""
    text_at: KeyPath | None = TEXT
    """Path of its text, relative to the source; None without text."""


class Unit(msgspec.Struct, omit_defaults=True, kw_only=True, gc=False):
    """An annotated sentence with labels 1, 0 or None."""

    text: str = ""
    """Stored in `PassageSource.extra` only."""
    index: int | None = None
    informative: int | None = None
    attributable: int | None = None


class QaPair(msgspec.Struct):
    short_answers: list[str]
    question: str = ""


class Annotation(msgspec.Struct):
    long_answer: str


class Gold(msgspec.Struct, omit_defaults=True):
    """Right answers in the fields of ALCE's data."""

    answer: str | None = None
    annotations: list[Annotation] | None = None
    """Long answers of ASQA."""
    qa_pairs: list[QaPair] | None = None
    """Short answers of ASQA."""
    answers: list[list[str]] | None = None
    """Aliases of each answer of QAMPARI."""
    claims: list[str] | None = None
    """Claims of ELI5."""

    @property
    def short_answers(self) -> tuple[tuple[str, ...], ...]:
        """Aliases of each right answer."""
        answers = [each.short_answers for each in self.qa_pairs or []] or self.answers or []
        return tuple(tuple(each) for each in answers if each)


class PassageSource(msgspec.Struct, omit_defaults=True, kw_only=True):
    """An imported line without id, text and context."""

    sources: list[Source] = []
    """By number; the last one of each number."""
    sources_at: KeyPath = ()
    """Path in `extra` of their list or object."""
    units: list[Unit] = []
    units_at: KeyPath = ()
    """Path in `extra` of their list of objects with a `text`."""
    informative: int | None = None
    """HAGRID's label of the whole answer: 1, 0 or None; so is `attributable`."""
    attributable: int | None = None
    gold: Gold | None = None
    revision: Revision | None = None
    system: str = ""
    """The system that wrote the revision, if the line names it."""
    input_keys: list[str] = []
    """RARR's keys of `input_info`, in order."""
    number_id: int | None = None
    """The id of a RARR line, if it is a number."""
    extra: dict[str, Any] = {}
    """Other keys of the line, in order."""

    def read_texts(self) -> Self:
        """Copy texts of sources and units from `extra`."""
        given = _at(self.extra, self.sources_at)
        for source in self.sources:
            if source.text_at is not None:
                source.text = str(_at(given[source.position], source.text_at))
        for unit, fields in zip(self.units, _at(self.extra, self.units_at), strict=False):
            unit.text = fields["text"]
        return self

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        return msgspec.json.decode(text, type=cls).read_texts()

    def to_json(self) -> str:
        without_texts = replace(
            self,
            sources=[replace(each, text="") for each in self.sources],
            units=[replace(each, text="") for each in self.units],
        )
        return msgspec.json.encode(without_texts).decode()

    @property
    def numbered(self) -> list[Source]:
        """All sources; none if no source has a text."""
        return self.sources if self.with_text else []

    @property
    def with_text(self) -> list[Source]:
        return [each for each in self.sources if each.text.strip()]

    @property
    def addresses(self) -> list[str]:
        """URLs of sources without text."""
        return [each.url for each in self.sources if each.url and not each.text.strip()]

    @property
    def documents(self) -> tuple[Document, ...]:
        """Sources as documents with their numbers as ids."""
        return tuple(
            Document(id=str(each.number), title=each.title, url=each.url, text=each.text)
            for each in self.with_text
        )

    def add_pages(self, pages: Mapping[str, Document]) -> None:
        """Add the texts of `pages`, by URL, to sources without text."""
        for each in self.sources:
            if each.text.strip() or not (page := pages.get(each.url)):
                continue
            each.title, each.url, each.text = each.title or page.title, page.url, page.text
            each.text_at = TEXT
            given = _at(self.extra, self.sources_at)
            fields = given[each.position] if isinstance(given[each.position], dict) else {}
            page_fields = {"title": each.title, "url": each.url, "text": each.text}
            given[each.position] = fields | page_fields

    def spans(self, text: str) -> list[Span]:
        """Locate the units in `text`; none unless together they cover it.

        >>> units = [Unit(text=each) for each in ("It fell [1].", "Why?")]
        >>> source = PassageSource(units=units)
        >>> [(each.start, each.end) for each in source.spans("It fell [1]. Why?")]
        [(0, 12), (13, 17)]
        >>> source.spans("It fell [1]. But why?")
        []
        """
        spans: list[Span] = []
        end = 0
        for unit in self.units:
            start = text.find(unit.text, end)
            if not unit.text or start < 0 or text[end:start].strip():
                return []
            end = start + len(unit.text)
            spans.append(Span(start=start, end=end))
        return [] if text[end:].strip() else spans


def report_of(sources: Iterable[Source | Evidence]) -> Report:
    return Report(
        evidence=tuple(
            Evidence(
                title=each.title,
                url=each.url,
                text=each.text,
                document_id="",
                query="",
                relevance=0.0,
            )
            for each in sources
        )
    )


def _at(value: Any, path: KeyPath) -> Any:
    for key in path:
        value = value[key]
    return value
