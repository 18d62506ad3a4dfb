"""A statement taken apart: what leads it, its subject, its finite verb and the rest.

Only what the words show surely: where the subject or the verb is in doubt there is no statement,
and the caller keeps the sentence's own order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.backends.compact.questions.tagging import Tag, Token, joined
from pipeline.backends.compact.questions.verbs import BE, HAVE, base_of_third_person, is_participle
from pipeline.backends.compact.text.spans import Kind
from pipeline.backends.compact.text.words import words_in

LONGEST_SUBJECT = 14
"""Tokens; what is longer was most likely read wrongly."""

_CONNECTIVES = words_in(
    """however moreover furthermore additionally meanwhile therefore thus also consequently
    nevertheless nonetheless similarly likewise finally overall indeed instead interestingly notably
    unfortunately importantly subsequently hence otherwise besides and but so then yes no"""
) | {
    "in addition", "for example", "for instance", "as a result", "in fact", "of course",
    "in summary", "in conclusion", "on the other hand", "in contrast", "in particular",
    "as such", "in other words", "in general", "after all", "at the same time", "by contrast",
}  # fmt: skip
_SAYS = words_in("say claim believe announce think state report argue suggest know find")
# Verbs that follow a plural and are hardly ever nouns themselves.
_SURE_BASES = words_in(
    """contain include become remain tell follow serve mean make take provide require allow help
    consist give go come begin say consume involve represent describe explain tend seem appear
    depend happen reduce belong comprise encompass exist grow differ get enable suggest prevent
    vary believe contribute improve ensure occur affect create"""
)
_PLURAL_NOT_VERB = {Tag.DETERMINER, Tag.PREPOSITION, Tag.CONJUNCTION}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A main clause. `subject` and `verbal` are never empty."""

    lead: tuple[Token, ...] = ()
    """What stands before the subject, without its comma and without "However"."""
    subject: tuple[Token, ...]
    aside: tuple[Token, ...] = ()
    """What stands between commas after the subject, and in `verbal` no more."""
    adverbs: tuple[Token, ...] = ()
    """What stands between the subject and the verb: "also"."""
    verbal: tuple[Token, ...]
    """From the finite verb to the end of the clause."""

    @property
    def inverted(self) -> tuple[str, tuple[Token, ...]] | None:
        """(helper, rest) so that helper + subject + rest asks; None where no rule is sure."""
        verb, rest = self.verbal[0], self.verbal[1:]
        if verb.tag is Tag.AUXILIARY and verb.lower not in HAVE:
            return verb.lower, self.adverbs + rest
        if verb.lower in HAVE:
            following = next(
                (t for t in rest if t.tag is not Tag.ADVERB and t.lower != "not"), None
            )
            if following is not None and is_participle(following.text):
                return verb.lower, self.adverbs + rest
            helper = {"had": "did", "has": "does", "have": "do"}.get(verb.lower)
            return (helper, (*self.adverbs, _base(verb, "have"), *rest)) if helper else None
        if not verb.base:
            return None
        helper = "did" if verb.tag is Tag.PAST else "do" if verb.lower == verb.base else "does"
        return helper, (*self.adverbs, _base(verb, verb.base), *rest)


def _base(verb: Token, base: str) -> Token:
    return replace(verb, text=base, tag=Tag.BASE, spaced=True)


def statement_of(tokens: Sequence[Token]) -> Statement | None:
    """The main clause of a sentence; None where its parts are in doubt."""
    tokens = without_connective(_without_end(tokens))
    if not tokens:
        return None
    if _may_lead(tokens[0]) or _tells_when(tokens):
        at = -1
        for _ in range(3):
            at = _comma(tokens, at + 1, len(tokens))
            if at < 1:
                break
            inner = _from_subject(tokens[at + 1 :])
            if inner:
                return replace(inner, lead=tuple(tokens[:at]))
        # "In 1990 she left": a year needs no comma.
        if len(tokens) > 3 and tokens[1].has_kind(Kind.YEAR, Kind.DATE):
            inner = _from_subject(tokens[2:])
            return replace(inner, lead=tuple(tokens[:2])) if inner else None
        return None
    return _from_subject(tokens)


def without_connective(tokens: Sequence[Token]) -> Sequence[Token]:
    """The sentence without "However," and "And", which say nothing about what is asked."""
    start = 0
    while start < len(tokens):
        comma = _comma(tokens, start, start + 6)
        if comma > start and joined(tokens[start:comma]).lower() in _CONNECTIVES:
            start = comma + 1
        elif tokens[start].lower in ("and", "but", "so", "yet", "also", "then"):
            start += 1
        else:
            break
    return tokens[start:]


def _without_end(tokens: Sequence[Token]) -> Sequence[Token]:
    end = len(tokens)
    while end and tokens[end - 1].text in (".", "!", "?", ";", ":", ",", "…"):
        end -= 1
    return tokens[:end]


