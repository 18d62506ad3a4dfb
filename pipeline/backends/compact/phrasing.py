"""Questions from statements: the question words first, the helper verb before the subject.

Where a rule is not sure of the parts, the sentence keeps its order and the question words stand
in the span's place: "The mill opened in what year?" can still be read and searched for.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from pipeline.backends.compact.asking import Asked, asked_for
from pipeline.backends.compact.cutting import without_more, without_tail
from pipeline.backends.compact.focusing import own_clause, related_clause, without_label
from pipeline.backends.compact.name_sorts import may_be_person
from pipeline.backends.compact.spans import Kind
from pipeline.backends.compact.statements import (
    Statement,
    clauses_of,
    statement_of,
    verbals_of,
    without_connective,
)
from pipeline.backends.compact.tagging import Tag, Token, glued, joined
from pipeline.backends.compact.verbs import DO, MODALS, is_base, is_participle, past_of_participle
from pipeline.backends.compact.words import is_common, words_in

LONGEST_STRANDING = 7
"""Tokens before a preposition that may be left behind: "Who was the mill built by?"."""
LONGEST_LEAD = 9
"""Tokens of an opening phrase that a question keeps, at its end."""


def question_for(tokens: Sequence[Token], place: int) -> str:
    """The question for the span at `tokens[place]` of a sentence; never its own words."""
    if glued(tokens, place) or _is_adverb(tokens, place):
        return whole_question(tokens)
    bare = without_connective(tokens)
    if place < len(tokens) - len(bare):
        bare = tokens
    tokens, place = without_label(bare, place - (len(tokens) - len(bare)))
    inner, at = related_clause(tokens, place) or own_clause(tokens, place)
    statement = statement_of(inner)
    if statement is not None:
        asked = _asking_statement(statement, inner[at])
        if asked:
            return _finished(asked)
    return _finished(_in_place(inner, at))


def question_in_place(tokens: Sequence[Token], place: int) -> str:
    """The sentence in its own order, with the question words where the span stood."""
    return _finished(_in_place(tokens, place))


def whole_question(tokens: Sequence[Token]) -> str:
    """A yes-or-no question about a whole sentence."""
    tokens = without_connective(tokens)
    if _is_order(tokens):
        return _finished(f"should you {_small(joined(tokens))}")
    statement = statement_of(tokens)
    inverted = statement.inverted if statement else None
    if (
        statement
        and inverted
        and inverted[0] not in ("may", "might")
        and len(list(clauses_of(tokens))) == 1
        and _keeps_sense(statement, inverted[1])
    ):
        helper, rest = inverted
        aside = f", {joined(statement.aside)}," if statement.aside else ""
        return _finished(
            _with_lead(f"{helper} {_subject(statement)}{aside} {joined(rest)}", statement, rest)
        )
    body = joined(tokens).strip().rstrip(" .!?;:")
    first = tokens[0] if tokens else None
    if first is not None and first.tag is not Tag.SPAN:
        body = _small(body)
    return f"Is it true that {body}?"


def _is_order(tokens: Sequence[Token]) -> bool:
    """Whether a sentence opens with a bare verb: "Make the dough first"."""
    if len(tokens) > 3 and tokens[0].tag is Tag.ADVERB:
        tokens = tokens[1:]
    return (
        len(tokens) > 2
        and tokens[0].tag is Tag.WORD
        and is_base(tokens[0].text)
        and (
            tokens[1].tag in {Tag.DETERMINER, Tag.ADVERB}
            or tokens[1].lower in ("it", "them", "sure")
        )
    )


def _keeps_sense(statement: Statement, rest: Sequence[Token]) -> bool:
    """Whether one helper carries the whole: no second finite verb that shares the subject."""
    return len(verbals_of(statement)) == 1 and not any(
        token.text == ";" or (token.lower in ("and", "but") and rest[i + 1 : i + 2]
                              and rest[i + 1].is_finite)
        for i, token in enumerate(rest)
    )  # fmt: skip


def _asking_statement(statement: Statement, target: Token) -> str:
    """The question with its words first; "" where no rule is sure."""
    for part, tokens in (("subject", statement.subject), ("lead", statement.lead)):
        if any(token is target for token in tokens):
            at = next(i for i, token in enumerate(tokens) if token is target)
            return (_of_subject if part == "subject" else _of_lead)(statement, at)
    for verbal in verbals_of(statement):
        if any(token is target for token in verbal):
            alone = replace(statement, verbal=verbal)
            if verbal is not statement.verbal and verbal[0] is not statement.verbal[0]:
                alone = replace(alone, adverbs=(), lead=())
                while alone.verbal[0].tag is Tag.ADVERB:
                    alone = replace(
                        alone,
                        adverbs=(*alone.adverbs, alone.verbal[0]),
                        verbal=alone.verbal[1:],
                    )
            return _of_rest(alone, target)
    return ""


def _of_subject(statement: Statement, at: int) -> str:
    subject = statement.subject
    listed = _others_in_list(subject, at)
    asked = asked_for(subject, at)
    said = without_tail(statement.verbal)
    verbal = joined((*statement.adverbs, *said))
    if listed is not None:
        others, start, end = listed
        if start == 0 and end == len(subject):
            word = "who" if asked.words == "who" else "what"
            return _with_lead(f"other than {others}, {word} {verbal}", statement, said)
        return ""
    before, after = joined(subject[: asked.start]), joined(subject[asked.end :])
    named = joined(_put(subject, asked))
    if not before and not after:
        asked = _with_class(statement, asked)
        return _with_lead(f"{asked.words} {verbal}", statement, said)
    if not before and subject[asked.end].lower in ("and", "or"):
        others = joined(subject[asked.end + 1 :])
        return _with_lead(f"other than {others}, {asked.words} {verbal}", statement, said)
    if not before:
        return _with_lead(f"{named} {verbal}", statement, said)
    if (
        not after
        and asked.words == "who"
        and subject[asked.start - 1].tag is Tag.WORD
        and not any(t.tag is Tag.CONJUNCTION for t in subject)
    ):
        question = f"what is the name of {_small(before, subject[0])} who {verbal}"
        return _with_lead(question, statement, said)
    # "The capital of which country is Leeds?" keeps its order.
    return _with_lead(f"{_small(named, subject[0])} {verbal}", statement, said)


_HAPPENS_TO_PERSONS = words_in(
    """born hired appointed elected jailed arrested educated raised nominated married killed
    awarded honored honoured knighted sentenced convicted drafted imprisoned fired assassinated
    diagnosed baptised buried"""
)
_THINGS_DO = words_in(
    """open feature occur take run contain consist begin end close start become include host rise
    fall grow increase decrease cause provide lead mark cover last cost premiere debut peak chart
    flow stretch surpass reach result change flood erupt"""
)


def _with_class(statement: Statement, asked: Asked) -> Asked:
    """ "Which film is …" would give the answer's class twice; "who" fits what persons do."""
    verb = statement.verbal[0]
    name = statement.subject[asked.start]
    if asked.words != "what" or not name.has_kind(Kind.NAME) or name.text.isupper():
        return asked
    rest = " ".join(t.lower for t in statement.verbal[1:8])
    if (
        verb.tag is Tag.PAST or (verb.lower == "had" and not is_participle(rest.split(" ")[0]))
    ) and (verb.base not in _THINGS_DO and not is_common(name.text)):
        return replace(asked, words="who")
    if verb.tag is Tag.AUXILIARY:
        if any(t.lower in _HAPPENS_TO_PERSONS for t in statement.verbal[1:4]):
            return replace(asked, words="who")
        if may_be_person(name.text) and not re.match(
            r"(?:a|an|the)\b[^,]*\b(?:film|album|song|book|novel|company|band|show|series|game"
            r"|city|river|town|village)\b",
            rest,
        ):
            return replace(asked, words="who")
        if re.search(
            r"\b(?:actor|actress|singer|player|politician|writer|author|composer|musician|artist"
            r"|king|queen|president|minister|poet|painter|director|scientist|footballer|rapper)\b",
            rest,
        ):
            return replace(asked, words="who")
    return asked


