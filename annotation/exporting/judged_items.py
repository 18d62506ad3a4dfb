"""A campaign's items as exports see them: what was shown, what raters said, what was settled."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from annotation.exporting.schema import TEXT, WHOLE, Fields
from annotation.models import Adjudication
from annotation.results.labels import ADJUDICATED, MAJORITY, SETTLED, Label, majority, most_said
from pipeline.generation.strategies import STRATEGIES
from pipeline.importing.hagrid import is_answer

RATER_LEVELS: Fields = {
    "raters": [TEXT],
    "rater_levels": [{"criterion": TEXT, "target": WHOLE, "levels": [WHOLE]}],
}
"""The types of `JudgedItem.rater_levels`."""
ORIGIN: Fields = {"dataset": TEXT, "system": TEXT, "run": WHOLE}
"""The types of `JudgedItem.origin`."""


class Answer(NamedTuple):
    """A rater's answer about one target. Answers that were taken back are left out.

    A tuple, as `Work` is: an export makes millions, three times as fast as frozen dataclasses.
    """

    criterion: str
    target: int
    value: int
    """A level of the criterion."""
    text: str = ""
    """What the rater wrote, where the criterion asks for a text."""
    guidelines: int | None = None
    """The version of the instructions on the rater's page; None if that is not known."""


class Work(NamedTuple):
    """What one rater submitted for one item."""

    rater_id: int
    slot: int | None
    """None for late work: the slot had gone to somebody else."""
    submitted_at: datetime
    comment: str
    answers: tuple[Answer, ...]
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
    work: tuple[Work, ...]
    settled: Mapping[tuple[str, int], Adjudication] = field(default_factory=dict)
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
    unless: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """`Criterion.unless` of the criteria that have one, by their names."""
    cited_only: Collection[str] = ()
    """The criteria that are `is_cited_only`."""
    document_ids: tuple[str, ...] = ()
    """Parallel to `evidence`: which stretch of which document it is; "" if unknown."""
    original_text: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    """What came with the passage when it was imported; this and the two above only where the
    reader was asked for them."""
    labels: str = SETTLED
    """How several raters' answers become one (`annotation.results.labels.RESOLUTIONS`)."""
    _levels: dict[tuple[str, int], list[int]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for work in self.work:
            if work.slot is not None:
                for answer in work.answers:
                    self._levels.setdefault(answer[:2], []).append(answer.value)

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
        counted = [work for work in self.work if not work.is_late]
        said = [{answer[:2]: answer.value for answer in work.answers} for work in counted]
        return {
            "raters": [name(work.rater_id) for work in counted],
            "rater_levels": [
                {
                    "criterion": criterion,
                    "target": target,
                    "levels": [of_one.get((criterion, target)) for of_one in said],
                }
                for criterion, target in self._levels
            ],
        }

    @property
    def weight(self) -> float:
        """How many passages its own passage represents."""
        return round(1 / self.inclusion, 6)

    def levels(self, criterion: str, target: int) -> list[int]:
        """The answers that count, as levels: of raters who hold a slot."""
        return self._levels.get((criterion, target), [])

    def settled_as(self, criterion: str, target: int) -> int | None:
        """The level that an adjudicator settled on; None where nobody did."""
        settled = self.settled.get((criterion, target))
        return None if settled is None else settled.value

    def is_judged(self, criterion: str, target: int) -> bool:
        """Whether an answer counts or was settled on, even if no label follows from it."""
        if self.labels != MAJORITY and self.settled_as(criterion, target) is not None:
            return True
        return bool(self.votes(criterion, target))

    def label(self, criterion: str, target: int) -> Label:
        """The settled answer to a question of yes or no, or else what most raters said.

        Only a full yes is 1: where an answer to another question leaves nothing to ask (a
        sentence that cannot be understood), the label is 0.
        """
        if self.labels != MAJORITY:
            settled = self.settled_as(criterion, target)
            if settled is not None:
                return int(settled == 1)
            if criterion in self.unless:
                name, value = self.unless[criterion]
                if self.settled_as(name, target) == value:
                    return 0
        votes = self.votes(criterion, target)
        if self.labels == ADJUDICATED and len(set(votes)) > 1:
            return None
        return majority(votes)

    def level(self, criterion: str, target: int) -> Label:
        """The settled level, or else the one that most raters chose."""
        if self.labels != MAJORITY and (settled := self.settled_as(criterion, target)) is not None:
            return settled
        said = self.levels(criterion, target)
        if self.labels == ADJUDICATED and len(set(said)) > 1:
            return None
        return most_said(said)

    def votes(self, criterion: str, target: int) -> list[bool]:
        """The answers to a question of yes or no that count: of raters who hold a slot.

        Raters who said that there is nothing to ask vote no; but they have no vote where it was
        settled that the question can be asked. Of a sentence that cites nothing all vote no who
        handed the item in and were not asked.
        """
        if criterion not in self.unless:
            votes = [value == 1 for value in self.levels(criterion, target)]
            if votes or criterion not in self.cited_only:
                return votes
            if all(citation["sentence"] != target for citation in self.citations):
                return [False for work in self.work if not work.is_late]
            return votes
        name, value = self.unless[criterion]
        votes = [
            said[criterion, target] == 1
            for work in self.work
            if not work.is_late
            for said in [{(each.criterion, each.target): each.value for each in work.answers}]
            if (criterion, target) in said and said.get((name, target)) != value
        ]
        settled = None if self.labels == MAJORITY else self.settled_as(name, target)
        if settled in (None, value):
            votes += [False for said in self.levels(name, target) if said == value]
        return votes
