"""The clause that holds a span: its predicate, subject and auxiliary, by the dependency parse."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pipeline.backends.compact.text.parsing import Token

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_FINITE = frozenset({"ROOT", "acl", "relcl", "ccomp", "advcl", "conj", "parataxis"})
_PARTICIPIAL = frozenset({"acl", "advcl", "pcomp"})
_AUXILIARIES = frozenset({"aux", "auxpass"})
_RELATIVE = frozenset({"WDT", "WP", "WP$", "WRB"})
_AFTERTHOUGHTS = frozenset({"relcl", "acl", "appos", "advcl", "parataxis", "conj", "cc", "punct"})
_CONCLUDING = frozenset({"so", "thus", "therefore", "hence"})
_FULL = {
    "'s": "is", "'ve": "have", "'re": "are", "'m": "am", "'ll": "will", "'d": "would",
    "ca": "can", "wo": "will",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A predicate with what belongs to it, in the sentence's order."""

    verb: Token
    lead: tuple[Token, ...]
    """What stands before the subject, without the words that tie the clause to another."""
    subject: tuple[Token, ...]
    """Its own or the one that it shares; for a relative clause its antecedent."""
    helper: str
    """The auxiliary that goes before the subject: "was", "did"; "" where the parse is unsure."""
    removed: Token | None
    """The token that is the helper, where it is one of the clause."""
    rest: tuple[Token, ...]
    """What stands behind the subject, a relative clause's object behind its verb."""

    @property
    def tokens(self) -> tuple[Token, ...]:
        return self.lead + self.rest

    @property
    def bare(self) -> Token | None:
        """The verb where it stands in its base form behind the helper."""
        return self.verb if self.helper in ("did", "does", "do") and not self.removed else None

    @property
    def implied(self) -> str:
        """The "was" that "built in 1852" leaves out."""
        return "" if self.bare or self.removed else self.helper


def clauses_of(token: Token, keep: Collection[int]) -> Iterator[Clause]:
    """The clauses around a token, the smallest first."""
    while (clause := clause_of(token, keep)) is not None:
        yield clause
        if clause.verb.head == clause.verb:
            return
        token = clause.verb.head


def clause_of(token: Token, keep: Collection[int] = ()) -> Clause | None:
    """The smallest clause with a subject around `token`; None where its predicate is no verb.

    What joins it to another clause is cut, unless it holds a place of `keep`.
    """
    verb = predicate_of(token)
    if verb is None:
        return None
    owner = verb
    while subject_head(owner) is None and owner.dep_ in ("conj", "advcl", "pcomp"):
        owner = owner.head if owner.dep_ != "pcomp" else owner.head.head
    subject = _subject_of(owner)
    helper, removed = _helper_of(verb, subject)
    own = subject_head(verb)
    dropped = {t.i for t in subject} | ({own.i} if own is not None and own.tag_ == "PRP" else set())
    edge = max((t.i for t in subject if t.i < verb.i), default=-1)
    tokens = [t for t in _tokens_of(verb, keep) if t.i not in dropped]
    rest = [t for t in tokens if t.i > edge]
    if verb in rest[1:2] and rest[0].text == ",":  # "The canal, opened in 1942, joins"
        rest = rest[1:]
    at = rest.index(verb) + 1 if verb in rest else 0
    rest[at:at] = _gap_of(verb)
    lead = tuple(t for t in tokens if t.i < edge)
    return Clause(
        verb=verb, subject=subject, helper=helper, removed=removed, lead=lead, rest=tuple(rest)
    )


def predicate_of(token: Token) -> Token | None:
    """The verb of the clause that a token stands in, infinitives within their clause."""
    while not _is_predicate(token):
        if token.head == token:
            return None
        token = token.head
    return token


def _is_predicate(token: Token) -> bool:
    if token.pos_ not in ("VERB", "AUX"):
        return False
    if token.dep_ == "ROOT":
        return True
    helpers = {child.tag_ for child in token.children if child.dep_ in _AUXILIARIES}
    if "TO" in helpers:
        return False
    if token.dep_ == "conj":
        return token.head.pos_ in ("VERB", "AUX") and _is_predicate(token.head)
    if token.dep_ in _PARTICIPIAL and token.tag_ in ("VBN", "VBG") and not helpers:
        return token.dep_ == "acl" or any(t.pos_ in ("VERB", "AUX") for t in token.ancestors)
    is_finite = bool(helpers) or token.tag_ not in ("VB", "VBG")
    return token.dep_ in _FINITE and is_finite and subject_head(token) is not None


def subject_head(verb: Token) -> Token | None:
    return next((child for child in verb.children if child.dep_ in SUBJECTS), None)


