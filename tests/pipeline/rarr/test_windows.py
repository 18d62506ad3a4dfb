"""Windows of sentences that slide down a page."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.rarr.types import Evidence
from pipeline.rarr.windows import sections, slide_windows
from tests.support.rarr_fakes import Splitter, document


def windows(text: str, *, sentences: int = 4, stride: int = 1) -> tuple[Evidence, ...]:
    return tuple(slide_windows(document(text), splitter=Splitter(), size=sentences, stride=stride))


@pytest.mark.parametrize(
    ("text", "settings", "result"),
    [
        ("A. B. C. D. E. F.", {}, "A. B. C. D.|B. C. D. E.|C. D. E. F."),
        ("A. B.", {}, "A. B."),  # a short section
        ("A. B. C. D. E.", {"sentences": 2, "stride": 2}, "A. B.|C. D.|D. E."),
        ("A. B. C. D.", {"sentences": 1, "stride": 9}, "A.|B.|C.|D."),  # no sentence is skipped
    ],
)
def test_windows_begin_a_stride_apart(text: str, settings: dict[str, int], result: str) -> None:
    assert "|".join(window.text for window in windows(text, **settings)) == result


def test_no_window_crosses_a_heading() -> None:
    made = windows("A. B.\n## History\nC. D.\n### Later\nE.")
    assert [(window.text, window.heading, window.sentences) for window in made] == [
        ("A. B.", "", 2),
        ("C. D.", "History", 2),
        ("E.", "Later", 1),
    ]


@pytest.mark.parametrize("line", ["#hashtag B.", "####### B.", "No. # B.", " # B."])
def test_a_line_that_is_no_heading_ends_no_section(line: str) -> None:
    assert len(list(sections(f"A.\n{line}\nC."))) == 1
    # A heading may close with hashes.
    assert windows("## History ##\nA.")[0].heading == "History"


@pytest.mark.parametrize("text", ["", " \n ", "# Only\n## headings\n"])
def test_a_page_without_a_sentence_has_no_window(text: str) -> None:
    assert windows(text) == ()


@settings(max_examples=80)
@given(
    st.lists(st.sampled_from(["A.", "Bee.", "C c.", "\n# H\n", "\n## I i\n", "\n\n"]), max_size=25),
    st.integers(1, 5),
    st.integers(1, 6),
)
def test_every_sentence_is_in_a_window_and_no_window_in_another(
    parts: list[str], size: int, stride: int
) -> None:
    text = " ".join(parts)
    made = windows(text, sentences=size, stride=stride)
    spans = [(window.start, window.start + len(window.text)) for window in made]
    for window, (start, end) in zip(made, spans, strict=True):
        assert text[start:end] == window.text
        assert "#" not in window.text
    for _, section in sections(text):
        for sentence in Splitter()(section.of(text)):
            begin, end = section.start + sentence.start, section.start + sentence.end
            assert any(first <= begin and end <= last for first, last in spans)
    for one in spans:
        for other in spans:
            assert one == other or not (other[0] <= one[0] and one[1] <= other[1])
