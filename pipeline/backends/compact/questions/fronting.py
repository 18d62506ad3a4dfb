"""Questions about what follows the verb: the question words, and a preposition, come first."""

from collections.abc import Sequence

from pipeline.backends.compact.questions.asking import asked_for
from pipeline.backends.compact.questions.cutting import without_more, without_tail
from pipeline.backends.compact.questions.finishing import subject_of, with_lead
from pipeline.backends.compact.questions.listing import joins_names, others_in_list
from pipeline.backends.compact.questions.noun_phrases import Asked
from pipeline.backends.compact.questions.statements import Statement
from pipeline.backends.compact.questions.tagging import Tag, Token, joined
from pipeline.backends.compact.questions.verbs import DO, MODALS, past_of_participle
from pipeline.backends.compact.text.spans import Kind

LONGEST_STRANDING = 7
"""Tokens before a preposition that may be left behind: "Who was the mill built by?"."""


def asked_of_rest(statement: Statement, target: Token) -> str:
    """The question for a span behind the verb; "" where no rule is sure."""
    inverted = statement.inverted
    if inverted is None:
        return ""
    helper, rest = inverted
    at = next((i for i, token in enumerate(rest) if token is target), -1)
    if at < 0:
        return ""
    listed = others_in_list(rest, at)
    subject = subject_of(statement)
    if listed is not None:
        others, start, end = listed
        before = rest[:start]
        if _has_island(before) or not before or before[-1].tag is Tag.DETERMINER:
            return ""
        word = "who" if asked_for(rest, at).words == "who" else "what"
        tail = without_tail(rest[end:])
        body = f"{helper} {subject} {joined(before)} {joined(tail)}".rstrip()
        return with_lead(f"other than {others}, {word} {body}", statement, tail)
    asked = asked_for(rest, at)
    first = _main_verb(statement, rest)
    if not asked.is_phrase or _has_island(rest[: asked.start]):
        return ""
    before = rest[: asked.start]
    after = without_tail(rest[asked.end :], (*statement.subject, *rest[: asked.start]))
    if len(after) > 1 and after[0].text == "," and after[1].tag is Tag.PREPOSITION:
        after = after[1:]
    if after and after[0].lower in ("to", "–", "-", "and", "or", "through") and (
        target.has_kind(Kind.YEAR, Kind.DATE, Kind.NUMBER)
    ):  # fmt: skip
        return ""
    if after and after[0].tag is Tag.SPAN and asked.end == at + 1:
        return ""
    if len(after) > 1 and after[0].text == "," and after[1].tag in {
        Tag.SPAN, Tag.DETERMINER, Tag.WORD,
    }:  # fmt: skip
        return ""
    after = without_more(after, (*statement.subject, *before))
    if after and after[0].lower in ("which", "who", "that", "whose", "where"):
        return ""
    if after and after[0].text in ("(", "/", "'", "’", '"', "”"):
        return ""
    previous = before[-1] if before else None
    if previous is None or len(before) == first + 1 or (
        previous.tag is Tag.PREPOSITION and len(before) >= first + 1
    ):  # fmt: skip
        front = _fronted(asked, before, after, helper, subject, target, statement)
        return with_lead(front, statement, after) if front else ""
    return ""


def _main_verb(statement: Statement, rest: Sequence[Token]) -> int:
    """The place of the last word of the verb group in `rest`; -1 for a copula's rest."""
    at = -1
    for i, token in enumerate(rest[:5]):
        if (
            token.tag is Tag.PAST
            or token.lower in ("been", "be", "being", "born", "become")
            or token.tag is Tag.BASE
        ):
            at = i
        elif token.tag is Tag.WORD and at < 0 and statement.verbal[0].lower in MODALS | DO:
            at = i
            break
        elif token.tag is not Tag.ADVERB and token.lower != "not":
            break
    return at


def _fronted(
    asked: Asked,
    before: Sequence[Token],
    after: Sequence[Token],
    helper: str,
    subject: str,
    target: Token,
    statement: Statement,
) -> str:
    previous = before[-1] if before else None
    tail = joined(after)
    if previous is None or previous.tag is not Tag.PREPOSITION:
        return f"{asked.words} {helper} {subject} {joined(before)} {tail}".rstrip()
    inner = joined(before[:-1])
    if asked.where:
        return f"{asked.where} {helper} {subject} {inner} {tail}".rstrip()
    agent = _agent(asked, before, statement, tail)
    if agent:
        return agent
    if target.has_kind(Kind.NAME, Kind.TITLE) and " " not in asked.words:
        if len(before) > LONGEST_STRANDING or subject == "there":
            return ""
        # People strand the preposition: "Who was the mill built by?"
        return f"{asked.words} {helper} {subject} {joined(before)} {tail}".rstrip()
    preposition = previous.lower
    if preposition == "of" and len(before) > 1:
        return f"{asked.words} {helper} {subject} {joined(before)} {tail}".rstrip()
    return f"{preposition} {asked.words} {helper} {subject} {inner} {tail}".rstrip()


def _agent(asked: Asked, before: Sequence[Token], statement: Statement, tail: str) -> str:
    """ "Who built the mill?" of "The mill was built by …"; "" where that is not the pattern."""
    verb = statement.verbal[0]
    if before[-1].lower != "by" or verb.lower not in ("was", "were") or len(before) != 2:
        return ""
    past = past_of_participle(before[0].text)
    if not past or statement.adverbs:
        return ""
    return f"{asked.words} {past} {subject_of(statement)} {tail}".rstrip()


def _has_island(tokens: Sequence[Token]) -> bool:
    """Whether a clause or bracket of its own begins here: nothing can be asked out of it."""
    opened = sum((t.text == "(") - (t.text == ")") for t in tokens)
    return opened > 0 or any(
        t.tag is Tag.SUBORDINATOR
        or t.text in (",", ";", ":", "–", "—")
        or (t.lower in ("and", "or") and not joins_names(tokens, i))
        or t.lower in ("but", "including", "as", "than")
        or (t.is_finite and i > 2 and (t.tag is Tag.AUXILIARY or not _is_attribute(tokens, i)))
        for i, t in enumerate(tokens)
    )


def _is_attribute(tokens: Sequence[Token], i: int) -> bool:
    return tokens[i].tag is Tag.PAST and tokens[i - 1].tag in {
        Tag.DETERMINER, Tag.ADVERB, Tag.PREPOSITION,
    }  # fmt: skip