def _of_lead(statement: Statement, at: int) -> str:
    lead = statement.lead
    inverted = statement.inverted
    if (
        not (lead[0].tag is Tag.PREPOSITION or lead[0].has_kind(Kind.NUMBER))
        or len(lead) > LONGEST_LEAD + 3
    ):
        return ""
    if any(t.tag is Tag.SUBORDINATOR or t.is_finite for t in lead):
        return ""
    asked = asked_for(lead, at)
    if inverted is None:
        verbal = joined((*statement.adverbs, *without_tail(statement.verbal)))
        return f"{_subject(statement)} {verbal} {_small(joined(_put(lead, asked)), lead[0])}"
    helper, rest = inverted
    body = f"{helper} {_subject(statement)} {joined(without_tail(rest))}"
    after = joined(lead[asked.end :])
    if asked.where and asked.start == 1 and not after:
        return f"{asked.where} {body}"
    words_ = "whom" if asked.words == "who" else asked.words
    front = f"{_small(joined(lead[: asked.start]))} {words_} {after}".strip()
    return f"{front} {body}"


def _of_rest(statement: Statement, target: Token) -> str:
    inverted = statement.inverted
    if inverted is None:
        return ""
    helper, rest = inverted
    at = next((i for i, token in enumerate(rest) if token is target), -1)
    if at < 0:
        return ""
    listed = _others_in_list(rest, at)
    subject = _subject(statement)
    if listed is not None:
        others, start, end = listed
        before = rest[:start]
        if _has_island(before) or not before or before[-1].tag is Tag.DETERMINER:
            return ""
        word = "who" if asked_for(rest, at).words == "who" else "what"
        tail = without_tail(rest[end:])
        body = f"{helper} {subject} {joined(before)} {joined(tail)}".rstrip()
        return _with_lead(f"other than {others}, {word} {body}", statement, tail)
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
        return _with_lead(front, statement, after) if front else ""
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
    return f"{asked.words} {past} {_subject(statement)} {tail}".rstrip()


