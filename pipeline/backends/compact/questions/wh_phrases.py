"""The words that ask for a check-worthy span, and the tokens of its sentence they stand for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

ATTRIBUTIVE = frozenset({"compound", "amod", "nmod", "nummod", "npadvmod"})
"""How a word hangs on the noun behind it."""
POSSESSIVE = frozenset({"PRP$", "POS"})
_LONGEST_COMPLEMENT = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The words that ask for a span, and the tokens of the sentence that they stand for."""

    words: str
    start: int
    end: int
    head: "Token"
    """The noun of the phrase that is asked for."""
    fronted: bool = True
    """Whether the words make sense at the beginning of a question."""

    @property
    def places(self) -> range:
        return range(self.start, self.end)


def plain(tokens: "Iterable[Token]") -> str:
    """Tokens as a phrase behind a wh-word, without their article."""
    return re.sub(r"^(?:the|an?) ", "", "".join(t.text_with_ws for t in tokens).strip(), flags=re.I)


def end_of_complement(doc: "Doc", end: int) -> int:
    """Where a short "of the windows" behind `end` ends; `end` itself where none follows."""
    if end < len(doc) and doc[end].lower_ == "of":
        noun = next((child for child in doc[end].children if child.dep_ == "pobj"), None)
        if noun is not None and noun.i - end <= _LONGEST_COMPLEMENT:
            return int(noun.i) + 1
    return end
