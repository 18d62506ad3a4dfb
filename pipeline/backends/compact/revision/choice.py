"""Which answer of the evidence belongs in the place of a passage's span: a choice in two looks.

The candidates, with the passage's own value where the evidence has it, compete in a softmax with
"none of these". Where the words around both places leave a doubt, the first look asks where the
trained reader points when the span is masked. Where that leaves one too, the second look asks
what the reader makes of the sentence with each of the likeliest candidates in place.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.backends.compact.reader.model import Reader
from pipeline.backends.compact.revision import ranking_coefficients as fitted
from pipeline.backends.compact.revision.candidates import Candidate, find_candidates
from pipeline.backends.compact.revision.located import Located
from pipeline.backends.compact.revision.readings import EvidenceReader, Reading
from pipeline.backends.compact.revision.slot_alignment import slot_of
from pipeline.backends.compact.text.spans import Kind, Mention
from pipeline.rarr.types import Evidence

WORDS = (
    "sentence", "window", "left", "right", "left_content", "beside", "aligned", "lined_up",
    "nearest", "relation", "agent", "unit", "numbered", "shape", "label", "full", "in_context",
    "in_passage", "others", "others_known", "asked", "only", "often", "own",
)  # fmt: skip
"""What can be told without the reader, in the order of the coefficients: the surroundings, and
whether it is the passage's own value."""
POINTER_FEATURES = ("words", "own", "pointed", "most", "behind")
"""What the first look knows: the words' verdict in one number, whether it is the passage's own
value, the pointer's logit above "no answer", whether no candidate has a greater one, and how far
it is behind the best span of all."""
ENTAILMENT_FEATURES = (
    *POINTER_FEATURES,
    "entailed",
    "raised",
    "contradicted",
    "lowered",
    "doubt",
    "doubt_now",
)
"""What the second look adds: the log odds of entailment and of contradiction with the candidate
in place, their gain over the passage's own words, and the greatest doubt about the span's words,
with the candidate in place and as it is."""
MAX_READ = 3
"""Candidates that are tried in the sentence."""
WORTH_POINTING = 0.02
"""How likely the words alone must make any other answer, for the reader to be worth its time."""
WORTH_READING = 0.05
"""The same after the first look, for the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What one span may become beside one piece of evidence."""

    located: Located
    evidence: Evidence
    focus: Mention
    """The span, or the slot that it stands in."""
    candidates: tuple[Candidate, ...]

    @property
    def group(self) -> str:
        """Which row of coefficients the span is judged with."""
        if self.focus.kind is Kind.NUMBER:
            return "number"
        return "date" if self.focus.kind.is_numeric else "name"

    @property
    def rows(self) -> list[list[float]]:
        """The features of each candidate in the order of `WORDS`."""
        return [[each.features[name] for name in WORDS] for each in self.candidates]

    @property
    def has_passage_value(self) -> bool:
        return any(each.is_passage_value for each in self.candidates)

    @property
    def has_rival(self) -> bool:
        """Whether another value may contradict evidence that has the passage's own too."""
        return self.has_passage_value or any(each.fills_slot for each in self.candidates)

    def answer(self, other: Candidate) -> str:
        """What is put in the place of the span."""
        return self.focus.text if other.is_passage_value else other.mention.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The best of a choice."""

    best: Candidate
    probability: float
    """That this is what the evidence answers, 0.0 to 1.0."""
    any_other: float
    """That any candidate but the passage's own value is."""
    entailed: float
    """How likely the reader finds the sentence entailed as it is, 0.0 to 1.0."""


def choice_of(located: Located, evidence: Evidence) -> Choice | None:
    """The candidates for a span; None where the evidence offers no other value."""
    mention = located.mention
    slot = slot_of(mention, sentence=located.sentence, evidence=evidence.text)
    focus = slot.mine if slot else mention
    candidates = find_candidates(located, focus, evidence, slot)
    return (
        Choice(located=located, evidence=evidence, focus=focus, candidates=candidates)
        if candidates
        else None
    )


def is_worth_pointing(choice: Choice) -> bool:
    """Whether the words around both places leave a doubt."""
    shares = probabilities(choice.rows, fitted.WORDS_ALONE[choice.group])
    others = sum(
        p for p, each in zip(shares, choice.candidates, strict=True) if not each.is_passage_value
    )
    return others >= WORTH_POINTING


def pointer_features(
    choice: Choice, logits: Sequence[float], free: float
) -> list[tuple[float, ...]]:
    """The features of each candidate in the order of `POINTER_FEATURES`, by what `Asked.pointed` gives."""
    most = max(logits)
    bias, *slopes = fitted.WORDS_ALONE[choice.group]
    return [
        (
            _scaled(bias + sum(a * b for a, b in zip(slopes, row, strict=True))),
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
    rows: Sequence[tuple[float, ...]], tried: Sequence[Reading], now: Reading
) -> list[tuple[float, ...]]:
    """The features in the order of `ENTAILMENT_FEATURES`; `tried` is parallel to `rows`, `now` as it is."""
    return [
        (
            *row,
            _scaled(each.entailed),
            _scaled(each.entailed - now.entailed),
            _scaled(each.contradicted),
            _scaled(each.contradicted - now.contradicted),
            _scaled(each.doubt),
            _scaled(now.doubt) * (1.0 - row[POINTER_FEATURES.index("own")]),
        )
        for row, each in zip(rows, tried, strict=True)
    ]


def evidence_reader(choice: Choice, reader: Reader) -> EvidenceReader:
    return EvidenceReader(
        reader, choice.located.current, choice.located.sentence_span, evidence=choice.evidence
    )


def choose(choice: Choice, reader: Reader) -> Chosen | None:
    """The likeliest other answer; None where none is worth a second look."""
    if not is_worth_pointing(choice):
        return None
    options, sentence = choice.candidates, evidence_reader(choice, reader)
    others = [i for i, each in enumerate(options) if not each.is_passage_value]
    rows = pointer_features(
        choice, *sentence.score_spans(choice.focus, [each.places for each in options])
    )
    shares = probabilities(rows, fitted.WITH_POINTER[choice.group])
    if sum(shares[i] for i in others) < WORTH_READING:
        return None
    likely = sorted(others, key=lambda i: -shares[i])[:MAX_READ]
    tested = [i for i in range(len(rows)) if i in likely or options[i].is_passage_value]
    now, tried = sentence.read(choice.focus, [choice.answer(options[i]) for i in tested])
    shares = probabilities(
        entailment_features([rows[i] for i in tested], tried, now),
        fitted.WITH_ENTAILMENT[choice.group],
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
    """A softmax over the candidates and "none of these"."""
    bias, *slopes = weights
    scores = [
        math.exp(min(30.0, bias + sum(a * b for a, b in zip(slopes, row, strict=True))))
        for row in rows
    ]
    total = 1.0 + sum(scores)
    return [score / total for score in scores]
