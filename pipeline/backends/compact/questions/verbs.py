"""Forms of English verbs: from "wrote" to "write", so that a statement can become a question."""

import re
from functools import cache, lru_cache
from pathlib import Path

from pipeline.backends.compact.text.words import words_in

BE = words_in("is are was were am isn't aren't wasn't weren't")
HAVE = words_in("has have had hasn't haven't hadn't")
DO = words_in("does do did doesn't don't didn't")
MODALS = words_in(
    """will would can could shall should may might must won't wouldn't can't cannot couldn't
    shouldn't"""
)
AUXILIARIES = BE | HAVE | DO | MODALS

# Base, past, participle; forms that look like their base (cut, put) are left out: nobody can
# tell "They cut it" from today's.
_IRREGULAR = """
arise arose arisen|awake awoke awoken|bear bore borne|beat beat beaten|become became become
begin began begun|bend bent bent|bind bound bound|bite bit bitten|bleed bled bled|blow blew blown
break broke broken|breed bred bred|bring brought brought|build built built|buy bought bought
catch caught caught|choose chose chosen|cling clung clung|come came come|deal dealt dealt
dig dug dug|do did done|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten
fall fell fallen|feed fed fed|feel felt felt|fight fought fought|find found found|flee fled fled
fly flew flown|forbid forbade forbidden|foresee foresaw foreseen|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|get got got|give gave given|go went gone
grow grew grown|hang hung hung|have had had|hear heard heard|hide hid hidden|hold held held
keep kept kept|know knew known|lead led led|leave left left|lend lent lent|lie lay lain
lose lost lost|make made made|mean meant meant|meet met met|mislead misled misled
overcome overcame overcome|oversee oversaw overseen|overthrow overthrew overthrown|pay paid paid
rebuild rebuilt rebuilt|remake remade remade|retell retold retold|rewrite rewrote rewritten
ride rode ridden|ring rang rung|rise rose risen|run ran run|say said said|see saw seen
seek sought sought|sell sold sold|send sent sent|shake shook shaken|shoot shot shot
show showed shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat sat
sleep slept slept|slide slid slid|speak spoke spoken|spend spent spent|spin spun spun
stand stood stood|steal stole stolen|stick stuck stuck|sting stung stung|strike struck struck
swear swore sworn|sweep swept swept|swim swam swum|take took taken|teach taught taught
tear tore torn|tell told told|think thought thought|throw threw thrown
undergo underwent undergone|understand understood understood|undertake undertook undertaken
uphold upheld upheld|wear wore worn|weave wove woven|weep wept wept|win won won|wind wound wound
withdraw withdrew withdrawn|withstand withstood withstood|write wrote written
co-write co-wrote co-written
"""
_ROWS = [row.split() for row in re.split(r"[|\n]", _IRREGULAR.strip())]
_PAST = {past: base for base, past, _ in _ROWS} | {"found": "find", "lay": "lie"}
_PARTICIPLES = {participle: base for base, _, participle in _ROWS} | {"born": "bear", "been": "be"}
_PAST_OF = {base: past for base, past, _ in _ROWS}
_SAME = words_in("cut put set hit let cost spread shut hurt cast broadcast read split quit bet")


@cache
def _known() -> frozenset[str]:
    """The 1,100 verbs that follow "to" and "did" in English texts; docs/compact.md says whence."""
    return frozenset((Path(__file__).parent / "common_verbs.txt").read_text("utf-8").split())


def is_base(word: str) -> bool:
    """Whether a word is the base form of a known verb; it may be a noun too."""
    return word.lower() in _known()


@lru_cache(maxsize=8192)
def base_of_past(word: str) -> str:
    """The base of a past form; "" for any other word, and where the base is not known.

    >>> base_of_past("wrote"), base_of_past("stopped"), base_of_past("red")
    ('write', 'stop', '')
    """
    word = word.lower()
    if word in _PAST:
        return _PAST[word]
    return _regular_base(word)


def _regular_base(word: str) -> str:
    if not word.endswith("ed") or len(word) < 4:
        return ""
    stem = word[:-2]
    bases = [stem + "e", stem]
    if len(stem) > 3 and stem[-1] == stem[-2]:
        bases.insert(0, stem[:-1])
    if stem.endswith("i"):
        bases.insert(0, stem[:-1] + "y")
    return next((base for base in bases if base in _known() or base[2:] in _prefixed(base)), "")


def _prefixed(base: str) -> frozenset[str]:
    """The verbs that "re" may stand before."""
    return _known() if base.startswith("re") and len(base) > 6 else frozenset()


@lru_cache(maxsize=8192)
def is_participle(word: str) -> bool:
    """Whether a word may follow "was" or "has": released, written, put."""
    word = word.lower()
    if word in _PARTICIPLES or word in _SAME or _regular_base(word):
        return True
    return word.endswith("ed") and len(word) > 5


@lru_cache(maxsize=8192)
def past_of_participle(word: str) -> str:
    """The past of a participle, "wrote" of "written"; "" where it is not known."""
    word = word.lower()
    if word in ("born", "been"):
        return ""
    if word in _PARTICIPLES:
        return _PAST_OF[_PARTICIPLES[word]]
    return word if _regular_base(word) else ""


@lru_cache(maxsize=8192)
def base_of_third_person(word: str) -> str:
    """The base of a form such as "contains" or "carries"; "" for other words.

    Many plurals look the same, so the caller must know that a verb is due.
    """
    word = word.lower()
    if not word.endswith("s") or word.endswith("ss") or len(word) < 4:
        return ""
    bases = [word[:-1], word[:-2] if word.endswith("es") else ""]
    if word.endswith("ies"):
        bases.insert(0, word[:-3] + "y")
    return next((base for base in bases if base in _known()), "")
