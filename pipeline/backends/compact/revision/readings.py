"""Queries to the reader about one sentence and one piece of evidence."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.backends.compact.entailment.reader_features import log_odds
from pipeline.backends.compact.reader.model import Reader
from pipeline.backends.compact.reader.results import PointerQuery, Read
from pipeline.backends.compact.revision.surface_form import article_for, new_words
from pipeline.backends.compact.text.spans import CITATION, Mention
from pipeline.backends.compact.text.words import mask_matches
from pipeline.rarr.types import EntailmentScore, Evidence
from pipeline.text.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingScores:
    """Log odds of one wording."""

    entailed: float
    contradicted: float
    doubt: float
    """That the evidence does not support some word of the span."""

    @property
    def supported(self) -> float:
        """Probability that the evidence entails this wording, 0.0 to 1.0.

        Averages the verdict and the doubt about the span.
        """
        return round(1 / (1 + math.exp((self.doubt - self.entailed) / 2)), EntailmentScore.DIGITS)


class EvidenceReader:
    """One sentence of the passage, `sentence.of(current)`, and one piece of evidence."""

    def __init__(self, reader: Reader, current: str, sentence: Span, *, evidence: Evidence) -> None:
        self._reader = reader
        self._sentence = sentence.of(current)
        self._before, self._after = current[: sentence.start], current[sentence.end :]
        self._premise = evidence.titled_text
        self._shift = len(self._premise) - len(evidence.text)
        self._title_at = len(evidence.text) + 1

    def score_spans(
        self, focus: Span, candidates: Sequence[Sequence[Mention]]
    ) -> tuple[list[float], float]:
        """Return each candidate's logit above "no answer" for a masked `focus`, and the best.

        -inf beyond the truncation.
        """
        text = mask_matches(self._sentence, CITATION)
        query = PointerQuery(premise=self._premise, text=text, start=focus.start, end=focus.end)
        [pointed] = self._reader.point([query])
        free = pointed.best()
        logits = [
            max(pointed.score(*self._in_premise(each)) for each in places) - pointed.none
            for places in candidates
        ]
        return logits, (free[2] - pointed.none) if free else -math.inf

    def read(
        self, focus: Span, answers: Sequence[str]
    ) -> tuple[WordingScores, list[WordingScores]]:
        """Read the sentence unchanged, and with each answer in place of `focus`."""
        wordings = [(self._sentence, focus.start, focus.end)]
        old = focus.of(self._sentence)
        for answer in answers:
            if answer == old:
                wordings.append(wordings[0])
                continue
            head, tail = self._sentence[: focus.start], self._sentence[focus.end :]
            new = new_words(old, answer, self._before + head, tail + self._after)
            head = article_for(new, head, old)
            wordings.append((head + new + tail, len(head), len(head) + len(new)))
        pairs = [(self._premise, mask_matches(text, CITATION)) for text, _, _ in wordings]
        read = zip(self._reader.read(pairs), wordings, strict=True)
        now, *tried = [reading_of(each, start, end) for each, (_, start, end) in read]
        return now, tried

    def _in_premise(self, mention: Mention) -> tuple[int, int]:
        """Candidates' positions are in the evidence, a line break and the title."""
        shift = -self._title_at if mention.start >= self._title_at else self._shift
        return mention.start + shift, mention.end + shift


def reading_of(read: Read, start: int, end: int) -> WordingScores:
    """Return the log odds of one reading, with the greatest doubt about start:end."""
    doubts = [doubt for a, b, doubt in read.doubts if a < end and start < b]
    return WordingScores(
        entailed=log_odds(read.verdict.entailment),
        contradicted=log_odds(read.verdict.contradiction),
        doubt=log_odds(max(doubts, default=0.5)),
    )
