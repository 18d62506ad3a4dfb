"""Whom a sentence speaks of, and whether evidence names them.

Evidence about something else is irrelevant, however much it sounds alike (RARR's Figure 7d): what
Tower Bridge was opened on says nothing of the Forth Bridge, though the Prince of Wales opened
both. Three things may be what a sentence is about: the passage's topic, where the sentence has no
name of its own; the name that it opens with; and what its "it" or "he" stands for, where nothing
in the sentence itself can be meant.
"""

from collections.abc import Iterator

from pipeline.backends.compact.coreference.references import References, open_references
from pipeline.backends.compact.coreference.topics import subject_of, topic_of
from pipeline.backends.compact.revision.located import Located
from pipeline.backends.compact.text.entity_types import class_word
from pipeline.backends.compact.text.names import name_row, name_stands_in, name_words
from pipeline.backends.compact.text.spans import Kind, mentions
from pipeline.backends.compact.text.words import STOPWORDS, is_common, plain, words
from pipeline.rarr.types import Evidence


def unnamed_subject(located: Located, *, current: str, context: str, evidence: Evidence) -> str:
    """What the sentence is about and the evidence does not name; "" where it names all of it.

    A snippet without a title may come from the middle of the right page, and say "it" too: it is
    held only to the topic.
    """
    ground = evidence.text + "\n" + evidence.title
    topic = _unsaid_topic(located, current, context)
    if topic and not is_named(topic, ground):
        return topic
    if not evidence.title:
        return ""
    mention, subject = located.mention, subject_of(located.sentence)
    if (
        subject is not None
        and not (subject.start < mention.end and mention.start < subject.end)
        and not is_named(subject.text, ground)
    ):
        return subject.text
    for meant in _meant_before(located, context):
        # The topic will do as well: which of two names "it" means is a guess.
        if not any(is_named(name, ground) for name in (meant, topic_of(current, context)) if name):
            return meant
    return ""


def is_named(subject: str, ground: str) -> bool:
    """Whether the evidence names the subject; "Coe Mill" does not name Hart Mill.

    >>> is_named("Jane Coe", "Coe opened it."), is_named("Jane Coe", "Otto Coe opened it.")
    (True, False)
    >>> is_named("Forth Bridge", "Tower Bridge is a suspension bridge. The Bridge has two towers.")
    False
    """
    if not name_stands_in(subject, ground):
        return False
    parts = name_words(subject)
    own = [part for part in parts if not _is_class(part)] if class_word(subject) else parts[:1]
    if len(parts) < 2 or not own or any(name_stands_in(part, ground) for part in own):
        return True
    row = words(ground)
    # In small letters it is a common noun: "a suspension bridge" names no bridge.
    before = [
        row[i - 1].text if i else ""
        for i, word in enumerate(row)
        if plain(word.text) == parts[-1] and word.text[:1].isupper()
    ]
    if class_word(subject):
        return not before  # by an abbreviation, then; "The Bridge" is any
    # Not "President Obama", nor "The Obama house": an honorific or article makes nobody else.
    others = [
        word[:1].isupper() and word.lower() not in STOPWORDS and bool(name_row(word).strip())
        for word in before
    ]
    return not others or not all(others)


def _is_class(word: str) -> bool:
    """Whether a word of a name, in small letters, says what kind of thing it is: "bridge"."""
    return bool(is_common(word) or class_word(f"A {word.title()}"))


def _meant_before(located: Located, context: str) -> Iterator[str]:
    if located.earlier:
        references = References(context=context)
        for sentence in located.earlier:
            references.read(sentence)
        yield from open_references(located.sentence, references)


def _unsaid_topic(located: Located, current: str, context: str) -> str:
    """What a later sentence without a name of its own is about; "" where it is the first."""
    before = current[: located.offset]
    named = (m for m in mentions(located.sentence) if m.kind is Kind.NAME)
    if any(m.start != located.mention.start for m in named):
        return ""
    topic = topic_of(before, context) if before.strip() else ""
    return "" if not topic or name_stands_in(topic, located.sentence) else topic