def _comma(tokens: Sequence[Token], start: int, stop: int) -> int:
    return next((i for i in range(start, min(stop, len(tokens))) if tokens[i].text == ","), -1)


def _may_lead(token: Token) -> bool:
    if token.tag in {Tag.PREPOSITION, Tag.SUBORDINATOR, Tag.ADVERB}:
        return True
    return token.tag is Tag.PAST or token.lower in ("according", "following", "starting", "using")


def _tells_when(tokens: Sequence[Token]) -> bool:
    """Whether a sentence opens with "The same year," or "Two years later,"."""
    comma = _comma(tokens, 1, 6)
    return comma > 0 and tokens[comma - 1].lower in (
        "year", "month", "day", "week", "time", "night", "season", "later", "earlier", "ago",
        "years", "months", "days", "weeks",
    )  # fmt: skip


def _from_subject(tokens: Sequence[Token]) -> Statement | None:
    verb = _finite(tokens)
    if verb is None:
        verb = _likely_present(tokens)
        if verb is None:
            return None
        base = base_of_third_person(tokens[verb].text) or tokens[verb].lower
        present = replace(tokens[verb], tag=Tag.PRESENT, base=base)
        tokens = [*tokens[:verb], present, *tokens[verb + 1 :]]
    end = verb
    while end > 1 and tokens[end - 1].tag is Tag.ADVERB:
        end -= 1
    subject, aside = _subject(tokens[:end])
    if not subject:
        return None
    return Statement(
        subject=tuple(subject),
        aside=tuple(aside),
        adverbs=tuple(tokens[end:verb]),
        verbal=tuple(tokens[verb:]),
    )


def _finite(tokens: Sequence[Token]) -> int | None:
    """The place of the finite verb of a clause that begins with its subject."""
    closing = -1
    for i, token in enumerate(tokens):
        if i <= closing:
            continue
        if token.text == "," and i and (aside := _aside_end(tokens, i)):
            closing = aside
            continue
        if token.text in (";", ":", "–", "—", '"', "“", "”") or token.tag is Tag.SUBORDINATOR:
            return None
        if token.tag is Tag.PRONOUN and i:
            return None
        if token.tag is Tag.CONJUNCTION and i + 1 < len(tokens) and tokens[i + 1].is_finite:
            return None
        if not token.is_finite or not i or _is_attribute(tokens, i):
            continue
        if token.tag is Tag.AUXILIARY:
            return i if token.lower not in ("may", "will") or token.text.islower() else None
        following = tokens[i + 1] if i + 1 < len(tokens) else None
        if following is not None and following.lower == "by":
            continue
        if _has_verb_to_come(tokens, i + 1) and not _is_surely_past(token):
            continue
        if token.tag is Tag.PRESENT and not _reads_as_present(tokens, i):
            return None
        return i
    return None


def _likely_present(tokens: Sequence[Token]) -> int | None:
    """The place of a rarer present form: "Hart concludes that", "The mill grinds the corn"."""
    for i, token in enumerate(tokens[:7]):
        if token.tag is Tag.PREPOSITION and i:
            continue
        if token.tag not in {Tag.SPAN, Tag.DETERMINER, Tag.WORD, Tag.ADVERB, Tag.PRONOUN}:
            return None
        if not i or token.tag is not Tag.WORD:
            continue
        if token.text in _SURE_BASES and any(t.lower.endswith("s") for t in tokens[:i]):
            return i
        if not base_of_third_person(token.text):
            continue
        first, before = tokens[0], tokens[i - 1]
        singular = first.lower in ("the", "a", "an", "this", "it", "he", "she") or first.mention
        fits = before.mention is not None or before.tag in {Tag.WORD, Tag.ADVERB, Tag.PRONOUN}
        following = tokens[i + 1].tag if i + 1 < len(tokens) else None
        if singular and fits and following in {
            Tag.DETERMINER, Tag.PREPOSITION, Tag.SPAN, Tag.ADVERB, Tag.SUBORDINATOR, Tag.PRONOUN,
        } and tokens[i + 1].lower != "of":  # fmt: skip
            return i
    return None


def _aside_end(tokens: Sequence[Token], comma: int) -> int:
    """The comma that closes what `comma` opens, right before the finite verb; 0 for none."""
    for j in range(comma + 2, min(len(tokens) - 1, comma + 16)):
        if tokens[j].text == ",":
            return j if tokens[j + 1].is_finite else 0
    return 0


def _is_attribute(tokens: Sequence[Token], i: int) -> bool:
    """Whether a form that may be a verb stands where an adjective or noun does."""
    before = tokens[i - 1]
    if tokens[i].tag is Tag.AUXILIARY:
        return False
    if tokens[i].tag is Tag.PRESENT and before.has_kind(Kind.NUMBER):
        return True
    return before.tag in _PLURAL_NOT_VERB or before.lower in ("'s", "’s", "'")


