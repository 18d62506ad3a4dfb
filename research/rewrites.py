"""Self-made hypotheses that word overlap cannot tell apart: a supported sentence with one thing
wrong, and the same in other words.

`rewritten` gives as many paraphrases as wrong copies; the wrong copies are of the sentence and of
its paraphrases alike, so that a change of wording alone tells nothing. All by rule, over spaCy's
parse and WordNet, and repeatable: what is drawn comes from the given `rng`.
"""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from pipeline.backends.compact.text.parsing import parsed
from pipeline.backends.compact.text.spans import mentions
from pipeline.backends.compact.values import contains_value
from research.corruption import places_of, sort_of
from research.groups import Hypothesis, Place
from research.opposites import OPPOSITES
from research.wordnet import WordNet

VOTE = 0.25
"""Of a paraphrase: that of a wrong copy (`losses.SWAPPED`), so that neither outweighs the other."""
ODDS = {
    "roles": 4.0, "comparison": 6.0, "quantity": 4.0, "certainty": 5.0, "direction": 3.0,
    "negation": 0.7, "common noun": 0.7, "opposite": 0.7,
}  # fmt: skip
"""How much rather a kind is drawn than the others that a sentence offers: rare ones first."""
Change = tuple[str, str, Place]
"""The new sentence, its label, and the characters in it that are wrong."""
_SHORT_FORM = re.compile(r"n['’]t\b")
_SYMMETRIC = frozenset(
    "be become equal marry meet resemble match join have share include contain cost mean".split()
)
_COMPARED = {
    "higher": "lower", "larger": "smaller", "bigger": "smaller", "longer": "shorter",
    "older": "younger", "taller": "shorter", "heavier": "lighter", "faster": "slower",
    "warmer": "colder", "richer": "poorer", "stronger": "weaker", "cheaper": "dearer",
    "earlier": "later", "better": "worse", "deeper": "shallower", "wider": "narrower",
    "greater": "smaller", "brighter": "darker", "newer": "older",
}  # fmt: skip
_COMPARED |= {after: before for before, after in _COMPARED.items() if after not in _COMPARED}
_QUANTITY = (
    (r"nearly all|almost all", ("few", "half")), (r"all", ("few", "half")),
    (r"most", ("few", "all", "half")), (r"some", ("all", "none")), (r"few", ("many", "most")),
    (r"many", ("few", "all")), (r"several", ("no", "all")), (r"half", ("most", "a third")),
    (r"a quarter", ("a third", "half")), (r"a third", ("a quarter", "two thirds")),
    (r"two thirds", ("a third",)), (r"at least", ("at most",)), (r"at most", ("at least",)),
    (r"more than|over(?= \d)", ("less than",)), (r"less than|fewer than|under(?= \d)", ("more than",)),
    (r"both", ("neither",)), (r"neither", ("both",)), (r"each|every", ("only one",)),
    (r"once", ("twice", "often")), (r"twice", ("once",)), (r"dozens of", ("a single",)),
    (r"hundreds of", ("thousands of",)), (r"thousands of", ("hundreds of",)),
    (r"partly|partially", ("entirely",)), (r"mainly|mostly|chiefly", ("exclusively",)),
    (r"(?:about|around|approximately|roughly)(?= \d)", ("exactly",)), (r"(?:nearly|almost)(?= \d)", ("more than",)),
)  # fmt: skip
_CERTAIN = (
    (r"(?:may|might|could) (?:well )?have been", "was certainly"),
    (r"(?:may|might|could) be", "is certainly"), (r"(?:may|might) have", "certainly has"),
    (r"(?:is|are) (?:said|believed|thought|reported|alleged|supposed|assumed) to", "is known to"),
    (r"(?:was|were) (?:said|believed|thought|reported|alleged|supposed) to", "was known to"),
    (r"probably|possibly|reportedly|allegedly|apparently|perhaps|presumably", "certainly"),
    (r"likely", "certain"), (r"possible", "certain"), (r"suggests?", "proves"),
    (r"suggested", "proved"), (r"believes?", "knows"), (r"could", "will"), (r"would", "will"),
    (r"sometimes|often|usually", "always"), (r"planned to", "began to"), (r"tried to", "managed to"),
    (r"was expected to", "was later seen to"), (r"claimed", "proved"), (r"denied", "confirmed"),
)  # fmt: skip
_DIRECTION = {
    "north": "south", "northern": "southern", "east": "west", "eastern": "western",
    "northwards": "southwards", "eastwards": "westwards", "northward": "southward",
    "left": "right", "up": "down", "upper": "lower", "upstream": "downstream",
    "inside": "outside", "above": "below", "over": "under", "towards": "away from",
    "into": "out of", "northeast": "southwest", "northwest": "southeast", "upwards": "downwards",
    "clockwise": "anticlockwise", "before": "after", "until": "since", "following": "preceding",
    "arrived": "left", "import": "export", "imported": "exported", "imports": "exports",
}  # fmt: skip
_DIRECTION |= {after: before for before, after in list(_DIRECTION.items())}
_SAME = {
    "began": "started", "started": "began", "bought": "purchased", "purchased": "bought",
    "built": "constructed", "constructed": "built", "approximately": "about", "near": "close to",
    "located": "situated", "situated": "located", "shows": "demonstrates", "prior to": "before",
    "received": "got", "obtained": "got", "during": "in the course of", "attempted": "tried",
    "because of": "due to", "due to": "because of", "although": "though",
    "film": "movie", "movie": "film", "ended": "finished",
    "large": "big", "big": "large", "required": "needed", "entire": "whole", "whole": "entire",
    "per cent": "%", "percent": "per cent",
    "led to": "resulted in", "resulted in": "led to", "caused": "brought about",
    "famous": "well-known", "well-known": "famous", "children": "kids", "physician": "doctor",
    "allowed": "permitted", "permitted": "allowed", "won": "was the winner of",
    "died": "passed away", "purchase": "buy", "assist": "help", "utilized": "used",
}  # fmt: skip
_KINDS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
_FINITE = frozenset("is are was were has had can could will would may might must should".split())
_LINKING = frozenset(["after", "before", "because", "when", "while", "although", "since", "until"])


