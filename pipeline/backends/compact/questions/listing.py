"""Lists of names in a sentence: "Other than Ada Hart, who …" asks for one of them."""

from collections.abc import Sequence

from pipeline.backends.compact.questions.tagging import Tag, Token
from pipeline.backends.compact.text.spans import Kind


def others_in_list(tokens: Sequence[Token], at: int) -> tuple[str, int, int] | None:
    """(the other names, start, end) of a list of names that holds the one at `at`."""
    if not tokens[at].has_kind(Kind.NAME, Kind.TITLE):
        return None
    start, end = at, at + 1
    while start >= 2 and _is_joint(tokens[start - 1]) and _is_item(tokens[start - 2]):
        start -= 2
        if start >= 2 and tokens[start - 1].text == "," and _is_item(tokens[start - 2]):
            continue
    while end + 1 < len(tokens) and _is_joint(tokens[end]):
        skip = 2 if tokens[end].text == "," and tokens[end + 1].lower in ("and", "or") else 1
        if end + skip >= len(tokens) or not _is_item(tokens[end + skip]):
            break
        end += skip + 1
    oxford = start >= 3 and tokens[start - 1].lower == "and" and tokens[start - 2].text == ","
    if oxford and _is_item(tokens[start - 3]):
        start -= 3
        while start >= 2 and tokens[start - 1].text == "," and _is_item(tokens[start - 2]):
            start -= 2
    items = [t for t in tokens[start:end] if t.tag is Tag.SPAN]
    joints = [t for t in tokens[start:end] if t.lower in ("and", "or")]
    if len(items) < 2 or not joints:
        return None
    others = [t.text for t in items if t is not tokens[at]]
    text = others[0] if len(others) == 1 else ", ".join(others[:-1]) + " and " + others[-1]
    return text, start, end


def joins_names(tokens: Sequence[Token], i: int) -> bool:
    """Whether the word at `i` stands between two names: "Ada Hart and Otto Coe"."""
    around = (*tokens[max(0, i - 1) : i], *tokens[i + 1 : i + 2])
    return len(around) == 2 and all(_is_item(token) for token in around)


def _is_joint(token: Token) -> bool:
    return token.text == "," or token.lower in ("and", "or")


def _is_item(token: Token) -> bool:
    return token.has_kind(Kind.NAME, Kind.TITLE)
