"""A campaign's items as exports see them: what was shown, what raters said, what was settled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from annotation.exporting.schema import TEXT, WHOLE, Fields
from annotation.models import Adjudication
from annotation.questionnaires.types import Criterion
from annotation.results.labels import SETTLED, Target, TargetAnswers, count_answers
from pipeline.generation.strategies import STRATEGIES
from pipeline.importing.hagrid import is_answer

RATER_LEVELS: Fields = {
    "raters": [TEXT],
    "rater_levels": [{"criterion": TEXT, "target": WHOLE, "levels": [WHOLE]}],
}
"""The types of `JudgedItem.rater_levels`."""
ORIGIN: Fields = {"dataset": TEXT, "system": TEXT, "run": WHOLE}
"""The types of `JudgedItem.origin`."""


class SubmittedAnswer(NamedTuple):
    """A rater's answer about one target. Answers that were taken back are left out.

    A tuple, as `SubmittedWork` is: exports make millions, three times as fast as dataclasses.
    """

    criterion: str
    target: int
    value: int
    """A level of the criterion."""
    text: str = ""
    """What the rater wrote, where the criterion asks for a text."""
    guidelines: int | None = None
    """The version of the instructions on the rater's page; None if that is not known."""


class SubmittedWork(NamedTuple):
    """What one rater submitted for one item."""

    rater_id: int
    slot: int | None
    """None for late work: the slot had gone to somebody else."""
    submitted_at: datetime
    comment: str
    answers: tuple[SubmittedAnswer, ...]
    edited_at: datetime | None = None
    """When it was last changed after it was handed in; None where it never was."""
    active_ms: int = 0
    """Time at work on the item's page. This and the next three are 0 where nothing was measured,
    as in work that came in over the API."""
    idle_ms: int = 0
    clicks: int = 0
    keys: int = 0
    participant: str = ""
    """What became of a crowd's rater (`raters.participants`); empty for one with an account."""

    @property
    def is_timed(self) -> bool:
        return self.active_ms + self.idle_ms > 0

    @property
    def is_late(self) -> bool:
        return self.slot is None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedItem:
    """An item with the work on it that was submitted, by slot, late work last."""

    revision_id: int
    side: str
    position: int
    context: str
    text: str
    sentences: tuple[str, ...]
    evidence: Sequence[Mapping[str, Any]]
    """Title, url and text of each snippet that raters see."""
    passage_id: str
    """The passage's own id in its dataset."""
    work: tuple[SubmittedWork, ...]
    settled: Mapping[Target, Adjudication] = field(default_factory=dict)
    """(criterion, target) to what an adjudicator settled on."""
    citations: Sequence[Mapping[str, int]] = ()
    """Which sentence cites which piece of evidence, where the questionnaire asks."""
    second_text: str = ""
    """Of a pair, passage B."""
    first_side: str = ""
    """Of a pair, which side stands as passage A."""
    phase: str = ""
    """In which phase of the campaign it was judged."""
    inclusion: float = 1.0
    """The chance that its passage had of being drawn."""
    dataset: str = ""
    """The slug of its dataset; `system` and `run` say what revised it."""
    system: str = ""
    run: int = 0
    criteria: Mapping[str, Criterion] = field(default_factory=dict)
    """The questions about it, by their names."""
    document_ids: tuple[str, ...] = ()
    """Parallel to `evidence`: which stretch of which document it is; "" if unknown."""
    original_text: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    """What came with the passage when it was imported; this and the two above only where the
    reader was asked for them."""
    labels: str = SETTLED
    """How several raters' answers become one (`annotation.results.labels.RESOLUTIONS`)."""
    _raters: list[dict[Target, int]] = field(default_factory=list, init=False, repr=False)
    """The answers of each rater who holds a slot."""
    _settled: dict[Target, int] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for work in self.work:
            if work.slot is not None:
                self._raters.append({answer[:2]: answer.value for answer in work.answers})
        self._settled.update({target: each.value for target, each in self.settled.items()})

    @property
    def is_written(self) -> bool:
        """Whether a strategy wrote the text: then `source` tells of the question alone."""
        return self.system in STRATEGIES

    @property
    def is_hagrid_answer(self) -> bool:
        """Whether its passage came in a HAGRID line."""
        return is_answer(self.passage_id, self.source)

    @property
    def origin(self) -> dict[str, str | int]:
        """Its dataset, system and run, which tell two lines of one passage apart."""
        return {"dataset": self.dataset, "system": self.system, "run": self.run}

    def rater_levels(self, name: Callable[[int], str]) -> dict[str, Any]:
        """Who judged in time, as `name` calls them, and what each said of each target.

        `levels` is parallel to `raters`, as the questionnaire numbers levels; null where a rater
        said nothing.
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
        """How many passages its own passage represents."""
        return round(1 / self.inclusion, 6)

    def answers(self, criterion: str, target: int) -> TargetAnswers:
        """The answers that count about one target."""
        return count_answers(
            self.criteria[criterion],
            target,
            self._raters,
            self._settled,
            citations=self.citations,
            resolution=self.labels,
        )