def rewritten(
    sentence: str, premise: str, *, place: int, after: int, rng: random.Random, wordnet: WordNet,
    most: int = 2,
) -> list[Hypothesis]:  # fmt: skip
    """Up to `most` paraphrases of a supported sentence and up to `most` wrong copies.

    The sentence is hypothesis `place` of its group, the first of the result is hypothesis `after`.
    """
    docs = parsed(sentence)
    if len(docs) != 1 or len(sentence.split()) < 4:
        return []
    said = list(dict.fromkeys(said_otherwise(sentence, docs[0].doc, wordnet)))
    rng.shuffle(said)
    found = [Hypothesis(text=text, label="entailment", wrong=(), vote=VOTE) for text in said[:most]]
    for _ in range(most):
        # Of the original or of a paraphrase, at even odds.
        at = rng.randrange(-1, len(found)) if found and rng.random() < 0.5 else -1
        base = found[at].text if at >= 0 and found[at].beaten_by is None else sentence
        beats = after + at if base != sentence else place
        offers = wrong_copies(base, premise, wordnet)
        known = {h.text for h in found} | {sentence}
        kinds = [kind for kind, changes in offers.items() if changes]
        if not kinds:
            continue
        kind = rng.choices(kinds, [ODDS.get(kind, 1.0) for kind in kinds])[0]
        text, label, wrong = rng.choice(offers[kind])
        if text not in known and text not in premise:
            found.append(Hypothesis(text=text, label=label, wrong=(wrong,), beaten_by=beats))
    return found


def wrong_copies(sentence: str, premise: str, wordnet: WordNet) -> dict[str, list[Change]]:
    """The sentence with one thing wrong, by kind."""
    docs = parsed(sentence)
    if len(docs) != 1:
        return {}
    doc = docs[0].doc
    return {
        "negation": list(_negated(sentence, doc)),
        "antonym": list(_antonyms(sentence, doc, wordnet)),
        "common noun": list(_siblings(sentence, doc, premise, wordnet)),
        "roles": list(_roles(sentence, doc)),
        "direction": list(_from_table(sentence, _DIRECTION)) + list(_turned(sentence)),
        "comparison": list(_from_table(sentence, _COMPARED)) + list(_compared(sentence, doc)),
        "opposite": [
            _put(sentence, m.start(), m.end(), other, "contradiction")
            for m in re.finditer(r"\b[a-z]+\b", sentence)
            for other in OPPOSITES.get(m.group(), ())
        ],
        "quantity": list(_quantities(sentence)),
        "certainty": list(_surer(sentence)),
        "other event": list(_other_events(sentence, premise)),
    }