def _has_island(tokens: Sequence[Token]) -> bool:
    """Whether a clause or bracket of its own begins here: nothing can be asked out of it."""
    opened = sum((t.text == "(") - (t.text == ")") for t in tokens)
    return opened > 0 or any(
        t.tag is Tag.SUBORDINATOR
        or t.text in (",", ";", ":", "–", "—")
        or (t.lower in ("and", "or") and not _joins_names(tokens, i))
        or t.lower in ("but", "including", "as", "than")
        or (t.is_finite and i > 2 and (t.tag is Tag.AUXILIARY or not _is_attribute(tokens, i)))
        for i, t in enumerate(tokens)
    )


def _is_attribute(tokens: Sequence[Token], i: int) -> bool:
    return tokens[i].tag is Tag.PAST and tokens[i - 1].tag in {
        Tag.DETERMINER, Tag.ADVERB, Tag.PREPOSITION,
    }  # fmt: skip


def _joins_names(tokens: Sequence[Token], i: int) -> bool:
    around = (*tokens[max(0, i - 1) : i], *tokens[i + 1 : i + 2])
    return len(around) == 2 and all(_is_item(token) for token in around)


def _others_in_list(tokens: Sequence[Token], at: int) -> tuple[str, int, int] | None:
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


def _is_joint(token: Token) -> bool:
    return token.text == "," or token.lower in ("and", "or")


def _is_item(token: Token) -> bool:
    return token.has_kind(Kind.NAME, Kind.TITLE)


def _in_place(tokens: Sequence[Token], at: int) -> str:
    """The clause in its own order, the question words in the span's place."""
    asked = asked_for(tokens, at)
    words_ = asked.words
    if words_ == "who" and asked.start and tokens[asked.start - 1].tag is Tag.PREPOSITION:
        words_ = "whom"
    end = asked.end + len(without_tail(tokens[asked.end :], tokens[: asked.start]))
    return joined(_put(tokens[:end], replace(asked, words=words_)))


def _is_adverb(tokens: Sequence[Token], place: int) -> bool:
    """Whether "first" tells when or how: "first opened", "wash it first"."""
    before, after = tokens[max(0, place - 1) : place], tokens[place + 1 : place + 2]
    if tokens[place].lower != "first" or (before and before[0].tag is Tag.DETERMINER):
        return False
    return not after or after[0].tag in {Tag.PAST, Tag.PUNCTUATION}


def _put(tokens: Sequence[Token], asked: Asked) -> list[Token]:
    """The tokens with the question words where the span stood."""
    first = tokens[asked.start]
    words_ = replace(first, text=asked.words, tag=Tag.WORD, mention=None, base="")
    return [*tokens[: asked.start], words_, *tokens[asked.end :]]


def _subject(statement: Statement) -> str:
    text = joined(statement.subject)
    return _small(text, statement.subject[0])


def _with_lead(question: str, statement: Statement, after: Sequence[Token]) -> str:
    """The question with its sentence's opening phrase: at its end, if it is clear there."""
    lead = statement.lead
    if not lead or len(lead) > LONGEST_LEAD or lead[0].tag is Tag.ADVERB:
        return question
    if len(after) > LONGEST_LEAD or any(t.text == "," for t in (*after, *lead)):
        return f"{joined(lead)}, {question}"
    return f"{question} {_small(joined(lead), lead[0])}"


def _small(text: str, first: Token | None = None) -> str:
    """A first word without the capital that its place gave it."""
    word = text.split(" ", 1)[0]
    if first is not None and first.tag is Tag.SPAN:
        return text
    if word == "I" or word.startswith("I'") or (len(word) > 1 and word[1:] != word[1:].lower()):
        return text
    return text[:1].lower() + text[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _finished(text: str) -> str:
    # "… at sea.3" ends with the number of the list's next entry.
    text = re.sub(r"(?<=[a-z])\.\d{1,2}\s*$", "", text)
    text = re.sub(r"\s+([,;:.])", r"\1", re.sub(r"\s+", " ", text)).strip()
    return _capital(text.rstrip(" .!?;:,–—-")) + "?"
