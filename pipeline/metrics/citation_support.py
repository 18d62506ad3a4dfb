"""Citation recall and precision by an entailment model (ALCE, section 3).

Which statements an answer makes and what each cites comes from `alce_reference` or from
`citation_corrections`; from there both are scored alike. All pairs of premise and hypothesis that
are known to be needed are asked together: first what a statement's sources say together, then each
source alone, then the rest without it. Three rounds do for any number of answers.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Pair = tuple[str, str]
"""A premise and a hypothesis."""
Entails = Callable[[Sequence[Pair]], Sequence[float]]
"""The probability that the premise entails the hypothesis of each pair, 0.0 to 1.0."""
ENTAILED = 0.5
"""The least probability that counts as entailed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What is to be supported, and by what."""

    text: str
    """The hypothesis, without its citations."""
    sources: tuple[int, ...]
    """The places of the passages that it cites, as they are looked at; -1 is the last one."""
    wrong: int = 0
    """Citations of nothing, which count as citations and support nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedAnswer:
    """An answer as its statements, and the passages that it could cite."""

    statements: Sequence[Statement]
    passages: Sequence[str]

    def premise(self, sources: Sequence[int]) -> str:
        """What these passages say together."""
        return "\n".join(self.passages[place] for place in sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What follows for one statement."""

    probability: float | None
    """That its sources, together, entail it, 0.0 to 1.0; None for one that cites nothing."""
    irrelevant: tuple[int, ...] = ()
    """The places of its sources that are irrelevant; none where it is not entailed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """One answer's figures, each from 0.0 to 1.0; None where there is nothing to score."""

    recall: float | None
    """The share of statements that their sources, together, entail."""
    precision: float | None
    """The share of citations in entailed statements that are not irrelevant. A citation is
    irrelevant where its passage alone does not entail the statement and the others do."""
    graded: float | None
    """As `recall`, with each statement's probability of being entailed in place of 1 or 0."""
    decisions: tuple[Decision, ...] = field(default=(), repr=False)
    """What was decided of each statement, in their order."""


class Entailments:
    """What an entailment model says of pairs; it is asked none twice, nor any that is `known`."""

    def __init__(self, entails: Entails, known: Mapping[Pair, float] | None = None) -> None:
        self._entails = entails
        self._known = dict(known or {})

    def __len__(self) -> int:
        return len(self._known)

    def ask(self, pairs: Iterable[Pair]) -> None:
        """Ask, in one go, what is not known yet of these."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if new:
            self._known.update(zip(new, self._entails(new), strict=True))

    def probability(self, pair: Pair) -> float:
        """Raises KeyError for a pair that was never asked."""
        return self._known[pair]

    def holds(self, pair: Pair) -> bool:
        """Whether the premise entails the hypothesis, decided at `ENTAILED`."""
        return self._known[pair] >= ENTAILED


def citation_support(
    answers: Sequence[CitedAnswer], known: Entailments, *, also: Iterable[Pair] = ()
) -> list[Support]:
    """The figures of each answer, in order. `also` are pairs to ask in the first round.

    >>> answer = CitedAnswer(
    ...     statements=[Statement(text="b", sources=(0, 1)), Statement(text="c", sources=())],
    ...     passages=["a", "b"],
    ... )
    >>> known = Entailments(lambda pairs: [float(h in p) for p, h in pairs])
    >>> citation_support([answer], known)
    [Support(recall=0.5, precision=0.5, graded=0.5)]
    """
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


def _decision(answer: CitedAnswer, statement: Statement, known: Entailments) -> Decision:
    if not statement.sources:
        return Decision(probability=None)
    probability = known.probability(_joint(answer, statement))
    if probability < ENTAILED or len(statement.sources) == 1:
        return Decision(probability=probability)
    tests = zip(statement.sources, _tests(answer, statement), strict=True)
    return Decision(
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
    """Of each citation: its passage alone, and the others without it."""
    for source in statement.sources:
        rest = list(statement.sources)
        rest.remove(source)  # of equal ones the first, as the reference does
        yield (
            (answer.premise([source]), statement.text),
            (answer.premise(rest), statement.text),
        )
