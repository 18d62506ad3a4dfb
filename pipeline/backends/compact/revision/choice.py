"""Choice of the evidence's answer for a span.

Candidates compete in a softmax with "none of these": by their surroundings, then, if inconclusive,
with the reader's pointer, then with its verdicts on the sentence with each candidate.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.backends.compact.reader.model import Reader
from pipeline.backends.compact.revision.candidates import Candidate, find_candidates
from pipeline.backends.compact.revision.located import Located
from pipeline.backends.compact.revision.readings import EvidenceReader, WordingScores
from pipeline.backends.compact.revision.slot_alignment import slot_of
from pipeline.backends.compact.text.spans import Mention, MentionKind
from pipeline.rarr.types import Evidence

COEFFICIENTS: dict[str, dict[str, list[float]]] = json.loads(
    Path(__file__).with_name("ranking_coefficients.json").read_text("utf-8")
)
"""By step and group of spans: a bias, then one for each feature.

The steps are "words", with the features `WORDS`, "pointer", with those of `pointer_features`, and
"entailment", with those of `entailment_features`. Written by research/fit_counterpart.py.
"""
_WORDS = """sentence window left right left_content beside aligned lined_up nearest relation agent
    unit numbered shape label full in_context in_passage others others_known asked only often own"""
WORDS = _WORDS.split()
"""Features without the reader, in the order of the coefficients."""
MAX_READ = 3
"""Candidates tried in the sentence."""
WORTH_POINTING = 0.02
"""Least probability of other answers, by words, to use the pointer."""
WORTH_READING = 0.05
"""The same after the pointer, to read candidates in place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A span and its candidates in one piece of evidence."""

    located: Located
    evidence: Evidence
    focus: Mention
    """The span, or its slot."""
    candidates: tuple[Candidate, ...]

    @property
    def group(self) -> str:
        """The key of the coefficients."""
        if self.focus.kind is MentionKind.NUMBER:
            return "number"
        return "date" if self.focus.kind.is_numeric else "name"

    @property
    def rows(self) -> list[list[float]]:
        """Each candidate's features in the order of `WORDS`."""
        return [[each.features[name] for name in WORDS] for each in self.candidates]

    @property
    def has_passage_value(self) -> bool:
        return any(each.is_passage_value for each in self.candidates)

    @property
    def has_rival(self) -> bool:
        """Another value may contradict evidence with the passage's value."""
        return self.has_passage_value or any(each.fills_slot for each in self.candidates)

    def answer(self, other: Candidate) -> str:
        """The replacement of the span."""
        return self.focus.text if other.is_passage_value else other.mention.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The best candidate."""

    best: Candidate
    probability: float
    """Of this candidate, 0.0 to 1.0."""
    any_other: float
    """Of all candidates except the passage's value."""
    entailed: float
    """Probability that the sentence, unchanged, is entailed, 0.0 to 1.0."""


def choice_of(located: Located, evidence: Evidence) -> Choice | None:
    """Return the candidates for a span, or None."""
    mention = located.mention
    slot = slot_of(mention, sentence=located.sentence, evidence=evidence.text)
    focus = slot.mine if slot else mention
    candidates = find_candidates(located, focus, evidence, slot)
    if not candidates:
        return None
    return Choice(located=located, evidence=evidence, focus=focus, candidates=candidates)


def is_worth_pointing(choice: Choice) -> bool:
    shares = probabilities(choice.rows, COEFFICIENTS["words"][choice.group])
    others = sum(
        p for p, each in zip(shares, choice.candidates, strict=True) if not each.is_passage_value
    )
    return others >= WORTH_POINTING


def pointer_features(
    choice: Choice, logits: Sequence[float], free: float
) -> list[tuple[float, ...]]:
    """Return features of each candidate, from `EvidenceReader.score_spans`.

    The logit of `WORDS`, "is the passage's value", the pointer's logit above "no answer", "is the
    greatest", and the distance to the best span of all.
    """
    most = max(logits)
    coefficients = COEFFICIENTS["words"][choice.group]
    return [
        (
            _scaled(_logit(row, coefficients)),
            float(each.is_passage_value),
            _scaled(logit),
            float(logit == most and logit > -math.inf),
            _scaled(logit - max(free, most)) if logit > -math.inf else -3.0,
        )
        for each, row, logit in zip(choice.candidates, choice.rows, logits, strict=True)
    ]


def _scaled(logit: float) -> float:
    return max(-3.0, min(3.0, logit / 4))


def entailment_features(
    rows: Sequence[tuple[float, ...]], tried: Sequence[WordingScores], now: WordingScores
) -> list[tuple[float, ...]]:
    """Add features to `pointer_features`; `tried` is parallel to `rows`, `now` unchanged.

    Log odds of entailment and contradiction with the candidate in place, their gain, and the
    greatest doubt about the span's words, with the candidate and without.
    """
    return [
        (
            words,
            is_passage_value,
            *pointed,
            _scaled(each.entailed),
            _scaled(each.entailed - now.entailed),
            _scaled(each.contradicted),
            _scaled(each.contradicted - now.contradicted),
            _scaled(each.doubt),
            _scaled(now.doubt) * (1.0 - is_passage_value),
        )
        for (words, is_passage_value, *pointed), each in zip(rows, tried, strict=True)
    ]


def evidence_reader(choice: Choice, reader: Reader) -> EvidenceReader:
    return EvidenceReader(
        reader, choice.located.current, choice.located.sentence_span, evidence=choice.evidence
    )


def choose(choice: Choice, reader: Reader) -> Chosen | None:
    """Return the most likely other answer; None if there is no likely one."""
    if not is_worth_pointing(choice):
        return None
    options, sentence = choice.candidates, evidence_reader(choice, reader)
    others = [i for i, each in enumerate(options) if not each.is_passage_value]
    rows = pointer_features(
        choice, *sentence.score_spans(choice.focus, [each.places for each in options])
    )
    shares = probabilities(rows, COEFFICIENTS["pointer"][choice.group])
    if sum(shares[i] for i in others) < WORTH_READING:
        return None
    likely = sorted(others, key=lambda i: -shares[i])[:MAX_READ]
    tested = [i for i in range(len(rows)) if i in likely or options[i].is_passage_value]
    now, tried = sentence.read(choice.focus, [choice.answer(options[i]) for i in tested])
    shares = probabilities(
        entailment_features([rows[i] for i in tested], tried, now),
        COEFFICIENTS["entailment"][choice.group],
    )
    possible = [(share, i) for share, i in zip(shares, tested, strict=True) if i in likely]
    probability, best = max(possible, key=lambda pair: (pair[0], -pair[1]))
    return Chosen(
        best=options[best],
        probability=probability,
        any_other=sum(share for share, _ in possible),
        entailed=now.supported,
    )


def probabilities(rows: Sequence[Sequence[float]], weights: Sequence[float]) -> list[float]:
    """Softmax over the candidates and "none of these"."""
    scores = [math.exp(min(30.0, _logit(row, weights))) for row in rows]
    total = 1.0 + sum(scores)
    return [score / total for score in scores]


def _logit(row: Sequence[float], weights: Sequence[float]) -> float:
    bias, *slopes = weights
    return bias + sum(a * b for a, b in zip(slopes, row, strict=True))
