"""What the trained reader is asked about one sentence beside one piece of evidence.

Masked spans and changed copies of the sentence are asked for together where they can be: the
reader takes in the evidence once for all of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.backends.compact.coreference.references import References, replacements
from pipeline.backends.compact.reader.model import Ask, Pointed, Read, Reader
from pipeline.backends.compact.revision.surface_form import new_words
from pipeline.backends.compact.text.sentences import sentences_of
from pipeline.backends.compact.text.spans import CITATION, Mention
from pipeline.rarr.ports import Entailed
from pipeline.rarr.types import Evidence, Span, titled


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the reader makes of one wording; log odds, greater is more."""

    entailed: float
    contradicted: float
    doubt: float
    """That the evidence does not support some word of the span."""

    @property
    def supported(self) -> float:
        """How likely the evidence entails this wording, its span above all; 0.0 to 1.0.

        Half of it is the reader's verdict on the whole sentence, half its doubt about the span:
        alone, the verdict is swayed by what else in the sentence may be wrong.
        """
        return round(1 / (1 + math.exp((self.doubt - self.entailed) / 2)), Entailed.DIGITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Where the reader points for one span: logits above "no answer", -inf for what is cut off."""

    logits: Sequence[float]
    """Of each candidate."""
    free: float
    """Of the best span of the evidence, candidate or not."""


class Asked:
    """One sentence of the passage, `sentence.of(current)`, beside one piece of evidence."""

    def __init__(
        self, reader: Reader, current: str, sentence: Span, *, context: str, evidence: Evidence
    ) -> None:
        self._reader = reader
        self._sentence = sentence.of(current)
        self._before, self._after = current[: sentence.start], current[sentence.end :]
        earlier = [self._before[a:b] for a, b in sentences_of(self._before)]
        references = References.after(earlier, context)
        # The others stand behind it, and need no name once the first has one.
        self._pronouns = replacements(self._sentence, references)[:1] if earlier else []
        self.evidence = evidence.text
        self.premise = titled(title=evidence.title, text=evidence.text)
        self._shift = len(self.premise) - len(evidence.text)
        self._title_at = len(evidence.text) + 1

    def pointed(self, focus: Span, candidates: Sequence[Sequence[Mention]]) -> Answers:
        """Where the reader points when `focus`, with places in the sentence, is masked."""
        text, start, end = self._alone(self._sentence, focus.start, focus.end)
        [pointed] = self._reader.point([Ask(premise=self.premise, text=text, start=start, end=end)])
        free = pointed.best()
        return Answers(
            logits=[self._logit(pointed, each) for each in candidates],
            free=(free[2] - pointed.none) if free else -math.inf,
        )

    def _logit(self, pointed: Pointed, places: Sequence[Mention]) -> float:
        """Of the best of a candidate's places, above "no answer"."""
        return max(pointed.score(*self._in_premise(each)) for each in places) - pointed.none

    def read(self, focus: Span, answers: Sequence[str]) -> tuple[Reading, list[Reading]]:
        """The sentence as it is, and with each answer in the place of `focus`."""
        wordings = [(self._sentence, focus.start, focus.end)]
        old = focus.of(self._sentence)
        for answer in answers:
            if answer == old:
                wordings.append(wordings[0])
                continue
            head, tail = self._sentence[: focus.start], self._sentence[focus.end :]
            new = new_words(old, answer, self._before + head, tail + self._after)
            wordings.append((head + new + tail, focus.start, focus.start + len(new)))
        alone = [self._alone(*each) for each in wordings]
        read = self._reader.read([(self.premise, text) for text, _, _ in alone])
        now, *tried = [
            reading_of(each, start, end) for each, (_, start, end) in zip(read, alone, strict=True)
        ]
        return now, tried

    def _alone(self, sentence: str, start: int, end: int) -> tuple[str, int, int]:
        """The sentence as it can be read by itself, and where the span is in it then."""
        alone = CITATION.sub(lambda match: " " * len(match.group()), sentence)
        for each in self._pronouns:
            if each.end <= start:
                added = len(each.text) - (each.end - each.start)
                alone = alone[: each.start] + each.text + alone[each.end :]
                start, end = start + added, end + added
        return alone, start, end

    def _in_premise(self, place: Mention) -> tuple[int, int]:
        """Candidates have places in the evidence, a line break and the title."""
        shift = -self._title_at if place.start >= self._title_at else self._shift
        return place.start + shift, place.end + shift


def reading_of(read: Read, start: int, end: int) -> Reading:
    """Log odds of one reading, with the greatest doubt about the characters start:end."""
    doubts = [doubt for a, b, doubt in read.doubts if a < end and start < b]
    return Reading(
        entailed=_odds(read.verdict.entailment),
        contradicted=_odds(read.verdict.contradiction),
        doubt=_odds(max(doubts, default=0.5)),
    )


def _odds(probability: float) -> float:
    held = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(held / (1 - held))
