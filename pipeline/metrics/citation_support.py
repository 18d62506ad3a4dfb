"""ALCE's citation recall and precision: by a model (section 3), by raters (appendix F).

The model of entailment gets three batches for any number of answers: a statement's sources
together, each source alone, the others without it.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Pair = tuple[str, str]
"""A premise and a hypothesis."""
Entails = Callable[[Sequence[Pair]], Sequence[float]]
"""Maps pairs to probabilities of entailment, 0.0 to 1.0."""
ENTAILED = 0.5
"""The lowest probability that counts as entailed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    text: str
    """The hypothesis, without its citations."""
    sources: tuple[int, ...]
    """Indexes of the cited passages; -1 is the last one."""
    wrong: int = 0
    """Citations of absent passages: they count, and support nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedAnswer:
    statements: Sequence[Statement]
    passages: Sequence[str]

    def premise(self, sources: Sequence[int]) -> str:
        """The texts of these passages, joined."""
        return "\n".join(self.passages[index] for index in sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementSupport:
    probability: float | None
    """Of entailment by its sources together, 0.0 to 1.0; None without sources."""
    irrelevant: tuple[int, ...] = ()
    """Its irrelevant sources; empty where it is not entailed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """One answer's figures, 0.0 to 1.0; None where there is nothing to score."""

    recall: float | None
    """The share of statements that their sources, together, entail."""
    precision: float | None
    """The share of relevant citations in entailed statements. One is irrelevant where it alone does
    not entail the statement and the others do."""
    graded: float | None
    """`recall` with probabilities of entailment in place of 1 or 0."""
    decisions: tuple[StatementSupport, ...] = field(default=(), repr=False)
    """Parallel to the statements."""


class Entailments:
    """Caches an entailment model's probabilities of pairs."""

    def __init__(self, entails: Entails, known: Mapping[Pair, float] | None = None) -> None:
        self._entails = entails
        self._known = dict(known or {})

    def ask(self, pairs: Iterable[Pair]) -> None:
        """Call the model once with the pairs that are not cached."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if new:
            self._known.update(zip(new, self._entails(new), strict=True))

    def probability(self, pair: Pair) -> float:
        """Raises KeyError for a pair that is not cached."""
        return self._known[pair]

    def holds(self, pair: Pair) -> bool:
        """Return whether the premise entails the hypothesis."""
        return self._known[pair] >= ENTAILED


def citation_support(
    answers: Sequence[CitedAnswer], known: Entailments, *, also: Iterable[Pair] = ()
) -> list[Support]:
    """Score each answer. `also` are pairs to add to the first batch."""
    cited = [(answer, each) for answer in answers for each in answer.statements if each.sources]
    known.ask([*also, *(_joint(answer, each) for answer, each in cited)])
    several = [
        (answer, each)
        for answer, each in cited
        if len(each.sources) > 1 and known.holds(_joint(answer, each))
    ]
    known.ask(pair for answer, each in several for pair, _ in _tests(answer, each))
    known.ask(
        rest
        for answer, each in several
        for alone, rest in _tests(answer, each)
        if not known.holds(alone)
    )
    return [_support(answer, known) for answer in answers]


def _support(answer: CitedAnswer, known: Entailments) -> Support:
    decisions = tuple(_decision(answer, each, known) for each in answer.statements)
    recalled = precise = citations = 0
    for statement, decided in zip(answer.statements, decisions, strict=True):
        citations += len(statement.sources) + statement.wrong
        if decided.probability is not None and decided.probability >= ENTAILED:
            recalled += 1
            precise += len(statement.sources) - len(decided.irrelevant)
    n = len(decisions)
    return Support(
        recall=recalled / n if n else None,
        precision=precise / citations if citations else None,
        graded=math.fsum(each.probability or 0.0 for each in decisions) / n if n else None,
        decisions=decisions,
    )


def _decision(answer: CitedAnswer, statement: Statement, known: Entailments) -> StatementSupport:
    if not statement.sources:
        return StatementSupport(probability=None)
    probability = known.probability(_joint(answer, statement))
    if probability < ENTAILED or len(statement.sources) == 1:
        return StatementSupport(probability=probability)
    tests = zip(statement.sources, _tests(answer, statement), strict=True)
    return StatementSupport(
        probability=probability,
        irrelevant=tuple(
            source
            for source, (alone, rest) in tests
            if not known.holds(alone) and known.holds(rest)
        ),
    )


def _joint(answer: CitedAnswer, statement: Statement) -> Pair:
    return answer.premise(statement.sources), statement.text


def _tests(answer: CitedAnswer, statement: Statement) -> Iterator[tuple[Pair, Pair]]:
    """For each citation: its passage alone, and the others without it."""
    for source in statement.sources:
        rest = list(statement.sources)
        rest.remove(source)  # the first of equal ones, as in the reference
        yield ((answer.premise([source]), statement.text), (answer.premise(rest), statement.text))


PARTIAL = 1
"""A rater's answer: a citation supports a part of its sentence; 0 is nothing, 2 all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanCitationScores:
    """One answer's figures, 0.0 to 1.0; None where there is nothing to score."""

    recall: float | None
    """The share of sentences supported by their sources together; without sources, none is."""
    precision: float | None
    """The share of citations with at least partial support, in supported sentences."""


def citation_scores(
    *, sentences: int, supported: Mapping[int, bool], citations: Sequence[tuple[int, int]]
) -> HumanCitationScores:
    """Score one answer by one rater's judgments.

    `supported` maps the indexes of citing sentences to whether they are supported; `citations`
    are (sentence, support from 0 to 2).

    >>> citation_scores(sentences=4, supported={0: True, 2: False}, citations=[(0, 2), (0, 0)])
    HumanCitationScores(recall=0.25, precision=0.5)
    """
    recalled = sum(supported.get(sentence, False) for sentence in range(sentences))
    precise = sum(
        supported.get(sentence, False) and level >= PARTIAL for sentence, level in citations
    )
    return HumanCitationScores(
        recall=recalled / sentences if sentences else None,
        precision=precise / len(citations) if citations else None,
    )