def _put(sentence: str, start: int, end: int, new: str, label: str) -> Change:
    if sentence[start:end][:1].isupper() and start == 0:
        new = new[:1].upper() + new[1:]
    return sentence[:start] + new + sentence[end:], label, (start, start + len(new))


def _negated(sentence: str, doc: Any) -> Iterator[Change]:
    """Not put in or taken out of the main clause.

    >>> doc = parsed("The mill was sold in 1902.")[0].doc
    >>> [text for text, *_ in _negated("The mill was sold in 1902.", doc)]
    ['The mill was not sold in 1902.']
    """
    denied = [t for t in doc if t.dep_ == "neg"]
    for token in denied:
        start, end = token.idx, token.idx + len(token)
        if _SHORT_FORM.fullmatch(token.text):
            yield sentence[:start] + sentence[end:], "contradiction", (token.head.idx, start)
        elif start and sentence[end : end + 1] == " ":
            after = doc[token.i + 1]
            text = sentence[:start] + sentence[end + 1 :]
            yield text, "contradiction", (start, start + len(after))
    for token in doc:
        if token.dep_ == "det" and token.lower_ == "no":
            yield _put(sentence, token.idx, token.idx + 2, "some", "contradiction")
    if denied:
        return
    for token in doc:
        if token.dep_ not in {"ROOT", "aux", "auxpass"} or token.lower_ not in _FINITE:
            continue
        if token.dep_ == "ROOT" or token.head.dep_ == "ROOT":
            new = f"{token.text} not"
            yield _put(sentence, token.idx, token.idx + len(token), new, "contradiction")
            return
    root = next((t for t in doc if t.dep_ == "ROOT"), None)
    does = {"VBD": "did", "VBZ": "does", "VBP": "do"}.get(root.tag_) if root is not None else None
    if does and root.lower_ not in _FINITE:
        new = f"{does} not {root.lemma_}"
        yield _put(sentence, root.idx, root.idx + len(root), new, "contradiction")


def _antonyms(sentence: str, doc: Any, wordnet: WordNet) -> Iterator[Change]:
    for token in doc:
        kind = _KINDS.get(token.pos_)
        if not kind or token.ent_type_:
            continue
        for other in wordnet.antonyms.get((token.lemma_.lower(), kind), ()):
            form = wordnet.inflected(other, token.tag_)
            if form and not re.search(rf"\b{form}\b", sentence):
                yield _put(sentence, token.idx, token.idx + len(token), form, "contradiction")


def _siblings(sentence: str, doc: Any, premise: str, wordnet: WordNet) -> Iterator[Change]:
    """Another noun of the same kind; first those that the premise has too."""
    offers = []
    for token in doc:
        if token.pos_ != "NOUN" or token.ent_type_:
            continue
        for other in wordnet.siblings.get(token.lemma_.lower(), ()):
            form = wordnet.inflected(other, token.tag_)
            if form and not re.search(rf"\b{form}\b", sentence):
                change = _put(sentence, token.idx, token.idx + len(token), form, "unsupported")
                offers.append((form not in premise, change))
    offers.sort(key=lambda offer: offer[0])
    yield from (change for _, change in offers[:40])


def _span(doc: Any, token: Any) -> tuple[int, int] | None:
    """The characters of what hangs on a token, where it is in one piece and short."""
    parts = list(token.subtree)
    if parts[-1].i - parts[0].i + 1 != len(parts) or len(parts) > 8:
        return None
    return parts[0].idx, parts[-1].idx + len(parts[-1])


