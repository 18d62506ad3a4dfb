"""The clause that holds a span: its predicate, subject and auxiliary, by the dependency parse."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
ENOUGH_CONTENT = 20
"""Content words of a question from which on its clause's afterthoughts are left out."""
LONGEST_ANTECEDENT = 12
"""Tokens that stand for a relative pronoun; a longer phrase is cut to its noun."""
_PREDICATES = frozenset({"ROOT", "relcl", "ccomp", "advcl", "acl", "conj", "parataxis"})
CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM"})
_AUXILIARIES = frozenset({"aux", "auxpass"})
_AFTERTHOUGHTS = frozenset({"relcl", "acl", "appos", "advcl", "parataxis"})
_SHORT = {
    "'ve": "have", "'re": "are", "'m": "am", "'ll": "will", "'d": "would", "ca": "can",
    "wo": "will",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A predicate with what belongs to it, in the sentence's order."""

    verb: "Token"
    tokens: tuple["Token", ...]
    """All but the subject, the words that tie it to another clause, and what is cut."""
    subject: tuple["Token", ...]
    """Its own or the one that it shares; for a relative clause its antecedent."""
    helper: str
    """The auxiliary that goes before the subject: "was", "did"; "" where the parse is unsure."""
    removed: "Token | None" = None
    """The token that is the helper, where it is one of the clause."""
    bare: bool = False
    """Whether the verb stands in its base form behind the helper."""
    gap: tuple["Token", ...] = ()
    """What a relative clause says something about, where that is its object."""
    implied: str = ""
    """The "was" that "built in 1852" leaves out."""

    @property
    def is_main(self) -> bool:
        return self.verb.head == self.verb

    @property
    def is_copular(self) -> bool:
        return self.removed == self.verb


def clauses_of(token: "Token", keep: Iterable["Token"]) -> Iterator[Clause]:
    """The clauses around a token, the smallest first."""
    while True:
        clause = clause_of(token, keep)
        if clause is None:
            return
        yield clause
        if clause.is_main:
            return
        token = clause.verb.head


def clause_of(
    token: "Token", keep: Iterable["Token"] = (), *, is_whole: bool = False
) -> Clause | None:
    """The smallest clause with a subject around `token`; None where its predicate is no verb.

    Afterthoughts are cut, never those that hold a token of `keep`, and none where `is_whole`.
    """
    verb = predicate_of(token)
    if verb is None:
        return None
    inherited = _with_subject(verb)
    if inherited is None:
        return None
    owner, subject = inherited
    own = _of_clause(verb, frozenset(t.i for t in keep), is_whole)
    helper, removed, bare, implied = _helper_of(verb, owner, own, subject)
    dropped = {t.i for t in subject}
    if (pronoun := subject_head(verb)) is not None and pronoun.tag_ == "PRP":
        dropped.add(pronoun.i)
    body = tuple(t for t in own if t.i not in dropped)
    return Clause(
        verb=verb, tokens=body, subject=subject, gap=_gap_of(verb),
        helper=helper, removed=removed, bare=bare, implied=implied,
    )  # fmt: skip


def _gap_of(verb: "Token") -> tuple["Token", ...]:
    """The antecedent of "the mill (that) Hart built", which stands behind the verb elsewhere."""
    if verb.dep_ != "relcl" or verb.pos_ != "VERB":
        return ()
    for child in verb.children:
        is_relative = child.tag_ in ("WDT", "WP")
        is_other = child.dep_ in ("dobj", "attr", "acomp", "ccomp", "xcomp", "prep")
        if child.tag_ == "WRB" or (is_relative and child.dep_ in SUBJECTS):
            return ()
        if child.dep_ in ("dobj", "attr") and not is_relative:
            return ()
        if is_other and any(each.tag_ in ("WDT", "WP", "WP$") for each in child.children):
            return ()
    return antecedent_of(verb)


def predicate_of(token: "Token") -> "Token | None":
    """The verb of the clause that a token stands in, infinitives within their clause."""
    while not _is_predicate(token):
        if token.head == token:
            return None
        token = token.head
    return token


def _is_predicate(token: "Token") -> bool:
    if token.pos_ not in ("VERB", "AUX") or token.dep_ not in _PREDICATES:
        return False
    if token.dep_ == "ROOT":
        return True
    helpers = [child.tag_ for child in token.children if child.dep_ in _AUXILIARIES]
    if "TO" in helpers or (token.tag_ in ("VB", "VBG") and not helpers and token.dep_ != "acl"):
        return token.dep_ == "conj" and "TO" not in helpers and _joins(token)
    if subject_head(token) is not None:
        return True
    if token.dep_ == "conj":
        return _joins(token)
    return token.dep_ == "acl" and token.tag_ in ("VBN", "VBG")


def _joins(token: "Token") -> bool:
    """Whether the verb that this one is joined to is a predicate."""
    return token.head.pos_ in ("VERB", "AUX") and _is_predicate(token.head)


def subject_head(verb: "Token") -> "Token | None":
    return next((child for child in verb.children if child.dep_ in SUBJECTS), None)


def _with_subject(verb: "Token") -> tuple["Token", tuple["Token", ...]] | None:
    """(verb whose auxiliaries count, subject) of a clause; verbs joined by "and" share it."""
    owner = verb
    while (head := subject_head(owner)) is None and owner.dep_ == "conj":
        owner = owner.head
    if head is None:
        if owner.dep_ != "acl":
            return None
        return owner, antecedent_of(owner)
    if owner.dep_ == "relcl" and head.tag_ in ("WDT", "WP"):
        return owner, antecedent_of(owner)
    subject = tuple(head.subtree)
    if head.tag_ == "PRP" and owner.dep_ in ("advcl", "ccomp", "relcl", "conj"):
        subject = _meant_in_sentence(head, owner) or subject
    return owner, subject


def _meant_in_sentence(pronoun: "Token", verb: "Token") -> tuple["Token", ...] | None:
    """The subject of the clause above, where a pronoun below it agrees with it."""
    above = subject_head(verb.head) if verb.head != verb else None
    if above is None or above.i > pronoun.i or above.pos_ not in ("PROPN", "NOUN"):
        return None
    person = above.ent_type_ == "PERSON"
    if pronoun.lower_ in ("he", "she") and not person:
        return None
    if pronoun.lower_ == "it" and (person or above.tag_ in ("NNS", "NNPS")):
        return None
    if pronoun.lower_ not in ("he", "she", "it"):
        return None
    return phrase_of(above)


def antecedent_of(verb: "Token") -> tuple["Token", ...]:
    """What a relative or participial clause says something about: of "X is a mill that", X."""
    head = verb.head
    if head.dep_ in ("attr", "nsubj") and head.head.lemma_ == "be":
        # "X is a mill that …", "The mill that … is X"
        other = "nsubj" if head.dep_ == "attr" else "attr"
        named = next((child for child in head.head.children if child.dep_ == other), None)
        if named is not None and (
            named.pos_ == "PROPN" or (other == "nsubj" and named.tag_ not in ("WDT", "WP", "DT"))
        ):
            return phrase_of(named)
    while head.dep_ == "appos":
        head = head.head
    return phrase_of(head)


def phrase_of(head: "Token") -> tuple["Token", ...]:
    """A noun phrase without the clauses, appositions and conjuncts that hang on it."""
    cut: set[int] = set()
    for child in head.children:
        if child.dep_ in _AFTERTHOUGHTS | {"conj", "cc", "punct"} and child.i > head.i:
            cut.update(t.i for t in child.subtree if not t.is_quote)
    kept = tuple(t for t in head.subtree if t.i not in cut and not t.is_space)
    if len(kept) > LONGEST_ANTECEDENT:
        kept = tuple(t for t in kept if head.left_edge.i <= t.i <= head.i)[-LONGEST_ANTECEDENT:]
    return kept


def _of_clause(verb: "Token", keep: frozenset[int], is_whole: bool) -> list["Token"]:
    """The tokens of a clause without joined clauses, its conjunction, and afterthoughts."""
    cut: set[int] = set()
    for child in verb.children:
        joins = child.dep_ in ("mark", "cc", "preconj") or child.tag_ in ("WRB", "WDT", "WP")
        behind = child.right_edge.i + 1
        opens = (
            child.dep_ in ("advmod", "intj", "meta") and behind < verb.i
            and verb.doc[behind].text == ","
        )  # fmt: skip
        apart = child.dep_ in ("conj", "parataxis", "dep") and child.pos_ in ("VERB", "AUX")
        if (joins or opens or apart) and not (keep & {t.i for t in child.subtree}):
            cut.update(t.i for t in child.subtree)
        if (
            child.dep_ in ("prep", "pobj")
            and child.i < verb.i
            and any(t.tag_ in ("WDT", "WP") for t in child.children)
        ):
            cut.update(t.i for t in child.subtree)
    kept = [t for t in verb.subtree if t.i not in cut and not t.is_space]
    return trimmed(kept if is_whole else _without_afterthoughts(kept, verb, keep))


def _without_afterthoughts(
    tokens: list["Token"], verb: "Token", keep: frozenset[int]
) -> list["Token"]:
    """The clause cut from its end, as long as enough content words stay."""
    heads = [
        t for t in tokens
        if t.dep_ in _AFTERTHOUGHTS and t.i > verb.i
        and not (t.dep_ == "appos" and t.ent_type_ == "GPE")
        and not (t.dep_ == "acl" and any(c.tag_ == "TO" for c in t.children))
    ]  # fmt: skip
    content = sum(t.pos_ in CONTENT for t in tokens)
    cut: set[int] = set()
    for head in reversed(heads):
        part = [t for t in head.subtree if t.i not in cut]
        weight = sum(t.pos_ in CONTENT for t in part)
        if content - weight < ENOUGH_CONTENT or keep & {t.i for t in part}:
            continue
        cut.update(t.i for t in part)
        before, after = head.left_edge.i - 1, head.right_edge.i + 1
        cut.update(i for i in (before, after) if i < len(verb.doc) and verb.doc[i].text in "(),")
        content -= weight
    return [t for t in tokens if t.i not in cut]


def trimmed(tokens: list["Token"]) -> list["Token"]:
    """The tokens without punctuation at their ends; brackets and quotation marks stay."""
    while tokens and (tokens[-1].is_punct and tokens[-1].text not in "\"”’'%)"):
        tokens = tokens[:-1]
    while tokens and tokens[0].is_punct and tokens[0].text not in "\"“‘'($":
        tokens = tokens[1:]
    return tokens


def _helper_of(
    verb: "Token", owner: "Token", tokens: Sequence["Token"], subject: Sequence["Token"]
) -> tuple[str, "Token | None", bool, str]:
    """(helper, its token, whether the verb becomes bare, the auxiliary left out)."""
    own = [child for child in verb.children if child.dep_ in _AUXILIARIES and child.tag_ != "TO"]
    if own:
        return full_form(own[0]), own[0], False, ""
    if verb.lemma_ == "be" and verb.tag_ in ("VBD", "VBZ", "VBP"):
        return full_form(verb), verb, False, ""
    plural = is_plural(subject)
    if verb.dep_ == "acl" or (verb.dep_ == "conj" and owner.dep_ == "acl"):
        past = governing_tense(owner) != "present" or any(t.ent_type_ == "DATE" for t in tokens)
        if verb.tag_ == "VBN":
            word = ("were" if plural else "was") if past else ("are" if plural else "is")
            return word, None, False, word
        return ("did" if past else "do" if plural else "does"), None, True, ""
    if verb != owner and verb.tag_ in ("VBN", "VBG", "VB"):
        shared = [child for child in owner.children if child.dep_ in _AUXILIARIES]
        if shared and shared[0].tag_ != "TO":
            return full_form(shared[0]), None, False, full_form(shared[0])
    if verb.tag_ in ("VBD", "VBN"):
        return "did", None, True, ""
    if verb.tag_ in ("VBZ", "VBP"):
        return ("does" if verb.tag_ == "VBZ" else "do"), None, True, ""
    return "", None, False, ""


def governing_tense(verb: "Token") -> str:
    """The tense of the finite clause above a participle."""
    above = predicate_of(verb.head) if verb.head != verb else None
    if above is None:
        return "past"
    forms = [above.tag_, *(child.tag_ for child in above.children if child.dep_ in _AUXILIARIES)]
    return "present" if {"VBZ", "VBP"} & set(forms) else "past"


def is_plural(phrase: Sequence["Token"]) -> bool:
    """Whether a noun phrase takes "were"."""
    if any(t.dep_ == "cc" and t.lower_ == "and" for t in phrase):
        return True
    inside = {t.i for t in phrase}
    return any(t.tag_ in ("NNS", "NNPS") and t.head.i not in inside for t in phrase)


def full_form(token: "Token") -> str:
    """An auxiliary as it stands before a subject: "has" for "'s"."""
    if token.lower_ in ("'s", "’s"):
        return "has" if token.lemma_ == "have" else "is"
    return _SHORT.get(token.lower_.replace("’", "'"), token.lower_)


def conjuncts_of(head: "Token") -> Iterator["Token"]:
    """All members of the coordination that a noun belongs to, in order; itself among them."""
    yield from sorted([head, *head.conjuncts], key=lambda t: t.i)
