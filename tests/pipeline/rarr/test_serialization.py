"""Revisions as JSON and back."""

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.rarr.serialization import from_plain, to_plain
from pipeline.rarr.types import (
    EditOutcome,
    EntailmentScore,
    Evidence,
    Query,
    Report,
    Revision,
    TraceStep,
)
from pipeline.text.spans import Span
from tests.support.rarr_fakes import evidence, passage

numbers = st.floats(allow_nan=False, allow_infinity=False)
snippets = st.builds(Evidence, relevance=numbers)
reports = st.builds(
    Report, evidence=st.lists(snippets, max_size=3).map(tuple), coverage=st.none() | numbers
)
revisions = st.builds(
    Revision,
    evidence=st.lists(st.lists(snippets, max_size=2).map(tuple), max_size=3).map(tuple),
    report=reports,
    trace=st.lists(st.builds(TraceStep, evidence=st.none() | snippets), max_size=3).map(tuple),
)


@settings(max_examples=60, deadline=None)
@given(revisions)
def test_a_revision_is_equal_after_json(revision: Revision) -> None:
    plain = json.loads(json.dumps(to_plain(revision)))
    assert from_plain(Revision, plain) == revision


def test_keys_are_the_fields_and_enums_their_values() -> None:
    plain = to_plain(Revision(passage=passage("x"), text="y", evidence=((evidence("e"),),)))
    assert set(plain) == {field.name for field in fields(Revision)}
    texts = {"text": "e", "title": "", "url": "", "document_id": "d1", "query": "q", "heading": ""}
    assert plain["evidence"][0][0] == {**texts, "relevance": 1.0, "start": 0, "sentences": 0}
    assert to_plain(EditOutcome.ACCEPTED) == "kept"
    assert to_plain(Span(start=1, end=2)) == {"start": 1, "end": 2}


def test_a_missing_key_means_the_default_and_an_integer_is_accepted_for_a_float() -> None:
    plain = {"passage": {"id": "p1", "text": "x"}, "text": "y"}
    assert from_plain(Revision, plain) == Revision(passage=passage("x"), text="y")
    assert from_plain(Evidence, {**to_plain(evidence("e")), "relevance": 2}).relevance == 2.0


STEP = {"query": {"text": "q"}, "text_before": "", "text_after": ""}


@pytest.mark.parametrize(
    "change",
    [
        {"text": 3},
        {"queries": "q"},
        {"queries": [{"text": "q", "about": {"start": "0", "end": 1}}]},
        {"queries": [{"text": "q", "about": {"start": 0.0, "end": 1}}]},
        {"queries": [{"text": "q", "about": {"start": True, "end": 1}}]},
        {"passage": None},
        {"report": []},
        {"unknown": 1},
        {"trace": [{}]},
        {"trace": [{**STEP, "edit_outcome": "eaten"}]},
    ],
)
def test_invalid_values_are_refused(change: dict[str, Any]) -> None:
    plain = to_plain(Revision(passage=passage("x"), text="y"))
    with pytest.raises(ValueError, match=r"."):
        from_plain(Revision, {**plain, **change})


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    assert from_plain(Query, {"text": "Where is \ud83c?"}).text == "Where is ??"


def test_entailment_scores_are_rounded() -> None:
    one = EntailmentScore(entailed=0.76330504, contradicted=0.33444228)
    other = EntailmentScore(entailed=0.76330512, contradicted=0.33444219)
    assert one == other == EntailmentScore(entailed=0.7633, contradicted=0.3344)
    assert EntailmentScore(entailed=0.5).contradicted is None