def _two_sides(doc: Any) -> Iterator[tuple[Any, Any, Any]]:
    """(verb, who acts, what is acted on) of clauses that have both as nouns."""
    for verb in doc:
        if verb.pos_ != "VERB" or verb.lemma_ in _SYMMETRIC:
            continue
        ends = {child.dep_: child for child in verb.children}
        subject, thing = ends.get("nsubj") or ends.get("nsubjpass"), ends.get("dobj")
        if "nsubjpass" in ends and "agent" in ends:
            thing = next((t for t in ends["agent"].children if t.dep_ == "pobj"), None)
        if subject is None or thing is None:
            continue
        if {subject.pos_, thing.pos_} <= {"NOUN", "PROPN"}:
            yield verb, subject, thing


def _roles(sentence: str, doc: Any) -> Iterator[Change]:
    """Subject and object in each other's place.

    >>> doc = parsed("Anna Berg taught the painter Jon Vik.")[0].doc
    >>> [text for text, *_ in _roles("Anna Berg taught the painter Jon Vik.", doc)]
    ['The painter Jon Vik taught Anna Berg.']
    """
    for _, subject, thing in _two_sides(doc):
        change = _exchanged(sentence, _span(doc, subject), _span(doc, thing))
        if change:
            yield change


def _exchanged(sentence: str, one: Place | None, other: Place | None) -> Change | None:
    if not one or not other or one[1] > other[0]:
        return None
    first, second = sentence[slice(*one)], sentence[slice(*other)]
    if first.lower() == second.lower():
        return None
    if one[0] == 0:
        second = second[:1].upper() + second[1:]
        first = _lowered(first)
    text = sentence[: one[0]] + second + sentence[one[1] : other[0]] + first + sentence[other[1] :]
    return text, "contradiction", (one[0], one[0] + len(second))


def _lowered(text: str) -> str:
    """A text that no longer begins its sentence."""
    first = text.split(" ", 1)[0]
    small = {"The", "A", "An", "His", "Her", "Its", "Their", "This", "These", "Some", "In", "On",
             "At", "After", "Before", "During", "When", "Because", "While", "By", "All", "Many",
             "Since", "Until", "Although", "Most", "Two", "Three", "From", "For"}  # fmt: skip
    return text[:1].lower() + text[1:] if first in small else text


def _from_table(sentence: str, table: dict[str, str]) -> Iterator[Change]:
    for found in re.finditer(r"\b[A-Za-z]+\b", sentence):
        other = table.get(found.group().lower())
        if other:
            yield _put(sentence, *found.span(), other, "contradiction")


def _turned(sentence: str) -> Iterator[Change]:
    """From A to B as from B to A."""
    for found in re.finditer(r"\bfrom ((?:the )?[\w.]+) to ((?:the )?[\w.]*\w)", sentence):
        new = f"from {found[2]} to {found[1]}"
        yield _put(sentence, *found.span(), new, "contradiction")


def _compared(sentence: str, doc: Any) -> Iterator[Change]:
    """A is higher than B as B is higher than A."""
    for than in doc:
        if than.lower_ != "than":
            continue
        thing = next((t for t in than.children if t.dep_ == "pobj"), None)
        root = next((t for t in doc if t.dep_ == "ROOT"), None)
        subject = next((t for t in root.children if t.dep_ == "nsubj"), None) if root else None
        if thing is not None and subject is not None and thing.pos_ in {"NOUN", "PROPN"}:
            change = _exchanged(sentence, _span(doc, subject), _span(doc, thing))
            if change:
                yield change


def _quantities(sentence: str) -> Iterator[Change]:
    for pattern, others in _QUANTITY:
        for found in re.finditer(rf"\b(?:{pattern})\b", sentence, re.IGNORECASE):
            for other in others:
                yield _put(sentence, *found.span(), other, "unsupported")


def _surer(sentence: str) -> Iterator[Change]:
    """What is only likely, as certain.

    >>> next(_surer("The tower may have been built in 1902."))[0]
    'The tower was certainly built in 1902.'
    """
    for pattern, sure in _CERTAIN:
        for found in re.finditer(rf"\b(?:{pattern})\b", sentence):
            yield _put(sentence, *found.span(), sure, "unsupported")


