"""Sentences that an edit elsewhere has left behind, and those that only look so."""

import pytest

from pipeline.rarr.coherence import find_changes, find_incoherences
from pipeline.rarr.types import (
    Agreement,
    EditOutcome,
    Incoherence,
    Query,
    Reliance,
    TraceStep,
    Verdict,
)
from tests.support.rarr_fakes import Splitter


def kept(before: str, old: str, new: str) -> TraceStep:
    """An edit of the first place of `old`."""
    assert old in before
    return TraceStep(
        query=Query(text="?"),
        edit_outcome=EditOutcome.KEPT,
        text_before=before,
        text_after=before.replace(old, new, 1),
    )


def doubts(
    before: str, *swaps: tuple[str, str], also: tuple[TraceStep, ...] = ()
) -> tuple[Incoherence, ...]:
    text, trace = before, list(also)
    for old, new in swaps:
        trace.append(kept(text, old, new))
        text = trace[-1].text_after
    return find_incoherences(text, trace, splitter=Splitter())


FOUND = [
    (
        "The school was established in 1859. It has taught children for over 160 years.",
        ("1859", "1905"), Reliance.COMPUTED, "160 years",
    ),
    (
        "Ada Thorne was born in 1850. She died in 1920, at the age of 70.",
        ("1850", "1857"), Reliance.COMPUTED, "at the age of 70",
    ),
    (
        "The hall opened in 1902. Since 1902 it has closed twice.",
        ("1902", "1904"), Reliance.REPEATED, "1902",
    ),
    (
        "The hall has 90 seats. It is small. All 90 seats are blue.",
        ("90", "80"), Reliance.REPEATED, "90 seats",
    ),
    (
        "It was built by Otto Hart. Hart also drew the bridge.",
        ("Otto Hart", "Jane Coe"), Reliance.REPEATED, "Hart",
    ),
    (
        "It was built by Otto Hart. The city kept Otto Hart's plans.",
        ("Otto Hart", "Jane Coe"), Reliance.REPEATED, "Otto Hart",
    ),
    (
        "The cartoon has 5 fingers a hand. Therefore, it can count to five with one hand.",
        ("5", "4"), Reliance.CONCLUDED, "conclusion",
    ),
    (
        "The north hall has 90 seats. The south hall has 60 seats. In total they seat 150.",
        ("90", "80"), Reliance.COMPUTED, "150",
    ),
    (
        "The bridge was opened by King Carl. He also paid for it.",
        ("King Carl", "Queen Maud"), Reliance.PRONOUN, "He",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "swap", "reliance", "words"), FOUND)
def test_a_sentence_that_relies_on_the_old_value_is_named(
    before: str, swap: tuple[str, str], reliance: Reliance, words: str
) -> None:
    [found] = doubts(before, swap)
    assert found.reliance is reliance
    assert words in found.reason
    assert (found.old, found.new) == swap
    text = before.replace(*swap, 1)
    assert found.span.of(text) == text[text.rindex(". ") + 2 :]


SOUND = [
    # The year fits the new date, or was wrong with the old one.
    ("The school was established in 1905. It has taught for over 160 years.", ("1905", "1859")),
    ("Ada was born in 1850. She died in 1920, at the age of 63.", ("1850", "1857")),
    # A year or two do not matter to a rounded duration.
    ("The school was established in 1859. It has taught for 160 years.", ("1859", "1862")),
    # It ended long ago.
    ("The mill opened in 1859. It closed in 1890. It stood for 130 years.", ("1859", "1871")),
    # Another place that is named is another fact.
    ("She was born in Paris. She died in Paris.", ("Paris", "Lyon")),
    ("It was built by Otto Hart. Nobody had heard of Otto Hart.", ("Otto Hart", "Jane Coe")),
    # The same figure of something else.
    ("The hall has 90 seats. The roof has 90 beams.", ("90", "80")),
    ("The hall has 9 doors. It has 9.5 windows a wall.", ("9", "8")),
    # Both values are named.
    ("The hall opened in 1902. Some say 1902, others 1904.", ("1902", "1904")),
    # Not directly behind, and no conclusion at its head.
    ("It has 5 fingers. It is yellow. Therefore, it is seen.", ("5", "4")),
    ("It has 5 fingers. It is therefore odd.", ("5", "4")),
    # Said before the edit's place.
    ("In 1902 he was ten. The hall opened in 1902 too.", ("1902 too", "1904 too")),
    # A sum that is none, and one that holds for the new figure.
    ("One has 90 seats. One has 60. In total they seat 170.", ("90", "80")),
    ("One has 90 seats. One has 60. In total they seat 140.", ("90", "80")),
    ("It was opened by King Carl. He paid.", ("King Carl", "King Olaf")),
    # A whole new sentence is no new value.
    ("A b c d e f g h i. So, 1902 it was.", ("A b c d e f g h i", "K l m n o p q r s t")),
]  # fmt: skip


@pytest.mark.parametrize(("before", "swap"), SOUND)
def test_what_does_not_rely_on_it_is_left_alone(before: str, swap: tuple[str, str]) -> None:
    assert doubts(before, swap) == ()


def test_a_repeated_value_that_evidence_agreed_with_is_not_doubted() -> None:
    before = "The hall opened in 1902. In 1902 the bridge fell."
    agreed = TraceStep(
        query=Query(text="When did the bridge fall?"),
        agreement=Agreement(verdict=Verdict.AGREES, reason="", passage_answer="1902"),
        text_before=before,
        text_after=before,
    )
    assert len(doubts(before, ("1902", "1904"))) == 1
    assert doubts(before, ("1902", "1904"), also=(agreed,)) == ()


def test_what_a_later_edit_corrected_is_doubted_no_more() -> None:
    before = "The hall opened in 1902. Since 1902 it has closed twice."
    assert doubts(before, ("opened in 1902", "opened in 1904"), ("Since 1902", "Since 1904")) == ()


def test_a_value_that_was_replaced_again_counts_as_it_stands_now() -> None:
    before = "It opened in 1859. It has taught for over 160 years."
    [found] = doubts(before, ("1859", "1905"), ("It opened", "The old hall opened"))
    assert (found.old, found.new) == ("1859", "1905")
    assert [
        change.new
        for change in find_changes(
            [kept("In 1859.", "1859", "1905"), kept("In 1905.", "1905", "1860")], "In 1860."
        )
    ] == ["1860"]


def test_rejected_edits_replace_nothing() -> None:
    before = "The hall opened in 1902. Since 1902 it has closed twice."
    step = TraceStep(
        query=Query(text="?"),
        edit_outcome=EditOutcome.REJECTED_RATIO,
        text_before=before,
        text_after=before,
        rejected_text=before.replace("1902", "1904", 1),
    )
    assert find_incoherences(before, [step], splitter=Splitter()) == ()


def test_ten_thousand_words_take_no_time() -> None:
    before = "".join(f"Hall {number} opened in 1902 again. " for number in range(1600))
    found = doubts(before, ("Hall 3 opened in 1902", "Hall 3 opened in 1904"), ("Hall 5", "Hut 5"))
    assert len(found) == 1600 - 4
