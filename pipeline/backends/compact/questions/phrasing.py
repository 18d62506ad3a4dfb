"""Questions from statements: the question words first, the helper verb before the subject.

Where a rule is not sure of the parts, the sentence keeps its order and the question words stand
in the span's place: "The mill opened in what year?" can still be read and searched for.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from pipeline.backends.compact.questions.asking import asked_for
from pipeline.backends.compact.questions.cutting import without_tail
from pipeline.backends.compact.questions.finishing import (
    LONGEST_LEAD,
    finished,
    put,
    small,
    subject_of,
    with_lead,
)
from pipeline.backends.compact.questions.focusing import own_clause, related_clause, without_label
from pipeline.backends.compact.questions.fronting import asked_of_rest
from pipeline.backends.compact.questions.listing import others_in_list
from pipeline.backends.compact.questions.noun_phrases import Asked
from pipeline.backends.compact.questions.statements import (
    Statement,
    clauses_of,
    statement_of,
    verbals_of,
    without_connective,
)
from pipeline.backends.compact.questions.tagging import Tag, Token, glued, joined
from pipeline.backends.compact.questions.verbs import is_base, is_participle
from pipeline.backends.compact.text.entity_types import may_be_person
from pipeline.backends.compact.text.spans import Kind
from pipeline.backends.compact.text.words import is_common, words_in


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
            return finished(asked)
    return finished(_in_place(inner, at))


def question_in_place(tokens: Sequence[Token], place: int) -> str:
    """The sentence in its own order, with the question words where the span stood."""
    return finished(_in_place(tokens, place))


def whole_question(tokens: Sequence[Token]) -> str:
    """A yes-or-no question about a whole sentence."""
    tokens = without_connective(tokens)
    if _is_order(tokens):
        return finished(f"should you {small(joined(tokens))}")
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
        return finished(
            with_lead(f"{helper} {subject_of(statement)}{aside} {joined(rest)}", statement, rest)
        )
    body = joined(tokens).strip().rstrip(" .!?;:")
    first = tokens[0] if tokens else None
    if first is not None and first.tag is not Tag.SPAN:
        body = small(body)
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
            return asked_of_rest(alone, target)
    return ""


def _of_subject(statement: Statement, at: int) -> str:
    subject = statement.subject
    listed = others_in_list(subject, at)
    asked = asked_for(subject, at)
    said = without_tail(statement.verbal)
    verbal = joined((*statement.adverbs, *said))
    if listed is not None:
        others, start, end = listed
        if start == 0 and end == len(subject):
            word = "who" if asked.words == "who" else "what"
            return with_lead(f"other than {others}, {word} {verbal}", statement, said)
        return ""
    before, after = joined(subject[: asked.start]), joined(subject[asked.end :])
    named = joined(put(subject, asked))
    if not before and not after:
        asked = _with_class(statement, asked)
        return with_lead(f"{asked.words} {verbal}", statement, said)
    if not before and subject[asked.end].lower in ("and", "or"):
        others = joined(subject[asked.end + 1 :])
        return with_lead(f"other than {others}, {asked.words} {verbal}", statement, said)
    if not before:
        return with_lead(f"{named} {verbal}", statement, said)
    if (
        not after
        and asked.words == "who"
        and subject[asked.start - 1].tag is Tag.WORD
        and not any(t.tag is Tag.CONJUNCTION for t in subject)
    ):
        question = f"what is the name of {small(before, subject[0])} who {verbal}"
        return with_lead(question, statement, said)
    # "The capital of which country is Leeds?" keeps its order.
    return with_lead(f"{small(named, subject[0])} {verbal}", statement, said)


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
        return f"{subject_of(statement)} {verbal} {small(joined(put(lead, asked)), lead[0])}"
    helper, rest = inverted
    body = f"{helper} {subject_of(statement)} {joined(without_tail(rest))}"
    after = joined(lead[asked.end :])
    if asked.where and asked.start == 1 and not after:
        return f"{asked.where} {body}"
    words_ = "whom" if asked.words == "who" else asked.words
    front = f"{small(joined(lead[: asked.start]))} {words_} {after}".strip()
    return f"{front} {body}"


def _in_place(tokens: Sequence[Token], at: int) -> str:
    """The clause in its own order, the question words in the span's place."""
    asked = asked_for(tokens, at)
    words_ = asked.words
    if words_ == "who" and asked.start and tokens[asked.start - 1].tag is Tag.PREPOSITION:
        words_ = "whom"
    end = asked.end + len(without_tail(tokens[asked.end :], tokens[: asked.start]))
    return joined(put(tokens[:end], replace(asked, words=words_)))


def _is_adverb(tokens: Sequence[Token], place: int) -> bool:
    """Whether "first" tells when or how: "first opened", "wash it first"."""
    before, after = tokens[max(0, place - 1) : place], tokens[place + 1 : place + 2]
    if tokens[place].lower != "first" or (before and before[0].tag is Tag.DETERMINER):
        return False
    return not after or after[0].tag in {Tag.PAST, Tag.PUNCTUATION}