def _other_events(sentence: str, premise: str) -> Iterator[Change]:
    """A value of the same sort that stands nearest to the right one in the premise, and two values
    of the sentence in each other's place."""
    own = mentions(sentence)
    theirs = mentions(premise)
    for mine in own:
        places = places_of(mine.text, premise)
        like = [
            other for other in theirs
            if sort_of(other) == sort_of(mine) and not contains_value(other, sentence)
            and not contains_value(mine, other.text)
        ]  # fmt: skip
        if places and like:
            at = places[0][0]
            nearest = sorted(like, key=lambda other: abs(other.start - at))[:2]
            for other in nearest:
                yield _put(sentence, mine.start, mine.end, other.text, "contradiction")
    for one, other in pairwise(own):
        if sort_of(one) == sort_of(other) and one.label == other.label:
            between = sentence[one.end : other.start]
            if not re.fullmatch(r"\W*(?:and|or)?\W*", between):
                change = _exchanged(sentence, (one.start, one.end), (other.start, other.end))
                if change:
                    yield change


def said_otherwise(
    sentence: str, doc: Any, wordnet: WordNet | None = None
) -> Iterator[str]:
    """The sentence in other words: other voice, other order, a synonym, one of two events alone.

    >>> said = "Anna Berg founded the school in 1902 and sold the mill."
    >>> list(said_otherwise(said, parsed(said)[0].doc))[-1]
    'Anna Berg sold the mill.'
    """
    yield from _passive(sentence, doc)
    yield from _active(sentence, doc)
    yield from _moved(sentence, doc)
    yield from _converse(sentence, doc)
    yield from _shortened(sentence)
    yield from _turned_about(sentence, doc)
    yield from _clefts(sentence, doc)
    for token in doc:
        if token.dep_ == "acomp" and token.head.lower_ in {"is", "are", "was", "were"}:
            for other in wordnet.antonyms.get((token.lower_, "a"), ())[:1] if wordnet else ():
                denied = any(t.dep_ == "neg" for t in token.head.children)
                if token.i == token.head.i + 1 and not denied:
                    yield f"{sentence[: token.idx]}not {other}{sentence[token.idx + len(token) :]}"
    for found in re.finditer(r"\b(?:[2-9]|1[0-2])\b(?![.,%\d-])", sentence):
        if re.match(r" [a-z]{3}", sentence[found.end() :]) and sentence[found.start() - 1] == " ":
            yield sentence[: found.start()] + _NUMBERS[int(found.group())] + sentence[found.end() :]
    for found in re.finditer(r"\b[a-z]+(?:[ -](?:of|to|cent|in|born in))?\b", sentence):
        for text in (found.group(), found.group().split(" ")[0]):
            other = _SAME.get(text)
            if other:
                at = found.start()
                yield sentence[:at] + other + sentence[at + len(text) :]
                break
    yield from _one_event(sentence, doc)


_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_ASIDE = re.compile(r" \((?!s\))[^()]+\)|, (?:which|who|whose|where) [^,;]+(?:,(?= [a-z])|(?=\.$))")


def _shortened(sentence: str) -> Iterator[str]:
    """Without an aside.

    >>> list(_shortened("The mill, which stood near Berg, burned down."))
    ['The mill burned down.']
    """
    for found in _ASIDE.finditer(sentence):
        yield sentence[: found.start()] + sentence[found.end() :]


def _turned_about(sentence: str, doc: Any) -> Iterator[str]:
    """The capital of Iceland as Iceland's capital; A is the B as the B is A.

    >>> said = "Reykjavik is the capital of Iceland."
    >>> list(_turned_about(said, parsed(said)[0].doc))
    ["Reykjavik is Iceland's capital.", 'The capital of Iceland is Reykjavik.']
    """
    for found in re.finditer(r"\b[Tt]he ([a-z]+) of ([A-Z]\w+(?: [A-Z]\w+)*)(?![\w'’])", sentence):
        tail = sentence[found.end() :]
        if not re.match(r",? (?:and|or|of|in) |, [A-Z]", tail):
            yield f"{sentence[: found.start()]}{found[2]}'s {found[1]}{tail}"
    root = next((t for t in doc if t.dep_ == "ROOT" and t.lemma_ == "be"), None)
    if root is None or not sentence.endswith("."):
        return
    ends = {child.dep_: child for child in root.children}
    if "nsubj" not in ends or "attr" not in ends or ends["nsubj"].pos_ != "PROPN":
        return
    who, what = _span(doc, ends["nsubj"]), _span(doc, ends["attr"])
    if not who or not what or who[0] or what[1] != len(sentence) - 1 or "neg" in ends:
        return
    text = sentence[slice(*what)]
    if text.startswith("the ") and root.lower_ in {"is", "was"}:
        middle = sentence[who[1] : what[0]]
        yield f"T{text[1:]}{middle}{sentence[slice(*who)]}."


