"""RARR's agreement gate by rules and the trained reader.

Evidence with the passage's value agrees, unless the reader prefers another one in its place.
Without it, a likely counterpart opens the gate, unless the sentence is entailed.
"""

import re
from dataclasses import replace

from pipeline.backends.compact.entailment.word_features import FEATURES, word_features
from pipeline.backends.compact.reader.model import Reader, shipped
from pipeline.backends.compact.revision.choice import Choice, Chosen, choice_of, choose
from pipeline.backends.compact.revision.located import Located, locate
from pipeline.backends.compact.revision.slot_alignment import slot_of
from pipeline.backends.compact.revision.subjects import unnamed_subject
from pipeline.backends.compact.revision.surface_form import new_words
from pipeline.backends.compact.text.spans import Mention, figures, mentions, mentions_outside
from pipeline.backends.compact.text.words import coverage, rest_of, stems_of, words
from pipeline.backends.compact.values import (
    NAMES,
    contains_value,
    is_counterpart,
    same_value,
    shares_prefix_or_suffix,
)
from pipeline.rarr.types import Agreement, Evidence, Passage, Query, Verdict
from pipeline.text.spans import Span

# Chosen on the swap sets of research/swaps.py.
THRESHOLD: dict[str, float] = {"number": 0.3, "date": 0.25, "name": 0.38}
"""Least probability that any candidate is the answer."""
THRESHOLD_HALF = 0.2
"""The same if the best candidate shares the first or last words of the name."""
THRESHOLD_NEAR: dict[str, float] = {"number": 0.75, "date": 0.5, "name": 0.57}
"""The same if the evidence has the passage's value too."""
LIKELY_FROM = 0.1
"""Least probability of the best candidate."""
SUPPORTED_FROM = 0.9
"""Nothing disagrees with a sentence of this probability of entailment."""
RELATED_FROM = 0.3
"""Least share of the rest of the sentence in relevant evidence."""
OTHERS_FROM = 0.5
"""Least probability of other values if the evidence has the passage's."""


