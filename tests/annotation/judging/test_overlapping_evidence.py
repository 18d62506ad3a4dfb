"""Windows of one page overlap: the page mutes what an earlier piece of evidence has."""

import pytest

from annotation.judging.item_page import Snippet, displayed_evidence, snippets_of, with_repeats
from annotation.models import Item

FIRST = "The bridge was begun in 1921. The governor opened it in May 1932."
NEW = " It carries two railway lines."


def snippet(number: int, text: str, title: str = "Harbour bridge") -> Snippet:
    return Snippet(title=title, text=text, number=number, source="", host="", question=None)


def test_what_is_in_an_earlier_window_is_distinguished() -> None:
    first, second = with_repeats([snippet(1, FIRST), snippet(2, FIRST[30:] + NEW)])
    assert first.repeats is None
    assert second.repeats == 1
    muted = "".join(text for text, is_same in second.parts if is_same)
    assert "governor opened it in May 1932" in muted
    assert "railway" not in muted
    assert "".join(text for text, _ in second.parts) == second.text


def test_the_earlier_window_with_the_most_of_it_is_named() -> None:
    windows = [snippet(1, "Of the tides."), snippet(2, FIRST), snippet(3, FIRST + NEW)]
    assert [each.repeats for each in with_repeats(windows)] == [None, None, 2]


def test_other_documents_and_chance_likenesses_are_left_alone() -> None:
    by_chance = "The bridge was painted. Nobody knows by whom." + NEW
    for pair in (
        [snippet(1, FIRST), snippet(2, FIRST, title="Another page")],
        [snippet(1, FIRST), snippet(2, by_chance)],
        [snippet(1, FIRST, title=""), snippet(2, FIRST, title="")],
    ):
        assert [each.repeats for each in with_repeats(pair)] == [None, None], pair


@pytest.mark.parametrize(
    ("title", "text", "displayed"),
    [
        ("The Tay", "The Tay\n\nIt is 193 km long.", "It is 193 km long."),
        ("The Tay - Rivers of Britain", "# the Tay\nIt is 193 km long.", "It is 193 km long."),
        ("River Trent", "River Trent.\nIt is long.", "It is long."),
        ("River Trent", "River trent. It is long.", "It is long."),
        ("Fred Astaire Jr.", "Fred Astaire Jr.\r\nHe is 9.", "He is 9."),
        ("Fred Astaire Jr", "Fred Astaire Jr. Day is here.", "Fred Astaire Jr. Day is here."),
        ("The Tay", "The Tay is 193 km long.\nIt is wide.", "The Tay is 193 km long.\nIt is wide."),
        ("The Tay", "The Tay\n", "The Tay\n"),
        ("", "\nIt is 193 km long.", "\nIt is 193 km long."),
    ],
)
def test_a_title_is_not_repeated_as_the_first_line_or_sentence(
    title: str, text: str, displayed: str
) -> None:
    item = Item(evidence=[{"title": title, "text": text, "url": ""}])
    assert [each.text for each in snippets_of(item, [])] == [displayed]
    assert displayed_evidence(item.evidence[0])["text"] == displayed
    assert item.evidence[0]["text"] == text
