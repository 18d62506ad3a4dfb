"""RARR's agreement gate: does the evidence give the passage's answer, or another one?

Evidence about something else, or about somebody else, says nothing. A value of the passage that
the evidence has in whatever form agrees, unless the evidence has it elsewhere and the trained
reader finds another value in its place. One that the evidence lacks is compared with its likeliest
counterpart. Only a counterpart that is likely enough opens the gate, and only where the reader
does not find the sentence entailed as it is.
"""

import re
from dataclasses import replace

from pipeline.backends.compact.entailment.word_features import FEATURES, word_features
from pipeline.backends.compact.reader.model import Reader, shipped
from pipeline.backends.compact.revision.answers import (
    NAMES,
    is_counterpart,
    shares_prefix_or_suffix,
)
from pipeline.backends.compact.revision.candidates import same_value
from pipeline.backends.compact.revision.choice import Choice, Chosen, choice_of, choose
from pipeline.backends.compact.revision.located import Located, locate
from pipeline.backends.compact.revision.slot_alignment import slot_of
from pipeline.backends.compact.revision.subjects import unnamed_subject
from pipeline.backends.compact.revision.surface_form import new_words
from pipeline.backends.compact.text.spans import Mention, figures, mentions, mentions_outside
from pipeline.backends.compact.text.words import coverage, rest_of, stems_of, words
from pipeline.backends.compact.values.occurrence import contains_value
from pipeline.rarr.types import Agreement, Evidence, Passage, Query, Verdict
from pipeline.text.spans import Span

# Chosen on the swap sets of research/swaps.py; what is fitted is in ranking_coefficients.py.
THRESHOLD: dict[str, float] = {"number": 0.3, "date": 0.25, "name": 0.38}
"""How likely it must be that any of the candidates is the answer, to open the gate, 0.0 to 1.0."""
THRESHOLD_HALF = 0.2
"""The same where the best candidate shares the beginning or the end of the passage's name."""
THRESHOLD_NEAR: dict[str, float] = {"number": 0.75, "date": 0.5, "name": 0.57}
"""The same where the evidence has the passage's own value too."""
LIKELY_FROM = 0.1
"""How likely the best counterpart itself must be, whatever the others add up to."""
SUPPORTED_FROM = 0.9
"""Where the reader finds a sentence entailed as likely as this, nothing disagrees with it."""
RELATED_FROM = 0.3
"""Share of the rest of the sentence that evidence must hold to agree with it or contradict it."""
OTHERS_FROM = 0.5
"""How likely the other values of the evidence must be together, beside the passage's own."""


