"""What the reader is asked, and what is made of its answers."""

import pytest

from pipeline.backends.compact.reader.model import Read, Verdict3
from pipeline.backends.compact.revision.readings import Asked, Reading, reading_of
from pipeline.backends.compact.text.spans import mentions
from pipeline.rarr.types import Span
from tests.pipeline.backends.compact.knowing_reader import KnowingReader, evidence, span_of

MILL = "It was built by Otto Hart in 1852 and burned down in 1932."


def asked(text: str, *sound: str) -> Asked:
    place = Span(start=0, end=len(text))
    return Asked(KnowingReader(*sound), text, place, evidence=evidence(MILL))  # type: ignore[arg-type]


def test_a_candidate_of_the_evidence_is_scored_where_it_stands_under_the_title() -> None:
    text = "Hart Mill was built in 1947."
    years = [[m] for m in mentions(MILL) if m.kind.is_numeric]
    logits, free = asked(text, "Hart Mill was built in 1852.").pointed(span_of(text, "1947"), years)
    assert logits == [8.0, 0.0]
    assert free == 8.0


def test_a_candidate_of_the_title_is_scored_there() -> None:
    text = "Coe Mill was built in 1852."
    seen = MILL + "\nHart Mill"
    title = [m for m in mentions(seen) if m.start > len(MILL)]
    reader = asked(text, "Hart Mill was built in 1852.")
    logits, _ = reader.pointed(span_of(text, "Coe Mill"), [title])
    assert logits == [8.0]


def test_the_passages_own_words_are_read_once() -> None:
    text = "Hart Mill was built in 1852."
    now, tried = asked(text, text).read(span_of(text, "1852"), ["1852"])
    assert tried == [now]


def test_support_is_half_the_verdict_and_half_the_doubt_about_the_span() -> None:
    assert Reading(entailed=2.0, contradicted=0.0, doubt=2.0).supported == pytest.approx(0.5)
    assert Reading(entailed=2.0, contradicted=0.0, doubt=-2.0).supported > 0.85


def test_only_doubts_about_the_spans_words_count() -> None:
    read = Read(
        verdict=Verdict3(entailment=0.5, neutral=0.3, contradiction=0.2),
        doubts=((0, 4, 0.9), (5, 9, 0.2), (10, 12, 0.6)),
    )
    assert reading_of(read, 5, 12).doubt == pytest.approx(reading_of(read, 10, 12).doubt)
    assert reading_of(read, 5, 9).doubt < 0
    assert reading_of(read, 0, 0).doubt == 0.0
