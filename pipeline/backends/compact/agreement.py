"""RARR's agreement gate by rule: does the evidence give the passage's answer, or another one?

A value of the passage that stands in the evidence agrees, in whatever form it is written. One
that does not is compared with its likeliest counterpart: a value of the same kind, that the
passage does not give elsewhere, with the same words around it. Only a counterpart that is likely
enough opens the gate; where none is, the evidence is irrelevant to the question.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from pipeline.backends.compact.alignment import coverage, rest_of, stems_of
from pipeline.backends.compact.answers import name_parts
from pipeline.backends.compact.coefficients import COUNTERPART, THRESHOLD
from pipeline.backends.compact.counterparts import Candidate, candidates
from pipeline.backends.compact.dates import CalendarDate
from pipeline.backends.compact.gaps import gap_of
from pipeline.backends.compact.names import name_row, name_stands_in, name_words, sort_of_name
from pipeline.backends.compact.spans import Kind, Mention, mentions
from pipeline.backends.compact.topics import subject_of, topic_of
from pipeline.backends.compact.values import stands_in
from pipeline.backends.compact.words import STOPWORDS, is_common, plain, words
from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import Agreement, Evidence, Passage, Query, Span, Verdict

OPENS_FROM = 0.3
"""Share of the rest of the sentence below which evidence cannot contradict it."""
AGREES_FROM = 0.3
"""Share of the rest of the sentence that evidence must hold for its value to speak to it."""

LIKELY_FROM = 0.1
"""How likely the best counterpart itself must be, whatever the others add up to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A span of the current y with the sentence that holds it."""

    mention: Mention
    """With places in `sentence`."""
    sentence: str
    offset: int
    """Where the sentence begins in y."""

    @property
    def span(self) -> Span:
        return Span(start=self.offset + self.mention.start, end=self.offset + self.mention.end)


class CompactAgreement:
    """Judges one span of the passage against one snippet of evidence."""

    def __init__(self, splitter: SentenceSplitter) -> None:
        self._splitter = splitter

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        if query.about is None:
            return _judge_whole(current, query, evidence)
        located = self._locate(passage.text, current, query.about)
        if located is None:
            return Agreement(
                verdict=Verdict.IRRELEVANT,
                reason="The passage no longer has the words that the question asks about.",
            )
        return judge_span(located, passage=passage, current=current, evidence=evidence)

    def _locate(self, original: str, current: str, about: Span) -> Located | None:
        place = about if original == current else moved(original, current, about)
        for sentence in self._splitter.split(current):
            if sentence.start <= place.start < sentence.end:
                break
        else:
            return None
        text = sentence.of(current)
        for mention in mentions(text):
            start, end = sentence.start + mention.start, sentence.start + mention.end
            if start < place.end and place.start < end:
                return Located(mention=mention, sentence=text, offset=sentence.start)
        return None


def moved(original: str, current: str, span: Span) -> Span:
    """Where `span` of `original` lies in `current`, which is an edited copy."""
    start, end = _moved(original, current, span.start, span.end)
    return Span(start=start, end=end)


@lru_cache(maxsize=256)
def _opcodes(original: str, current: str) -> tuple[tuple[str, int, int, int, int], ...]:
    return tuple(
        (o.tag, o.src_start, o.src_end, o.dest_start, o.dest_end)
        for o in Levenshtein.opcodes(original, current)
    )


def _moved(original: str, current: str, start: int, end: int) -> tuple[int, int]:
    new_start, new_end = start, end
    for tag, a, b, c, d in _opcodes(original, current):
        if a <= start < b:
            new_start = c + (start - a) if tag == "equal" else c
        if a < end <= b:
            new_end = c + (end - a) if tag == "equal" else d
    return new_start, max(new_end, new_start + 1)


def _judge_whole(current: str, query: Query, evidence: Evidence) -> Agreement:
    """A question about a whole sentence: evidence can carry it, never correct it."""
    wanted = [word for word in words(query.text) if word.is_content]
    share = coverage(wanted, stems_of(evidence.text) | stems_of(evidence.title))
    if share >= 0.6:
        return Agreement(
            verdict=Verdict.AGREES,
            reason=f"The evidence has {share:.0%} of what the sentence says.",
        )
    return Agreement(
        verdict=Verdict.IRRELEVANT,
        reason=f"The evidence has only {share:.0%} of what the sentence says.",
    )


def settle(
    located: Located, *, passage: Passage, current: str, evidence: Evidence
) -> Agreement | None:
    """The verdict where no counterpart need be sought; None where one must be."""
    mention, sentence = located.mention, located.sentence
    ground = evidence.text + "\n" + evidence.title
    about = coverage(
        rest_of(sentence, Span(start=mention.start, end=mention.end)),
        stems_of(evidence.text) | stems_of(evidence.title),
    )
    if stands_in(mention, ground):
        if about < AGREES_FROM:
            return Agreement(
                verdict=Verdict.IRRELEVANT,
                reason=f"The evidence has “{mention.text}” but is about something else.",
                passage_answer=mention.text,
                passage_span=located.span,
            )
        return Agreement(
            verdict=Verdict.AGREES,
            reason=f"The passage says {mention.text}, and so does the evidence.",
            passage_answer=mention.text,
            passage_span=located.span,
            evidence_answer=mention.text,
            evidence_span=_place_of(mention.text, evidence.text),
        )
    if about < OPENS_FROM:
        return Agreement(
            verdict=Verdict.IRRELEVANT,
            reason=f"The evidence has only {about:.0%} of the rest of the sentence.",
            passage_answer=mention.text,
            passage_span=located.span,
        )
    topic = _unsaid_topic(located, current, passage.context)
    if topic and not name_stands_in(topic, ground):
        return Agreement(
            verdict=Verdict.IRRELEVANT,
            reason=f"The sentence is about {topic}, which the evidence does not name.",
            passage_answer=mention.text,
            passage_span=located.span,
        )
    subject = subject_of(sentence)
    if (
        evidence.title
        and subject is not None
        and not (subject.start < mention.end and mention.start < subject.end)
        and not is_named(subject.text, ground)
    ):
        return Agreement(
            verdict=Verdict.IRRELEVANT,
            reason=f"The sentence is about {subject.text}, which the evidence does not name.",
            passage_answer=mention.text,
            passage_span=located.span,
        )
    rest = current[: located.span.start] + "\n" + current[located.span.end :]
    for name, text in (("question", passage.context), ("passage elsewhere", rest)):
        if text and stands_in(mention, text):
            return Agreement(
                verdict=Verdict.IRRELEVANT,
                reason=f"The evidence lacks “{mention.text}”, but the {name} gives it too.",
                passage_answer=mention.text,
                passage_span=located.span,
            )
    return None


def is_named(subject: str, ground: str) -> bool:
    """Whether the evidence names the subject; "Coe Mill" does not name Hart Mill."""
    if not name_stands_in(subject, ground):
        return False
    parts = name_words(subject)
    if len(parts) < 2 or name_stands_in(parts[0], ground):
        return True
    row = words(ground)
    before = [row[i - 1].text if i else "" for i, w in enumerate(row) if plain(w.text) == parts[-1]]
    # Not "President Obama", nor "The mill": an honorific or article makes nobody else of them.
    others = [
        word[:1].isupper() and word.lower() not in STOPWORDS and bool(name_row(word).strip())
        for word in before
    ]
    return not others or not all(others)


def judge_span(
    located: Located, *, passage: Passage, current: str, evidence: Evidence
) -> Agreement:
    """The verdict about one span, with both answers and their places."""
    settled = settle(located, passage=passage, current=current, evidence=evidence)
    if settled:
        return settled
    mention, sentence = located.mention, located.sentence
    ground = evidence.text + "\n" + evidence.title
    rest = current[: located.span.start] + "\n" + current[located.span.end :]
    gap = gap_of(mention, sentence=sentence, evidence=evidence.text)
    if gap:
        return _other_answer(gap.focus, gap.answer, located, evidence)
    focus = focus_of(mention, ground)
    narrowed = Located(mention=focus, sentence=sentence, offset=located.offset)
    best, probability, any_of = best_counterpart(
        focus, sentence=sentence, evidence=evidence.text, title=evidence.title,
        context=passage.context,
        elsewhere=rest,
    )  # fmt: skip
    if best is None or probability < LIKELY_FROM or any_of < THRESHOLD[group_of(focus)]:
        likely = f" (the nearest is {best.mention.text}, {probability:.0%} likely)" if best else ""
        return Agreement(
            verdict=Verdict.IRRELEVANT,
            reason=f"The evidence gives no clear counterpart of “{focus.text}”{likely}.",
            passage_answer=focus.text,
            passage_span=narrowed.span,
        )
    return _other_answer(focus, best.mention, located, evidence)


def _other_answer(
    focus: Mention, other: Mention, located: Located, evidence: Evidence
) -> Agreement:
    answer = _as_short_as_the_others(other.text, focus, located.sentence, evidence.text)
    inside = other.end <= len(evidence.text)
    narrowed = Located(mention=focus, sentence=located.sentence, offset=located.offset)
    return Agreement(
        verdict=Verdict.DISAGREES,
        reason=f"The passage says {focus.text}, the evidence says {answer}.",
        passage_answer=focus.text,
        evidence_answer=answer,
        passage_span=narrowed.span,
        evidence_span=Span(start=other.start, end=other.end) if inside else None,
    )


def _as_short_as_the_others(answer: str, focus: Mention, sentence: str, evidence: str) -> str:
    """A surname alone, where the sentence calls others so whom the evidence names in full."""
    parts = answer.split(" ")
    if focus.kind is not Kind.NAME or len(parts) not in (2, 3) or not parts[-1][:1].isupper():
        return answer
    full = {name_words(m.text) for m in mentions(evidence) if m.kind is Kind.NAME}
    for other in mentions(sentence):
        words_of = name_words(other.text)
        if other.kind is not Kind.NAME or other.start == focus.start or len(words_of) != 1:
            continue
        if is_common(other.text) or is_common(parts[-1]) or sort_of_name(other.text) != "word":
            continue
        if any(words_of[0] == name[-1] for name in full if len(name) == 2):
            return parts[-1]
    return answer


def _unsaid_topic(located: Located, current: str, context: str) -> str:
    """What a later sentence without a name of its own is about; "" where it is the first."""
    before = current[: located.offset]
    named = (m for m in mentions(located.sentence) if m.kind is Kind.NAME)
    if any(m.start != located.mention.start for m in named):
        return ""
    topic = topic_of(before, context) if before.strip() else ""
    return "" if not topic or name_stands_in(topic, located.sentence) else topic


def _place_of(text: str, evidence: str) -> Span | None:
    at = evidence.lower().find(text.lower())
    return Span(start=at, end=at + len(text)) if at >= 0 else None


def group_of(mention: Mention) -> str:
    """Which row of coefficients a span is judged with."""
    if mention.kind is Kind.NUMBER:
        return "number"
    return "date" if mention.kind.is_numeric else "name"


def focus_of(mention: Mention, ground: str) -> Mention:
    """The part of a joined name that the evidence lacks: "Oxford" of "University of Oxford"."""
    if mention.kind is Kind.DATE:
        return _year_of(mention, ground)
    if mention.kind is not Kind.NAME:
        return mention
    parts = name_parts(mention)
    missing = [part for part in parts if not name_stands_in(part.text, ground)]
    if len(parts) > 1 and len(missing) == 1:
        return missing[0]
    return mention


def _year_of(mention: Mention, ground: str) -> Mention:
    """The year of a date, where the evidence names no date of any month."""
    if mention.date is None or mention.date.year is None:
        return mention
    if any(other.kind is Kind.DATE for other in mentions(ground)):
        return mention
    start = mention.text.rfind(str(mention.date.year))
    if start < 0:
        return mention
    return Mention(
        start=mention.start + start,
        end=mention.start + start + len(str(mention.date.year)),
        kind=Kind.YEAR,
        text=str(mention.date.year),
        date=CalendarDate(year=mention.date.year),
    )


def best_counterpart(
    mention: Mention, *, sentence: str, evidence: str, title: str, context: str, elsewhere: str
) -> tuple[Candidate | None, float, float]:
    """The likeliest counterpart, how likely it is one, and how likely any is, 0.0 to 1.0."""
    found = candidates(
        sentence=sentence, mention=mention, evidence=evidence, title=title, context=context,
        elsewhere=elsewhere,
    )  # fmt: skip
    if not found:
        return None, 0.0, 0.0
    shares = probabilities(found, group_of(mention))
    best = max(range(len(found)), key=lambda i: shares[i])
    return found[best], shares[best], sum(shares)


def probabilities(found: Sequence[Candidate], group: str) -> list[float]:
    """A softmax over the candidates and "none of these"."""
    bias, *slopes = COUNTERPART[group]
    scores = [
        math.exp(min(30.0, bias + sum(a * b for a, b in zip(slopes, c.features, strict=True))))
        for c in found
    ]
    total = 1.0 + sum(scores)
    return [score / total for score in scores]
