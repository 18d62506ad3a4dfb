"""The subject of a sentence, and whether evidence names it (RARR's Figure 7d).

The subject is grammatical, its "of", a pronoun's antecedent, or else the passage's topic.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from pipeline.backends.compact.coreference.references import EARLIER, References, open_references
from pipeline.backends.compact.coreference.referents import kind_of, subjects_of, topic_of
from pipeline.backends.compact.revision.located import Located
from pipeline.backends.compact.text.spans import MentionKind, mentions
from pipeline.backends.compact.text.words import word_set, words
from pipeline.backends.compact.values import contains_name, contains_value, name_words, same_name
from pipeline.rarr.types import Evidence

_GENERIC = word_set("river lake mount mountain city town state county island republic kingdom")
"""Optional words of place names."""


def is_named(subject: str, ground: str, *, sentence: str = "") -> bool:
    """Check whether the evidence names the subject; "Coe Mill" does not name Hart Mill.

    Longer names in `sentence` do not differ: "Alice" of "Alice in Chains".
    """
    wanted = set(name_words(subject))
    at, pieces = 0, []
    for mention in mentions(ground):
        theirs = set(name_words(mention.text.replace("’", "'").rpartition("'s ")[2]))
        is_longer = (
            mention.kind is MentionKind.NAME and wanted < theirs and theirs - wanted - _GENERIC
        )
        # The Library of Congress is not Congress.
        is_other = is_longer and mention.label != "PERSON" and mention.text not in sentence
        if is_other and same_name(subject, mention.text):
            pieces.append(ground[at : mention.start])
            at = mention.end
    return contains_name(subject, " ".join([*pieces, ground[at:]]))


def unnamed_subject(located: Located, evidence: Evidence) -> str:
    """Return the sentence's subject that the evidence does not name, or "".

    Untitled snippets are checked only if they open with a subject.
    """
    ground = evidence.text + "\n" + evidence.title
    for names in _about(located, evidence):
        # One of the possible antecedents is enough.
        if names and not any(is_named(name, ground, sentence=located.sentence) for name in names):
            return names[0]
    if not evidence.title:
        return ""
    mention = located.mention
    rest = [m for m in mentions(located.sentence) if m.kind.is_numeric and m.start != mention.start]
    is_subject = any(
        each.mention.start == mention.start for each in subjects_of(located.sentence, mention.start)
    )
    # Another subject and other numbers: another event.
    has_all = all(contains_value(each, ground) for each in rest)
    if is_subject and not has_all and not is_named(mention.text, ground):
        return mention.text
    kind = kind_of(located.sentence, is_first=not located.earlier)
    known = {word.stem for word in words(ground)}
    return kind if any(word.stem not in known for word in words(kind)) else ""


def _about(located: Located, evidence: Evidence) -> Iterator[Sequence[str]]:
    """Yield alternative names of each thing that a sentence is about."""
    sentence, mention = located.sentence, located.mention
    before = located.current[: located.sentence_span.start]
    topic = topic_of(before, located.context) if located.earlier else ""
    topics = [topic] if topic and not is_named(topic, sentence) else []
    meant = _meant(sentence, located.earlier[-EARLIER:], located.context)
    others = [
        m for m in mentions(sentence) if m.kind is MentionKind.NAME and m.start != mention.start
    ]
    if not others:
        yield [*meant, *topics]
    if evidence.title:
        for name in meant:
            yield [name, *topics]
    if evidence.title or subjects_of(evidence.text[:1000]):
        subjects = [each.mention for each in subjects_of(sentence, mention.start)]
        if not any(mention.meets(each) for each in subjects):
            yield [each.text for each in subjects]


@lru_cache(maxsize=1024)
def _meant(sentence: str, earlier: tuple[str, ...], context: str) -> tuple[str, ...]:
    return tuple(open_references(sentence, References.after(earlier, context))) if earlier else ()