def _subject_of(verb: Token) -> tuple[Token, ...]:
    """The words of a verb's subject, a pronoun's antecedent in the sentence for the pronoun."""
    head = subject_head(verb)
    if head is None:
        return _antecedent_of(verb) if verb.dep_ == "acl" else ()
    if verb.dep_ == "relcl" and head.tag_ in _RELATIVE:
        return _antecedent_of(verb)
    governing = predicate_of(verb.head) if verb.head != verb else None
    above = subject_head(governing) if governing is not None else None
    if above is not None and above.pos_ in ("PROPN", "NOUN") and above.i < head.i:
        is_person = above.ent_type_ == "PERSON"
        if head.lower_ in (("he", "she") if is_person else ("it",)):
            return phrase_of(above)
    words = list(head.subtree)
    # "The canal, opened in 1942, joins": a comma that closes nothing within the phrase.
    return tuple(trimmed(words) if [t.text for t in words].count(",") == 1 else words)


def _antecedent_of(verb: Token) -> tuple[Token, ...]:
    """What a relative or participial clause says something about: of "X is a mill that", X."""
    head = verb.head
    named = subject_head(head.head) if head.dep_ == "attr" else None
    if named is not None and named.dep_ != "expl" and named.tag_ not in _RELATIVE:
        return phrase_of(named)
    while head.dep_ == "appos":
        head = head.head
    return phrase_of(head)


def _gap_of(verb: Token) -> tuple[Token, ...]:
    """The antecedent of "the mill that Hart built", which stands behind the verb elsewhere."""
    relative = next((t for t in verb.subtree if t.tag_ in _RELATIVE), None)
    has_object = any(child.dep_ == "dobj" for child in verb.children)
    is_object = relative.dep_ == "dobj" if relative is not None else not has_object
    return _antecedent_of(verb) if is_object and verb.dep_ == "relcl" else ()


def phrase_of(head: Token) -> tuple[Token, ...]:
    """A noun phrase without the clauses, appositions and conjuncts that hang on it."""
    cut = [t for child in head.rights if child.dep_ in _AFTERTHOUGHTS for t in child.subtree]
    quotes = {t.i for t in cut if t.is_quote}
    # An odd one closes a title that stays.
    gone = {t.i for t in cut} - (quotes if len(quotes) % 2 else set())
    return tuple(t for t in head.subtree if t.i not in gone and not t.is_space)


def _tokens_of(verb: Token, keep: Collection[int]) -> list[Token]:
    """The tokens of a clause without joined clauses and what ties it to another."""
    cut: set[int] = set()
    for child in verb.children:
        joins = child.dep_ in ("mark", "cc", "preconj") or child.tag_ in _RELATIVE
        after = child.right_edge.i + 1
        opens = child.dep_ in ("advmod", "intj") and after < verb.i and (
            verb.doc[after].text == "," or (child.is_sent_start and child.lower_ in _CONCLUDING)
        )  # fmt: skip
        apart = child.dep_ in ("conj", "parataxis", "dep") and child.pos_ in ("VERB", "AUX")
        piped = child.dep_ == "prep" and any(t.tag_ in _RELATIVE for t in child.children)
        places = {t.i for t in child.subtree}
        if (joins or opens or apart or (piped and child.i < verb.i)) and places.isdisjoint(keep):
            cut |= places
    return trimmed([t for t in verb.subtree if t.i not in cut and not t.is_space])


def trimmed(tokens: list[Token]) -> list[Token]:
    """The tokens without punctuation at their ends; brackets and quotation marks stay."""
    while tokens and (tokens[-1].is_punct and tokens[-1].text not in "\"”’'%)"):
        tokens = tokens[:-1]
    while tokens and tokens[0].is_punct and tokens[0].text not in "\"“‘'($":
        tokens = tokens[1:]
    return tokens


def _helper_of(verb: Token, subject: Sequence[Token]) -> tuple[str, Token | None]:
    """(auxiliary, its token where it is one of the clause)."""
    first = verb
    while first.dep_ == "conj":
        first = first.head
    for bearer in (verb, first) if verb.tag_ in ("VBN", "VBG", "VB") else (verb,):
        for child in bearer.children:
            if child.dep_ in _AUXILIARIES and child.tag_ != "TO":
                word = child.lower_.replace("’", "'")
                word = "has" if word == "'s" and child.lemma_ == "have" else _FULL.get(word, word)
                return word, child if bearer == verb else None
    if verb.lemma_ == "be" and verb.tag_ in ("VBD", "VBZ", "VBP"):
        return _FULL.get(verb.lower_, verb.lower_), verb
    plural = any(t.tag_ in ("NNS", "NNPS") and t.head not in subject for t in subject)
    tag = verb.tag_
    if first.dep_ in _PARTICIPIAL and tag in ("VBN", "VBG"):
        above = predicate_of(first.head)
        forms = {t.tag_ for t in (above, *above.children)} if above is not None else set()
        dated = any(t.ent_type_ == "DATE" for t in verb.subtree)
        past = dated or not forms & {"VBZ", "VBP"}
        if tag == "VBN":
            return ("were" if plural else "was") if past else ("are" if plural else "is"), None
        tag = "VBD" if past else "VBP" if plural else "VBZ"
    return {"VBD": "did", "VBN": "did", "VBZ": "does", "VBP": "do"}.get(tag, ""), None