def _clefts(sentence: str, doc: Any) -> Iterator[str]:
    """Who did it, put first.

    >>> said = "Anna Berg founded the school."
    >>> list(_clefts(said, parsed(said)[0].doc))
    ['It was Anna Berg who founded the school.']
    """
    for verb, subject, _ in _two_sides(doc):
        who = _span(doc, subject)
        active = verb.dep_ == "ROOT" and verb.tag_ == "VBD" and subject.dep_ == "nsubj"
        if active and who and who[0] == 0 and verb.idx == who[1] + 1:
            joined = "who" if subject.ent_type_ == "PERSON" else "that"
            yield f"It was {_lowered(sentence[slice(*who)])} {joined} {sentence[verb.idx :]}"


def _number(span: str, head: Any) -> str:
    plural = head.tag_ in {"NNS", "NNPS"} or " and " in span
    return "were" if plural else "was"


def _passive(sentence: str, doc: Any) -> Iterator[str]:
    """
    >>> said = "The firm built the mill in 1902."
    >>> list(_passive(said, parsed(said)[0].doc))
    ['The mill was built by the firm in 1902.']
    """
    for verb, subject, thing in _two_sides(doc):
        who, what = _span(doc, subject), _span(doc, thing)
        if verb.tag_ != "VBD" or verb.dep_ != "ROOT" or not who or not what:
            continue
        participle = verb.text if verb.text.endswith("ed") else _SAME_FORMS.get(verb.text)
        alone = sentence[who[1] : verb.idx] == " " and sentence[
            verb.idx + len(verb) : what[0]
        ] == " "
        if participle and alone and not any(c.dep_ in {"aux", "neg", "conj"} for c in verb.children):
            object_ = sentence[slice(*what)]
            if who[0] == 0:
                object_ = object_[:1].upper() + object_[1:]
            actor = _lowered(sentence[slice(*who)]) if who[0] == 0 else sentence[slice(*who)]
            yield (
                f"{sentence[: who[0]]}{object_} {_number(object_, thing)} {participle} by {actor}"
                f"{sentence[what[1] :]}"
            )


_SAME_FORMS = {
    "built": "built", "wrote": "written", "won": "won", "made": "made", "led": "led",
    "sold": "sold", "bought": "bought", "held": "held", "took": "taken", "gave": "given",
    "drew": "drawn", "sang": "sung", "found": "found", "taught": "taught", "lost": "lost",
    "beat": "beaten", "saw": "seen", "began": "begun", "chose": "chosen", "broke": "broken",
}  # fmt: skip
_PAST = {done: past for past, done in _SAME_FORMS.items()}


def _active(sentence: str, doc: Any) -> Iterator[str]:
    """
    >>> said = "The mill was built by the firm."
    >>> list(_active(said, parsed(said)[0].doc))
    ['The firm built the mill.']
    """
    for verb, thing, actor in _two_sides(doc):
        if verb.tag_ != "VBN" or verb.dep_ != "ROOT" or thing.dep_ != "nsubjpass":
            continue
        aux = [c for c in verb.children if c.dep_ in {"aux", "auxpass", "neg", "conj"}]
        what, who = _span(doc, thing), _span(doc, actor)
        past = verb.text if verb.text.endswith("ed") else _PAST.get(verb.text)
        if len(aux) != 1 or aux[0].lower_ not in {"was", "were"} or not (what and who and past):
            continue
        middle = sentence[what[1] : who[0]].strip()
        if middle != f"{aux[0].text} {verb.text} by":
            continue
        actor_, object_ = sentence[slice(*who)], sentence[slice(*what)]
        if what[0] == 0:
            actor_, object_ = actor_[:1].upper() + actor_[1:], _lowered(object_)
        yield f"{sentence[: what[0]]}{actor_} {past} {object_}{sentence[who[1] :]}"