class CompactAgreement:
    """Judges one span of the passage against one snippet of evidence."""

    def __init__(self, reader: Reader | None = None) -> None:
        """`reader`: the shipped one, loaded at its first use, where none is given."""
        self._reader = reader

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        if query.about is None:
            return _judge_whole(current, query, evidence)
        if is_statement(query, passage):
            return self._judge_statement(passage, current, query, evidence)
        return self._judge_span(query.about, passage, current, evidence)

    def disagree(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        """What the evidence would put in the span's place, whether it contradicts it or not.

        Always a disagreement; without spans where the evidence has nothing of the kind, or has
        the passage's own value and that is likelier than any other.
        """
        located = query.about and locate(passage, current, query.about)
        choice = located and choice_of(located, evidence)
        chosen = choice and choose(choice, self._reader or shipped())
        if choice and chosen and not (choice.has_passage_value and chosen.any_other < OTHERS_FROM):
            return _other_answer(choice, chosen)
        return Agreement(
            verdict=Verdict.DISAGREES, reason="No gate was asked, and no other value was found."
        )

    def _judge_statement(
        self, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        """The verdict about the passage's own words: of their spans the first that disagrees.

        Without one, evidence that has any of the values agrees; without spans the words decide.
        """
        about = query.about or Span(start=0, end=len(passage.text))
        verdicts = [
            self._judge_span(mention, passage, current, evidence)
            for mention in mentions(passage.text)
            if about.start <= mention.start and mention.end <= about.end
        ]
        for wanted in (Verdict.DISAGREES, Verdict.AGREES):
            for verdict in verdicts:
                if verdict.verdict is wanted:
                    return verdict
        return verdicts[0] if verdicts else _judge_whole(current, query, evidence)

    def _judge_span(
        self, about: Span, passage: Passage, current: str, evidence: Evidence
    ) -> Agreement:
        """The verdict about one span, with both answers and their places."""
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
        if _is_unchanged_by(other, current):
            same = f"The passage says {other.passage_answer}, and so does the evidence"
            reason = f"{same}: {other.evidence_answer}."
            return plainly or replace(other, verdict=Verdict.AGREES, reason=reason)
        return other


def is_statement(query: Query, passage: Passage) -> bool:
    """Whether the query is a stretch of the passage in its own words, not a question about it."""
    about = query.about
    return about is not None and " ".join(about.of(passage.text).split()) == query.text


def passes_threshold(choice: Choice, chosen: Chosen) -> bool:
    """Whether the best counterpart is likely enough; where the evidence has the passage's own
    value too, it must be likelier."""
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


def _judge_whole(current: str, query: Query, evidence: Evidence) -> Agreement:
    """A question about a whole sentence: evidence can carry it, never correct it."""
    wanted = [word for word in words(query.text) if word.is_content]
    share = coverage(wanted, stems_of(evidence.text) | stems_of(evidence.title))
    if share < 0.6:
        return Agreement(
            verdict=Verdict.IRRELEVANT,
            reason=f"The evidence has only {share:.0%} of the sentence’s words by weight.",
        )
    reason = f"The evidence has {share:.0%} of the sentence’s words by weight"
    if word_features(evidence.titled, query.text)[FEATURES.index("negated")]:
        # The words are the same where one says that it is so and the other that it is not.
        reason += ", but one of the two is negated and the other is not."
        return Agreement(verdict=Verdict.IRRELEVANT, reason=reason)
    return Agreement(verdict=Verdict.AGREES, reason=f"{reason}.")


def judge_by_rules(located: Located, evidence: Evidence) -> tuple[Agreement | None, bool]:
    """The verdict about a span by plain rules, and whether no counterpart can overturn it.

    None for "no clear counterpart".
    """
    mention, ground = located.mention, evidence.text + "\n" + evidence.title
    about = coverage(
        rest_of(located.sentence, mention), stems_of(evidence.text) | stems_of(evidence.title)
    )
    has_value = contains_value(mention, ground)
    if about < RELATED_FROM:
        reason = (
            f"The evidence has only {about:.0%} of the sentence’s words besides "
            f"“{mention.text}”, by weight: it may speak of something else."
        )
        return _irrelevant(located, reason), True
    if not has_value:
        reason = _reason_to_ignore(located, evidence)
        return _irrelevant(located, reason) if reason else None, bool(reason)
    position, in_title = (
        _find_words(mention.text, evidence.text),
        _find_words(mention.text, evidence.title),
    )
    is_literal = position or in_title
    part = "" if is_literal else _part_of_date(mention, ground)
    same = "and so does the evidence" if is_literal else "and so does the evidence in another form"
    agrees = Agreement(
        verdict=Verdict.AGREES,
        reason=f"The passage says {mention.text}; of that the evidence says {part}."
        if part
        else f"The passage says {mention.text}, {same}.",
        passage_answer=mention.text,
        passage_span=located.in_text(mention),
        evidence_answer=part or mention.text,
        evidence_span=_find_words(part, evidence.text) if part else position,
    )
    return agrees, bool(in_title or _reason_to_ignore(located, evidence, literally=True))


def _reason_to_ignore(located: Located, evidence: Evidence, *, literally: bool = False) -> str:
    """Why this evidence cannot contradict this span; "" where it can.

    `literally`: the question and the rest of the passage give a value only in the very words.
    """
    mention, context, current = located.mention, located.context, located.current
    missing = unnamed_subject(located, evidence)
    # Without a title, "the champion" may stand where the sentence has the name.
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
    """The date as the text has it where that says less of it; "" where it says all, and for
    what is no date."""
    date = mention.date
    same = [
        (each.date.parts, each.text)
        for each in figures(text)
        if date and each.date and date.agrees_with(each.date)
    ]
    parts, shorter = max(same, key=lambda found: found[0], default=(0, ""))
    return shorter if date and parts < date.parts else ""


def _irrelevant(located: Located, reason: str, focus: Mention | None = None) -> Agreement:
    """`focus`: the part of the span that was compared; the whole of it where none is given."""
    return Agreement(
        verdict=Verdict.IRRELEVANT,
        reason=reason,
        passage_answer=(focus or located.mention).text,
        passage_span=located.in_text(focus or located.mention),
    )


def _too_unlikely(focus: Mention, chosen: Chosen | None) -> str:
    """Why no value of the evidence takes the place of a span that it lacks."""
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


def _is_unchanged_by(other: Agreement, current: str) -> bool:
    """Whether the passage would read the same with the evidence's answer in the span's place."""
    span = other.passage_span or Span(start=0, end=0)
    old, before, after = span.of(current), current[: span.start], current[span.end :]
    return new_words(old, other.evidence_answer, before, after) == old


def _find_words(words: str, text: str) -> Span | None:
    """Where a text has the very words: "Germanic" is not written in "Germany", 1 not in 1932."""
    match = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE)
    return Span(start=match.start(), end=match.end()) if match else None
