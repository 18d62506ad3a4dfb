"""Questions: sentences with a wh-phrase in place of a check-worthy span."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence

from pipeline.backends.compact.coreference.references import (
    COMPANION,
    Edit,
    References,
    open_references,
    replacements,
)
from pipeline.backends.compact.coreference.referents import topic_of
from pipeline.backends.compact.text.parsing import Token, parsed
from pipeline.backends.compact.text.spans import CITATION, Mention, MentionKind, mentions
from pipeline.rarr.types import Passage, Query
from pipeline.text.sentences import split_sentences
from pipeline.text.spans import Span

MAX_WORDS = 50
"""Words on each side of a span; longer sentences are lists."""
MAX_NAMES = 2
_MARKS = re.compile(
    rf"{CITATION.pattern}|\*\*|__|^[^\S\n]*(?:#+\s|[\-•*]\s+|\d+[.)]\s+)", re.MULTILINE
)
# "… in 2011.The mill …", "… at sea.3. Loss …"
_RUN_TOGETHER = re.compile(r"(?<=[a-z0-9)])[.!?](?:\d{1,2}\. ?)?(?=[A-Z][a-z])")
_PART_OF_WORD = re.compile(r"\w[-–/]\0|\0[-–/]\w")
_ARTICLE = re.compile(r"\b(?:the|an?) +$", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:the|an?|his|her|its|their) +$", re.IGNORECASE)
_BEFORE_DATE = re.compile(r"(?:\b(?:the|an?|year|early|mid|late)[ -]+)+$", re.IGNORECASE)
_QUOTES = "\"“”‘’'"
_ATTRIBUTIVE = frozenset({"compound", "amod", "nmod", "nummod"})
_NAMES = {"PERSON": "who", "EVENT": "which event", "LANGUAGE": "which language"}
_NAMES |= {"NORP": "what nationality or language", "GPE": "which place"}
_NAMES |= {"LOC": "which place", "FAC": "which place"}
_QUANTITIES = {"money": "how much", "percent": "what percentage", "ordinal": "which"}


class CompactQueryGenerator:
    """Generates a question per span, or per sentence without spans; deterministic."""

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query]]:
        queries: list[Query] = []
        spans = mentions(passage.text)
        starts = [span.start for span in spans]
        topic = topic_of(passage.text, passage.context)
        references = References(context=passage.context)
        previous: set[str] = set()
        for number, sentence_span in enumerate(split_sentences(passage.text)):
            sentence = sentence_span.of(passage.text)
            inside = spans[
                bisect_left(starts, sentence_span.start) : bisect_left(starts, sentence_span.end)
            ]
            edits_of_references = replacements(sentence, references)
            names = [*open_references(sentence, references, kinds=COMPANION)] if number else []
            references.read(sentence)
            edits = [
                *((*mark.span(), "") for mark in _MARKS.finditer(sentence)),
                *edits_of_references,
            ]
            if not inside and re.search(r"[^\W\d_]", whole := _edited(sentence, edits)):
                queries.append(Query(text=finished(" ".join(whole.split(" ")[: 2 * MAX_WORDS]))))
            named = {m.start for m in inside if m.kind is MentionKind.NAME}
            for mention in inside:
                about = Span(start=mention.start, end=min(mention.end, sentence_span.end))
                at = Span(
                    start=about.start - sentence_span.start, end=about.end - sentence_span.start
                )
                question = _question(sentence, edits, mention, at, previous)
                previous.add(question.lower())
                # A later sentence without another name.
                is_bare = number and named <= {mention.start} and not edits_of_references
                is_bare = is_bare and topic.lower() not in sentence.lower()
                text = with_names(question, [topic, *names] if is_bare else names)
                queries.append(Query(text=text, about=about))
        return [queries]


def _question(
    sentence: str, edits: Sequence[Edit], mention: Mention, at: Span, previous: Collection[str]
) -> str:
    """Return a question for the mention at the span `at`, if possible not in `previous`."""
    breaks = [0, *(match.end() for match in _RUN_TOGETHER.finditer(sentence)), len(sentence)]
    start = max(each for each in breaks if each <= at.start)
    before = _edited(sentence, edits, start, at.start)
    after = _edited(sentence, edits, at.end, min(each for each in breaks if each >= at.end))
    before = " ".join(before.split(" ")[-MAX_WORDS:])
    after = " ".join(re.split(r", (?:and|but) ", after)[0].split(" ")[:MAX_WORDS])
    part = next((each for each in reversed(parsed(sentence)) if each.start <= at.start), None)
    tokens = part.tokens(at) if part else []
    ways = [_with_wh_phrase(before, after, mention, tokens)]
    ways.append(finished(before + at.of(sentence) + after))
    is_adverb = mention.quantity and mention.quantity.form == "ordinal" and not mention.unit
    if is_adverb or _PART_OF_WORD.search(f"{before}\0{after}"):
        ways.reverse()  # "was first opened", "near-Earth"
    return next((way for way in ways if way.lower() not in previous), ways[0])


def _with_wh_phrase(before: str, after: str, mention: Mention, tokens: Sequence[Token]) -> str:
    head = tokens[0].doc[tokens[0].i : tokens[-1].i + 1].root if tokens else None
    is_attribute = head is not None and head.dep_ in _ATTRIBUTIVE and head.head.i > tokens[-1].i
    is_attribute = is_attribute and re.match(r" \w", after) is not None
    dropped = _ARTICLE
    if (date := mention.date) is not None:
        dropped = _BEFORE_DATE
        words = "what decade" if date.is_decade else "what date" if date.day else "what year"
        if date.month and not date.day:
            words = "what month and year" if date.year else "what month"
        words += "'s" if is_attribute else ""
    elif mention.quantity is not None:
        form, is_count = mention.quantity.form, mention.unit or after.startswith(" of ")
        words = _QUANTITIES.get(form, "how many" if is_count else "what number")
        dropped = _POSSESSIVE if form == "ordinal" else _ARTICLE
    else:
        words = _NAMES.get(mention.label, "what")
        if before[-1:] and before[-1] in _QUOTES and (closed := re.match(rf",?[{_QUOTES}]", after)):
            before, after = before[:-1], after[closed.end() :]
        noun = re.search(r"\b([a-z]+) $", before)
        near = (head.head, *head.children) if head else ()
        if is_attribute:
            words = "what nationality of" if mention.label == "NORP" else "which"
        elif noun and any(each.text == noun[1] and each.tag_ == "NN" for each in near):
            before, words = before[: noun.start()], f"which {noun[1]}"  # "the band Stone Mill"
        elif words == "who" and tokens and tokens[0].i and tokens[0].nbor(-1).pos_ == "ADP":
            words = "which place" if tokens[0].nbor(-1).lower_ == "in" else "whom"
        if words in ("who", "whom", "what") and re.match(r"['’](?:s\b| )", after):
            words, after = "whose", re.sub(r"^['’]s?", "", after)
    return finished(dropped.sub("", before) + words + after)


def _edited(sentence: str, edits: Iterable[Edit], start: int = 0, end: int | None = None) -> str:
    end = len(sentence) if end is None else end
    pieces, at = [], start
    for first, last, new in sorted(edits):
        if at <= first and last <= end:
            pieces += [sentence[at:first], new]
            at = last
    return "".join([*pieces, sentence[at:end]])


def finished(text: str) -> str:
    """Capitalize a question, end it with "?", and tidy its spaces.

    >>> finished("the mill was built by  whom .")
    'The mill was built by whom?'
    """
    text = re.sub(r"\s+", " ", text.replace("()", "")).strip(" .!?;:,–—-(")
    text = re.sub(r" ([,;:.)])", r"\1", text)
    return text[:1].upper() + text[1:] + "?"


def with_names(question: str, names: Iterable[str]) -> str:
    """Append names that a question lacks, in brackets, for the search."""
    unsaid = [name for name in dict.fromkeys(names) if name.lower() not in question.lower()]
    added = ", ".join(unsaid[:MAX_NAMES])
    return f"{question.removesuffix('?')} ({added})?" if added else question