class CompactAgreement:
    """Judges one span of the passage by one snippet."""

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader = reader

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        if query.about is None:
            return _judge_whole(query, evidence)
        if is_statement(query, passage):
            return self._judge_statement(query.about, passage, current, query, evidence)
        return self._judge_span(query.about, passage, current, evidence)

    def assume_disagreement(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        """Return the evidence's most likely replacement, without spans if it has none."""
        located = query.about and locate(passage, current, query.about)
        choice = located and choice_of(located, evidence)
        chosen = choice and choose(choice, self._reader or shipped())
        if choice and chosen and not (choice.has_passage_value and chosen.any_other < OTHERS_FROM):
            return _other_answer(choice, chosen)
        return Agreement(
            verdict=Verdict.DISAGREES, reason="No gate was asked, and no other value was found."
        )

    def _judge_statement(
        self, about: Span, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        """Return the first disagreement about a span, else the first agreement."""
        agreements = self.judge_values(passage, current, evidence, within=about)
        order = [Verdict.DISAGREES, Verdict.AGREES, Verdict.IRRELEVANT]
        first = min(agreements, key=lambda each: order.index(each.verdict), default=None)
        return first or _judge_whole(query, evidence)

    def judge_values(
        self, passage: Passage, current: str, evidence: Evidence, *, within: Span | None = None
    ) -> list[Agreement]:
        """Judge each number, date and name of the passage, or of its span `within`."""
        return [
            self._judge_span(mention, passage, current, evidence)
            for mention in mentions(passage.text)
            if not within or (within.start <= mention.start and mention.end <= within.end)
        ]

    def _judge_span(
        self, about: Span, passage: Passage, current: str, evidence: Evidence
    ) -> Agreement:
        located = locate(passage, current, about)
        if located is None:
            return Agreement(
                verdict=Verdict.IRRELEVANT,
                reason="The passage no longer has the words that the question asks about.",
            )
        plainly, is_final = judge_by_rules(located, evidence)
        choice = None if is_final else choice_of(located, evidence)
        if choice is None or (plainly and not choice.has_rival):
            return plainly or _irrelevant(located, _too_unlikely(located.mention, None))
        chosen = choose(choice, self._reader or shipped())
        if chosen is None or not passes_threshold(choice, chosen):
            reason = _too_unlikely(choice.focus, chosen)
            return plainly or _irrelevant(located, reason, choice.focus)
        other = _other_answer(choice, chosen)
        span = located.in_text(choice.focus)
        old, before, after = span.of(current), current[: span.start], current[span.end :]
        if new_words(old, other.evidence_answer, before, after) == old:
            same = f"The passage says {other.passage_answer}, and so does the evidence"
            reason = f"{same}: {other.evidence_answer}."
            return plainly or replace(other, verdict=Verdict.AGREES, reason=reason)
        return other


def is_statement(query: Query, passage: Passage) -> bool:
    """Check whether the query quotes the passage."""
    about = query.about
    return about is not None and " ".join(about.of(passage.text).split()) == query.text


def passes_threshold(choice: Choice, chosen: Chosen) -> bool:
    """Check whether the best counterpart is likely enough."""
    threshold = THRESHOLD[choice.group]
    if choice.has_passage_value:
        threshold = THRESHOLD_NEAR[choice.group]
    elif shares_prefix_or_suffix(choice.focus, chosen.best.mention):
        threshold = THRESHOLD_HALF
    return (
        chosen.probability >= LIKELY_FROM
        and chosen.any_other >= threshold
        and chosen.entailed < SUPPORTED_FROM
    )


def _judge_whole(query: Query, evidence: Evidence) -> Agreement:
    wanted = [word for word in words(query.text) if word.is_content]
    share = coverage(wanted, stems_of(evidence.titled_text))
    if share < 0.6:
        return Agreement(
            verdict=Verdict.IRRELEVANT,
            reason=f"The evidence has only {share:.0%} of the sentence’s words by weight.",
        )
    reason = f"The evidence has {share:.0%} of the sentence’s words by weight"
    if word_features(evidence.titled_text, query.text)[FEATURES.index("negated")]:
        reason += ", but one of the two is negated and the other is not."
        return Agreement(verdict=Verdict.IRRELEVANT, reason=reason)
    return Agreement(verdict=Verdict.AGREES, reason=f"{reason}.")


def judge_by_rules(located: Located, evidence: Evidence) -> tuple[Agreement | None, bool]:
    """Return a verdict without the reader, or None; and whether it is final."""
    mention, ground = located.mention, evidence.text + "\n" + evidence.title
    about = coverage(rest_of(located.sentence, mention), stems_of(evidence.titled_text))
    if about < RELATED_FROM:
        reason = (
            f"The evidence has only {about:.0%} of the sentence’s words besides "
            f"“{mention.text}”, by weight: it may speak of something else."
        )
        return _irrelevant(located, reason), True
    if not contains_value(mention, ground):
        reason = _reason_to_ignore(located, evidence)
        return _irrelevant(located, reason) if reason else None, bool(reason)
    position = _find_words(mention.text, evidence.text)
    in_title = _find_words(mention.text, evidence.title)
    reason, part = f"The passage says {mention.text}, and so does the evidence.", ""
    if not position and not in_title:
        part = _part_of_date(mention, ground)
        reason = f"The passage says {mention.text}, and so does the evidence in another form."
    if part:
        reason = f"The passage says {mention.text}; of that the evidence says {part}."
    agrees = Agreement(
        verdict=Verdict.AGREES,
        reason=reason,
        passage_answer=mention.text,
        passage_span=located.in_text(mention),
        evidence_answer=part or mention.text,
        evidence_span=_find_words(part, evidence.text) if part else position,
    )
    return agrees, bool(in_title or _reason_to_ignore(located, evidence, literally=True))


def _reason_to_ignore(located: Located, evidence: Evidence, *, literally: bool = False) -> str:
    """Return why this evidence cannot contradict this span, or "".

    `literally`: the passage or question must have the very words.
    """
    mention, context, current = located.mention, located.context, located.current
    missing = unnamed_subject(located, evidence)
    # An untitled snippet may say "the champion".
    if missing and (
        evidence.title or not slot_of(mention, sentence=located.sentence, evidence=evidence.text)
    ):
        return f"The sentence seems to be about {missing}, the evidence about something else."
    span = located.in_text(mention)
    if literally:
        in_question = bool(_find_words(mention.text, context))
        rest = current[: span.start] + "\n" + current[span.end :]
        elsewhere = mention.text if _find_words(mention.text, rest) else ""
    else:
        in_question = bool(context) and contains_value(mention, context)
        elsewhere = next(
            (
                each.text
                for each in mentions_outside(current, span)
                if is_counterpart(mention, each) and same_value(mention, each)
            ),
            "",
        )
    if in_question or elsewhere:
        given = "’s context gives it" if in_question else f" says “{elsewhere}” elsewhere"
        return (
            f"The evidence does not seem to say “{mention.text}”; the passage{given}, so it stays."
        )
    return ""


def _part_of_date(mention: Mention, text: str) -> str:
    """Return the text's less precise form of the date; "" for a full or no date."""
    date = mention.date
    same = [
        (each.date.parts, each.text)
        for each in figures(text)
        if date and each.date and date.agrees_with(each.date)
    ]
    parts, shorter = max(same, key=lambda item: item[0], default=(0, ""))
    return shorter if date and parts < date.parts else ""


def _irrelevant(located: Located, reason: str, focus: Mention | None = None) -> Agreement:
    return Agreement(
        verdict=Verdict.IRRELEVANT,
        reason=reason,
        passage_answer=(focus or located.mention).text,
        passage_span=located.in_text(focus or located.mention),
    )


def _too_unlikely(focus: Mention, chosen: Chosen | None) -> str:
    if chosen and chosen.entailed >= SUPPORTED_FROM:
        return f"The evidence supports the sentence as a whole, though it lacks “{focus.text}”."
    nearest = f": {chosen.best.mention.text} is {chosen.probability:.0%} likely" if chosen else ""
    called = "name" if focus.kind in NAMES else focus.kind.value
    return (
        f"The evidence does not seem to say: no {called} in it is likely to stand for "
        f"“{focus.text}”{nearest}."
    )


def _other_answer(choice: Choice, chosen: Chosen) -> Agreement:
    other, mine, answer = chosen.best.mention, choice.focus, choice.answer(chosen.best)
    inside = other.end <= len(choice.evidence.text)
    return Agreement(
        verdict=Verdict.DISAGREES,
        reason=f"The passage says {mine.text}, the evidence says {answer}.",
        passage_answer=mine.text,
        evidence_answer=answer,
        passage_span=choice.located.in_text(mine),
        evidence_span=Span(start=other.start, end=other.end) if inside else None,
    )


def _find_words(words: str, text: str) -> Span | None:
    """Find whole words: "Germanic" is not in "Germany"."""
    match = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE)
    return Span(start=match.start(), end=match.end()) if match else None
