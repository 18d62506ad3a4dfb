"""Long texts in windows of whole sentences."""

from pipeline.backends.compact.reader.model import windows_of
from tests.pipeline.backends.compact.reader.tiny import tiny_reader


def by_letter(text: str) -> list[tuple[int, int]]:
    """A token a word."""
    tokens, at = [], 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        tokens.append((start, at))
    return tokens


def windowed(text: str, *, sentences: int, step: int, limit: int) -> list[str]:
    places = windows_of(text, by_letter(text), sentences=sentences, step=step, limit=limit)
    return [text[start:end] for start, end in places]


def test_windows_step_on_and_the_last_one_ends_with_the_text() -> None:
    text = "A a. B b. C c. D d. E e."
    assert windowed(text, sentences=3, step=2, limit=99) == ["A a. B b. C c.", "C c. D d. E e."]
    assert windowed(text, sentences=2, step=2, limit=99) == ["A a. B b.", "C c. D d.", "E e."]
    for blank in ("", "   ", "\n\n"):
        assert windowed(blank, sentences=5, step=3, limit=9) == []


def test_no_window_is_longer_than_the_limit_and_no_word_is_excluded() -> None:
    assert windowed("a b c d e f g", sentences=1, step=1, limit=3) == ["a b c", "d e f", "g"]
    text = "A b c d. E f g. H i. J k l m n o p. Q."
    result = windowed(text, sentences=3, step=3, limit=5)
    assert all(len(window.split()) <= 5 for window in result)
    assert set(" ".join(result).split()) == set(text.split())


def test_a_reader_cuts_by_its_own_tokens() -> None:
    reader = tiny_reader()
    text = "The mill stands by the river. " * 100
    places = reader.windows(text, sentences=200, step=200)
    assert len(places) > 2
    assert all(len(text[start:end].split()) * 7 / 6 <= 254 for start, end in places)
