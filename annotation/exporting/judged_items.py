"""A campaign's items as exports read them, with work and adjudications."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from annotation.exporting.schema import TEXT, WHOLE, Fields
from annotation.models import Adjudication
from annotation.questionnaires.types import Criterion
from annotation.results.labels import SETTLED, AnswerKey, TargetAnswers, target_answers
from pipeline.generation.strategies import STRATEGIES
from pipeline.importing.passage import PassageSource

RATER_LEVELS: Fields = {
    "raters": [TEXT],
    "rater_levels": [{"criterion": TEXT, "target": WHOLE, "levels": [WHOLE]}],
}
ORIGIN: Fields = {"dataset": TEXT, "system": TEXT, "run": WHOLE}


class SubmittedAnswer(NamedTuple):
    """A rater's answer about one target.

    A tuple, as `SubmittedWork` is: exports make millions, three times as fast as dataclasses.
    """

    criterion: str
    target: int
    value: int
    text: str = ""
    guidelines: int | None = None
    """The version of the instructions; None if unknown."""


class SubmittedWork(NamedTuple):
    rater_id: int
    slot: int | None
    """None for late work."""
    submitted_at: datetime
    comment: str
    answers: tuple[SubmittedAnswer, ...]
    edited_at: datetime | None = None
    """Last change after submission."""
    active_ms: int = 0
    """Time at work on the page; this and the next three are 0 where nothing was measured."""
    idle_ms: int = 0
    clicks: int = 0
    keys: int = 0
    participant: str = ""
    """A crowd participant's state (`raters.participants`); empty for others."""

    @property
    def is_timed(self) -> bool:
        return self.active_ms + self.idle_ms > 0

    @property
    def is_late(self) -> bool:
        return self.slot is None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedItem:
    """An item with its submitted work, by slot, late work last."""

    revision_id: int
    side: str
    position: int
    context: str
    text: str
    sentences: tuple[str, ...]
    evidence: Sequence[Mapping[str, Any]]
    """Title, url and text of each snippet."""
    passage_id: str
    """The external id."""
    passage_format: str
    """The format of the imported file."""
    work: tuple[SubmittedWork, ...]
    adjudications: Mapping[AnswerKey, Adjudication] = field(default_factory=dict)
    """By (criterion, target)."""
    citations: Sequence[Mapping[str, int]] = ()
    second_text: str = ""
    """Of a pair, passage B."""
    first_side: str = ""
    """Of a pair, the side of passage A."""
    shared_position: int | None = None
    """The position of the item whose `work` and `adjudications` these are; None for its own."""
    phase: str = ""
    inclusion: float = 1.0
    """The probability that its passage was drawn."""
    dataset: str = ""
    """A slug."""
    system: str = ""
    run: int = 0
    criteria: Mapping[str, Criterion] = field(default_factory=dict)
    """By name."""
    document_ids: tuple[str, ...] = ()
    """Parallel to `evidence`; "" if unknown."""
    original_text: str = ""
    source: PassageSource = field(default_factory=PassageSource)
    """As imported; this and the two above are read only `with_import`."""
    spans: Sequence[Mapping[str, int]] = ()
    """Parallel to `sentences`."""
    statements: Sequence[Mapping[str, Any]] | None = None
    """The scored statements of an answer; None if it is not scored. Read only `with_scores`."""
    labels: str = SETTLED
    """A key of `annotation.results.labels.RESOLUTIONS`."""
    _raters: list[dict[AnswerKey, int]] = field(default_factory=list, init=False, repr=False)
    """Of each rater who holds a slot."""
    _adjudicated: dict[AnswerKey, int] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for work in self.work:
            if work.slot is not None:
                self._raters.append({answer[:2]: answer.value for answer in work.answers})
        for target, adjudication in self.adjudications.items():
            self._adjudicated[target] = adjudication.value

    @property
    def is_written(self) -> bool:
        """Return whether a strategy wrote the text; `source` is then about the question."""
        return self.system in STRATEGIES

    @property
    def is_hagrid_answer(self) -> bool:
        return self.passage_format == "hagrid"

    @property
    def origin(self) -> dict[str, str | int]:
        return {"dataset": self.dataset, "system": self.system, "run": self.run}

    def rater_levels(self, name: Callable[[int], str]) -> dict[str, Any]:
        """Return who judged in time, renamed by `name`, and their answers to each target.

        `levels` is parallel to `raters`; null where a rater did not answer.
        """
        return {
            "raters": [name(work.rater_id) for work in self.work if not work.is_late],
            "rater_levels": [
                {
                    "criterion": criterion,
                    "target": target,
                    "levels": [of_one.get((criterion, target)) for of_one in self._raters],
                }
                for criterion, target in dict.fromkeys(chain(*self._raters))
            ],
        }

    @property
    def weight(self) -> float:
        """The number of passages that its passage represents."""
        return round(1 / self.inclusion, 6)

    def answers(self, criterion: str, target: int) -> TargetAnswers:
        return target_answers(
            self.criteria[criterion],
            target,
            self._raters,
            self._adjudicated,
            citations=self.citations,
            resolution=self.labels,
        )
