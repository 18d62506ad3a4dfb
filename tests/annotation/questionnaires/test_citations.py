"""Where a text cites, and the units in which HAGRID judges it."""

import pytest

from annotation.questionnaires.citations import (
    citations_of,
    evidence_of,
    grouped,
    with_their_citations,
)
from annotation.questionnaires.material import Material


def spans(text: str, *parts: str) -> list[dict[str, int]]:
    made, at = [], 0
    for part in parts:
        start = text.index(part, at)
        at = start + len(part)
        made.append({"start": start, "end": at})
    return made


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        # A sentence that cites nothing belongs to the next that does (HAGRID, 3.4).
        (
            ["He argued. ", "He wrote. [1] ", "Then he left [2]."],
            ["He argued. He wrote. [1]", "Then he left [2]."],
        ),
        # A sentence with citations in two places is one unit.
        (
            ["The voting age is 16 [2], and voting is a duty [3]."],
            ["The voting age is 16 [2], and voting is a duty [3]."],
        ),
        (["It fell [4][3] . ", "It rose [1] ."], ["It fell [4][3] .", "It rose [1] ."]),
        (["It fell. ", "[1] It rose [2]. "], ["It fell. [1]", "It rose [2]."]),
        (["It fell [1]. ", "Why? ", "Nobody knows."], ["It fell [1].", "Why?", "Nobody knows."]),
        (["One. ", "Two."], ["One.", "Two."]),
    ],
)
def test_a_unit_is_the_sentences_up_to_one_that_cites(
    sentences: list[str], expected: list[str]
) -> None:
    text = "".join(sentences)
    parts = grouped(text, spans(text, *(each.strip() for each in sentences)))
    assert [text[each["start"] : each["end"]] for each in parts] == expected


def test_a_citation_behind_the_full_stop_goes_to_the_sentence_before() -> None:
    text = "It fell. [1] Why did it? [2][3]"
    split = spans(text, "It fell.", "[1] Why did it?", "[2][3]")
    moved = with_their_citations(text, split)
    assert [text[each["start"] : each["end"]] for each in moved] == [
        "It fell. [1]",
        "Why did it? [2][3]",
    ]


def material(**values: object) -> Material:
    report = [{"title": "R", "url": "", "text": "r"}]
    given = {"side": "after", "texts": {}, "sentences": {}, "evidence": report}
    return Material(**{**given, **values})  # type: ignore[arg-type]


def test_a_number_leads_to_the_quote_of_that_number_wherever_it_is() -> None:
    quotes = {n: {"title": "", "url": "", "text": text} for n, text in ((7, "seven"), (2, "two"))}
    evidence, places = evidence_of(material(quotes=quotes))
    assert [each["text"] for each in evidence] == ["two", "seven"]
    text = "It fell [7]. It rose [2][9]."
    assert citations_of(text, spans(text, "It fell [7].", "It rose [2][9]."), places) == [
        {"sentence": 0, "evidence": 1},
        {"sentence": 1, "evidence": 0},
    ]


def test_without_quotes_the_report_is_cited_from_1() -> None:
    evidence, places = evidence_of(material())
    assert (len(evidence), dict(places)) == (1, {1: 0})