def _moved(sentence: str, doc: Any) -> Iterator[str]:
    """A time, a place or a clause at the other end of the sentence.

    >>> said = "The mill burned down in 1902."
    >>> list(_moved(said, parsed(said)[0].doc))
    ['In 1902 the mill burned down.']
    """
    root = next((t for t in doc if t.dep_ == "ROOT"), None)
    if root is None or not sentence.endswith("."):
        return
    for part in root.children:
        linked = part.dep_ == "advcl" and any(t.lower_ in _LINKING for t in part.children)
        timed = part.dep_ == "prep" and any(
            t.ent_type_ in {"DATE", "GPE", "TIME"} for t in part.children
        )
        pieces = list(part.subtree)
        if not (linked or timed) or pieces[-1].i - pieces[0].i + 1 != len(pieces):
            continue
        start, end = pieces[0].idx, pieces[-1].idx + len(pieces[-1])
        text = sentence[start:end]
        if end == len(sentence) - 1 and sentence[start - 2 : start - 1].isalnum():
            if linked and pieces[0].lower_ not in _LINKING:
                continue
            comma = "," if linked else ""
            rest = _lowered(sentence[: start - 1])
            yield f"{text[:1].upper()}{text[1:]}{comma} {rest}."
        elif start == 0 and sentence[end : end + 2] == ", ":
            rest = sentence[end + 2 : -1]
            yield f"{rest[:1].upper()}{rest[1:]} {_lowered(text)}."


def _converse(sentence: str, doc: Any) -> Iterator[str]:
    """A is higher than B as B is lower than A."""
    for text, _, _ in _compared(sentence, doc):
        found = re.search(rf"\b({'|'.join(_COMPARED)}) than\b", text)
        if found and not re.search(r"\bnot\b|n['’]t", text):
            yield text[: found.start(1)] + _COMPARED[found[1]] + text[found.end(1) :]


def _one_event(sentence: str, doc: Any) -> Iterator[str]:
    """Of "X did A and did B": X did A, and X did B."""
    root = next((t for t in doc if t.dep_ == "ROOT"), None)
    if root is None or not sentence.endswith("."):
        return
    subject = next((t for t in root.children if t.dep_ in {"nsubj", "nsubjpass"}), None)
    second = next((t for t in root.children if t.dep_ == "conj" and t.pos_ == "VERB"), None)
    joint = next((t for t in root.children if t.dep_ == "cc" and t.lower_ == "and"), None)
    if subject is None or second is None or joint is None or joint.i > second.i:
        return
    if any(t.dep_ in {"nsubj", "nsubjpass", "neg", "conj"} for t in second.children):
        return
    if second.tag_ not in {"VBD", "VBZ", root.tag_} or any(t.dep_ == "neg" for t in root.children):
        return
    who = _span(doc, subject)
    pieces = list(second.subtree)
    if who is None or pieces[0].i != joint.i + 1 or pieces[-1].i < len(doc) - 2:
        return
    yield sentence[: joint.idx].rstrip(" ,") + "."
    helper = ""
    if second.tag_ == "VBN":
        helper = " ".join(t.text for t in root.children if t.dep_ in {"aux", "auxpass"}) + " "
    yield f"{sentence[slice(*who)]} {helper}{sentence[pieces[0].idx :]}"


def rewritten_of(
    part: Sequence[Hypothesis], premise: str, rng: random.Random, wordnet: WordNet
) -> list[Hypothesis]:
    """At most two supported hypotheses of a group, each followed by its rewrites; [] if none has
    any."""
    found: list[Hypothesis] = []
    for sound in [h for h in part if h.label in {"entailment", "supported"} and not h.mask][:2]:
        made = rewritten(
            sound.text, premise, place=len(found), after=len(found) + 1, rng=rng, wordnet=wordnet
        )
        if made:
            found += [sound, *made]
    return found
