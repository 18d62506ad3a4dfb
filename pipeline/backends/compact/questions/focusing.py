"""Which clause of a sentence a question is asked from, so that it is short and still enough."""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.backends.compact.questions.statements import clauses_of, statement_of
from pipeline.backends.compact.questions.tagging import Tag, Token, joined
from pipeline.backends.compact.questions.verbs import past_of_participle
from pipeline.backends.compact.text.spans import Kind
from pipeline.backends.compact.text.words import words

ENOUGH_WORDS = 8
"""Content words that one clause of a sentence must have to be asked about alone."""


def without_label(tokens: Sequence[Token], place: int) -> tuple[Sequence[Token], int]:
    """A list entry's sentence without its label: "Early life: Hart was born …"."""
    for i in range(1, min(7, place)):
        if tokens[i].text == ":" and statement_of(tokens[i + 1 :]) is not None:
            return tokens[i + 1 :], place - i - 1
    return tokens, place


def _is_enough(tokens: Sequence[Token]) -> bool:
    """Whether a clause alone has enough to be searched for."""
    found = [w for w in words(joined(tokens)) if w.is_content]
    return len(found) >= ENOUGH_WORDS


def own_clause(tokens: Sequence[Token], place: int) -> tuple[list[Token], int]:
    """The main clause that holds the span, and the span's place in it."""
    for start, end in clauses_of(tokens):
        if start <= place < end:
            # A full stop without its space parts sentences, however short.
            parted = "." in [t.text for t in (*tokens[start - 1 : start], *tokens[end : end + 1])]
            while end > start + 1 and tokens[end - 1].text in (",", ";"):
                end -= 1
            inner = list(tokens[start:end])
            first = tokens[0]
            if start and first.has_kind(Kind.NAME, Kind.TITLE) and tokens[1].is_finite:
                # "Hart Mill closed, but its walls stand": the second clause needs the name.
                if inner[0].lower in ("it", "he", "she"):
                    inner[0] = replace(first, spaced=True)
                elif inner[0].lower in ("its", "his", "her"):
                    owner = Token(text="'s", tag=Tag.PUNCTUATION, spaced=False)
                    inner[:1] = [replace(first, spaced=True), owner]
                    start -= 1
            return (inner, place - start) if parted or _is_enough(inner) else (list(tokens), place)
    return list(tokens), place


def related_clause(tokens: Sequence[Token], place: int) -> tuple[list[Token], int] | None:
    """A clause about a name just before it: ", which opened in 1852" and ", built in 1852"."""
    described = _described(tokens, place)
    if described:
        return described
    for i in range(place - 1, 1, -1):
        token = tokens[i]
        if token.text in (",", ";", "(", ")"):
            owner, following = tokens[i - 1], tokens[i + 1]
            if following.text == '"' or (owner.text in "\"”'’" and i > 2):
                owner = tokens[i - 2]
            if token.text not in (",", "(") or not owner.has_kind(Kind.NAME, Kind.TITLE):
                return None
            end = _until_sign(tokens, place)
            if following.lower in ("which", "who") and i + 2 < len(tokens):
                if not tokens[i + 2].is_finite or place < i + 3:
                    return None
                return [owner, *tokens[i + 2 : end]], place - i - 1
            whole = statement_of(tokens)
            if whole is not None and whole.verbal[0] is following:
                return None
            if following.tag is Tag.PAST and place > i + 1 and past_of_participle(following.text):
                was = Token(text="was", tag=Tag.AUXILIARY, spaced=True)
                first = replace(following, spaced=True)
                return [owner, was, first, *tokens[i + 2 : end]], place - i + 1
            if following.lower == "born" and place > i + 1:
                was = Token(text="was", tag=Tag.AUXILIARY, spaced=True)
                first = replace(following, spaced=True)
                return [owner, was, first, *tokens[i + 2 : end]], place - i + 1
            return None
    return None


def _described(tokens: Sequence[Token], place: int) -> tuple[list[Token], int] | None:
    """The clause after "who" of "Hart is a builder who lived in Leeds", with its subject."""
    statement = statement_of(tokens)
    if statement is None or statement.verbal[0].lower not in ("is", "was") or statement.lead:
        return None
    if statement.verbal[1:2] and statement.verbal[1].lower not in ("a", "an"):
        return None
    who = next((i for i, t in enumerate(tokens) if t.tag is Tag.SUBORDINATOR), 0)
    if not who or tokens[who].lower not in ("who", "which", "that") or place < who + 2:
        return None
    if not tokens[who + 1].is_finite or any(t.text in (",", "(") for t in tokens[:who]):
        return None
    subject = statement.subject
    return [*subject, *tokens[who + 1 :]], place - who - 1 + len(subject)


def _until_sign(tokens: Sequence[Token], place: int) -> int:
    for end in range(place + 1, len(tokens)):
        if tokens[end].text in (",", ";", ")") or tokens[end].tag is Tag.SUBORDINATOR:
            return end
    return len(tokens)
