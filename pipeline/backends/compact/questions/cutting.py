"""Afterthoughts and further list members that a question can do without."""

import re
from collections.abc import Sequence
from itertools import pairwise

from pipeline.backends.compact.questions.tagging import Tag, Token, joined
from pipeline.backends.compact.text.words import words

KEPT_WORDS = 9
"""Content words that a question keeps at least when its tail is cut."""

_TAIL = re.compile(r"(?:which|who|whose|where|while|whereas|although|though|because|so|but|making"
                   r"|including|such|as|leading|allowing|causing|resulting)$")  # fmt: skip


def without_tail(tokens: Sequence[Token], before: Sequence[Token] = ()) -> tuple[Token, ...]:
    """`tokens` without an afterthought behind a comma, if they and `before` say enough."""
    quotes = 0
    for i, (token, following) in enumerate(pairwise(tokens)):
        quotes += i > 0 and tokens[i - 1].text == '"'
        if quotes % 2:
            continue
        if (
            token.text == ";"
            or (token.text in "–—" and token.spaced)
            or (
                token.text == ","
                and (_TAIL.match(following.lower) or following.lower.endswith("ing"))
            )
        ):
            kept = [w for w in words(joined((*before, *tokens[:i]))) if w.is_content]
            if len(kept) >= KEPT_WORDS:
                return tuple(tokens[:i])
    return tuple(tokens)


def without_more(tokens: Sequence[Token], before: Sequence[Token]) -> tuple[Token, ...]:
    """`tokens` without further members of a list: "in 1970, the Silver Cup in 1977 and …"."""
    for i, token in enumerate(tokens[:-1]):
        more = token.text == "," and i and tokens[i + 1].tag in {Tag.DETERMINER, Tag.SPAN}
        if more or (
            token.text == ","
            and tokens[i + 1].tag is Tag.CONJUNCTION
            and any(t.is_finite for t in tokens[i + 2 : i + 10])
        ):
            kept = [w for w in words(joined((*before, *tokens[:i]))) if w.is_content]
            if len(kept) >= KEPT_WORDS:
                return tuple(tokens[:i])
    return tuple(tokens)