def _has_verb_to_come(tokens: Sequence[Token], start: int) -> bool:
    """Whether another finite verb follows in this clause."""
    for i in range(start, len(tokens)):
        token = tokens[i]
        if token.text in (",", ";", "(") or token.tag in {Tag.SUBORDINATOR, Tag.CONJUNCTION}:
            return False
        if token.tag is Tag.PRONOUN:
            return False
        if token.is_finite and not _is_attribute(tokens, i):
            return token.tag is Tag.AUXILIARY or _is_surely_past(token)
    return False


def _is_surely_past(token: Token) -> bool:
    """A past form that is no participle ("wrote"), or a verb of saying."""
    return token.base in _SAYS or (token.tag is Tag.PAST and not is_participle(token.text))


def _reads_as_present(tokens: Sequence[Token], i: int) -> bool:
    first, following = tokens[0], tokens[i + 1 : i + 2]
    if not following or following[0].tag is Tag.WORD:
        return first.lower in ("the", "a", "an", "it", "he", "she", "this") or bool(first.mention)
    return following[0].lower != "of"


def _subject(tokens: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """(subject, aside) of what stands before the finite verb; ([], []) where it is no subject."""
    subject, aside = list(tokens), []
    commas = [i for i, token in enumerate(subject) if token.text == ","]
    if subject and subject[-1].text == "," and len(commas) == 2:
        aside = subject[commas[0] + 1 : -1]
        subject = subject[: commas[0]]
    elif commas and not any(token.lower == "and" for token in subject[commas[-1] :]):
        return [], []
    if not subject or len(subject) > LONGEST_SUBJECT:
        return [], []
    first = subject[0]
    if first.tag in {Tag.PREPOSITION, Tag.CONJUNCTION, Tag.PUNCTUATION, Tag.PAST, Tag.AUXILIARY}:
        return [], []
    brackets = sum((t.text == "(") - (t.text == ")") for t in subject)
    return ([], []) if brackets else (subject, aside)


def clauses_of(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """(start, end) of the main clauses of a sentence, as tokens; at least one."""
    start = 0
    for i in range(1, len(tokens) - 1):
        if i <= start:
            continue
        token = tokens[i]
        after = i + 1
        if token.text == "." and not tokens[after].spaced and tokens[after].text[0].isupper():
            # "It closed in 1990.Later it burned": a full stop without its space.
            yield start, i
            start = after
            continue
        if token.text == ";":
            pass
        elif token.lower in ("and", "but", "while", "whereas", "although", "though", "so", "yet"):
            if not _is_clause(tokens[after:]) or not _is_whole(tokens[start:i]):
                continue
        else:
            continue
        if statement_of(tokens[start:i]) is None or statement_of(tokens[after:]) is None:
            continue
        yield start, i
        start = after
    yield start, len(tokens)


def _is_clause(tokens: Sequence[Token]) -> bool:
    """Whether a short sure subject and its verb stand right here."""
    if not tokens or _may_lead(tokens[0]):
        return False
    verb = _finite(tokens)
    if verb is None or verb > 6:
        return False
    return verb == 1 or tokens[0].tag is not Tag.WORD


def _is_whole(tokens: Sequence[Token]) -> bool:
    """Whether nothing opened before ("that", "between") reaches over the conjunction."""
    return not any(t.lower in ("that", "between", "both", "whether") for t in tokens)


def verbals_of(statement: Statement) -> list[tuple[Token, ...]]:
    """The verb phrases that share the subject: "was born in Leeds" and "moved to York".

    One only, where the second verb may belong to something else.
    """
    verbal = statement.verbal
    parts: list[tuple[Token, ...]] = []
    start = 0
    for i in range(1, len(verbal) - 1):
        if verbal[i].lower not in ("and", "but"):
            continue
        at = i + 2 if verbal[i + 1].tag is Tag.ADVERB and i + 2 < len(verbal) else i + 1
        verb = verbal[at]
        before = verbal[start:i]
        if not verb.is_finite or any(t.tag is Tag.SUBORDINATOR for t in before):
            continue
        if verb.tag is not Tag.AUXILIARY:
            shares = verbal[0].lower in BE | HAVE and is_participle(verb.text)
            born = len(verbal) > 1 and verbal[1].lower == "born"
            if shares and not born:
                continue
            if verb.tag is Tag.PRESENT and verbal[0].tag is Tag.PAST:
                continue
        parts.append(_without_comma(before))
        start = i + 1
    parts.append(verbal[start:])
    return parts


def _without_comma(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    return tokens[:-1] if tokens and tokens[-1].text == "," else tokens
