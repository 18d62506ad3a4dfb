"""Windows over texts that are longer than a model's input."""

from collections.abc import Callable, Sequence

from pipeline.text.sentences import split_sentences
from pipeline.text.windows import windows

Count = Callable[[Sequence[str]], list[int]]
"""Return the number of tokens of each text."""
OVERLAP = 4
"""Windows overlap by up to 1/OVERLAP: the sentence before often explains a pronoun."""


def token_windows(text: str, *, max_tokens: int, count: Count) -> list[str]:
    """Split a text into windows of at most `max_tokens`.

    A short first line, such as a title, starts every window. Longer sentences are cut between
    words.

    >>> token_windows("One two. Three four. Five six.", max_tokens=4, count=lambda some: [
    ...     len(each.split()) for each in some])
    ['One two. Three four.', 'Five six.']
    """
    if count([text])[0] <= max_tokens:
        return [text]
    head, body = _head(text, max_tokens=max_tokens, count=count)
    body_tokens = max(1, max_tokens - (count([head])[0] if head else 0))
    pieces = _pieces(body, max_tokens=body_tokens, count=count)
    sizes = count([body[start:end] for start, end in pieces])
    return [
        head + body[pieces[first][0] : pieces[last - 1][1]]
        for first, last in windows(sizes, room=body_tokens, overlap=body_tokens // OVERLAP)
    ] or [text]


def _head(text: str, *, max_tokens: int, count: Count) -> tuple[str, str]:
    line, broken, rest = text.partition("\n")
    if broken and line.strip() and rest.strip() and count([line])[0] * OVERLAP <= max_tokens:
        return line + broken, rest
    return "", text


def _pieces(text: str, *, max_tokens: int, count: Count) -> list[tuple[int, int]]:
    waiting = [(each.start, each.end) for each in split_sentences(text)][::-1]
    lengths = dict(zip(waiting, count([text[a:b] for a, b in waiting]), strict=True))
    spans = []
    while waiting:
        start, end = span = waiting.pop()
        if span not in lengths:
            lengths[span] = count([text[start:end]])[0]
        if lengths[span] <= max_tokens or end - start < 2:
            spans.append(span)
            continue
        middle = (start + end) // 2
        space = text.rfind(" ", start + 1, middle)
        cut = space if space > start else middle
        waiting += [(cut, end), (start, cut)]
    return spans
