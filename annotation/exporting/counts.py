"""Counts of an export, for its manifest."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.exporting.judged_items import JudgedItem
from annotation.questionnaires.types import Criterion
from annotation.results.labels import most_frequent

TIES_NAMED = 1_000


@dataclass(slots=True, kw_only=True)
class LabelCounts:
    """Counts of one criterion's targets (sentences, citations, items, …)."""

    expected: int = 0
    unjudged: int = 0
    """Without a judgment in time."""
    tied: int = 0
    """Raters are evenly split, adjudicated or not."""
    unsettled: int = 0
    """Raters differ, and nobody has adjudicated."""
    adjudicated: int = 0
    judgments: int = 0
    """Submitted, late ones included."""
    levels: Counter[str] = field(default_factory=Counter)
    """Label ("null" for none) to its number of targets in the file."""


@dataclass(slots=True, kw_only=True)
class ExportCounts:
    lines: int = 0
    """Without a header."""
    passages: set[int] = field(default_factory=set)
    items: int = 0
    sentences: int = 0
    citations: int = 0
    """Pairs of a sentence and a snippet."""
    as_imported: int = 0
    """Labels of sentences from an imported file, not from raters."""
    assignments: int = 0
    """Submitted, late ones included."""
    assignments_late: int = 0
    judgments: int = 0
    judgments_late: int = 0
    raters: set[int] = field(default_factory=set)
    guidelines: Counter[str] = field(default_factory=Counter)
    """Version to its number of judgments."""
    labels: defaultdict[str, LabelCounts] = field(default_factory=lambda: defaultdict(LabelCounts))
    """By criterion."""
    answer_labels: dict[str, Counter[str]] = field(default_factory=dict)
    """HAGRID only: labels of whole answers, as `LabelCounts.levels`."""
    quotes: int = 0
    """HAGRID only."""
    ties: list[dict[str, Any]] = field(default_factory=list)
    """The first `TIES_NAMED` targets with a tie."""
    _judged: set[int] = field(default_factory=set)
    """Positions of items whose work is counted."""

    def add(self, item: JudgedItem, criteria: Sequence[Criterion]) -> None:
        self.items += 1
        self.sentences += len(item.sentences)
        self.citations += len(item.citations)
        for criterion in criteria:
            counts = self.labels[criterion.name]
            # Where the highest level is a full yes, raters' votes for yes or no make the label;
            # else the most frequent level does.
            is_yes_or_no = criterion.levels[-1].value == 1
            for target in criterion.required_targets(item):
                answers = item.answers(criterion.name, target)
                levels: Sequence[int] = answers.votes if is_yes_or_no else answers.levels
                counts.expected += 1
                counts.unjudged += not levels
                is_adjudicated = (criterion.name, target) in item.adjudications
                counts.adjudicated += is_adjudicated
                if len(set(levels)) > 1:
                    counts.unsettled += not is_adjudicated
                    if most_frequent(levels) is None:
                        counts.tied += 1
                        self._name_tie(item, criterion.name, target)
                label = answers.label if is_yes_or_no else answers.level
                counts.levels["null" if label is None else str(label)] += 1
        judged = item.shared_position or item.position
        work_to_count = () if judged in self._judged else item.work
        self._judged.add(judged)
        for work in work_to_count:
            self.assignments += 1
            self.assignments_late += work.is_late
            self.judgments += len(work.answers)
            self.judgments_late += len(work.answers) if work.is_late else 0
            self.raters.add(work.rater_id)
            for answer in work.answers:
                self.guidelines[str(answer.guidelines or "unknown")] += 1
                self.labels[answer.criterion].judgments += 1

    def add_imported(self, criterion: str, label: str, *, is_question: bool) -> None:
        """Count an imported label in place of no label."""
        self.as_imported += 1
        if is_question:  # `add` counted that it had none
            levels = self.labels[criterion].levels
            levels[label] += 1
            levels["null"] -= 1
            if not levels["null"]:
                del levels["null"]

    def _name_tie(self, item: JudgedItem, criterion: str, target: int) -> None:
        if len(self.ties) < TIES_NAMED:
            self.ties.append(
                {
                    "passage": item.passage_id,
                    "side": item.side,
                    "item": item.position,
                    "criterion": criterion,
                    "target": target,
                }
            )

    def to_plain(self) -> dict[str, Any]:
        names = [name for name in self.__dataclass_fields__ if name not in {"ties", "_judged"}]
        plain = {name: getattr(self, name) for name in names}
        of_sentences = self.labels.get("attributable")
        for state in ("unjudged", "tied", "adjudicated"):
            plain[f"sentences_{state}"] = of_sentences and getattr(of_sentences, state)
        return plain | {
            "passages": len(self.passages),
            "raters": len(self.raters),
            "guidelines": dict(self.guidelines),
            "labels": {
                name: asdict(counts) | {"levels": dict(counts.levels)}
                for name, counts in self.labels.items()
            },
            "answer_labels": {name: dict(labels) for name, labels in self.answer_labels.items()},
        }
