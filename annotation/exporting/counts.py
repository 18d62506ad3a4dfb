"""What an export has written so far, and how far each question is answered."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.exporting.judged_items import JudgedItem
from annotation.questionnaires.types import Criterion
from annotation.results.labels import majority

TIES_NAMED = 1_000


@dataclass(slots=True, kw_only=True)
class LabelCounts:
    """How far one criterion is answered. A target is a sentence, a citation, an item, …"""

    asked: int = 0
    """Targets that raters are asked about."""
    unjudged: int = 0
    """Of these, targets without a single judgment in time."""
    tied: int = 0
    """Targets about which raters are evenly split, even if they were adjudicated."""
    unsettled: int = 0
    """Targets about which raters differ, tied or not, and that nobody adjudicated."""
    adjudicated: int = 0
    """Targets that an adjudicator settled."""
    judgments: int = 0
    """Submitted ones, late ones included."""
    levels: Counter[str] = field(default_factory=Counter)
    """Label to the number of targets that it has in the file; "null" for those without one."""


@dataclass(slots=True, kw_only=True)
class ExportCounts:
    """What an export has written so far; complete once the export is."""

    lines: int = 0
    """Lines of the file after its header, if it has one."""
    passages: int = 0
    items: int = 0
    sentences: int = 0
    citations: int = 0
    """By sentences, where the questionnaire asks about citations."""
    as_imported: int = 0
    """Labels of sentences that came with an imported file and are no rater's."""
    assignments: int = 0
    """Submitted ones, late ones included."""
    assignments_late: int = 0
    judgments: int = 0
    judgments_late: int = 0
    raters: set[int] = field(default_factory=set)
    guidelines: Counter[str] = field(default_factory=Counter)
    """Version of the instructions to the number of judgments given under it."""
    labels: defaultdict[str, LabelCounts] = field(default_factory=lambda: defaultdict(LabelCounts))
    """By the criterion's name."""
    answer_labels: dict[str, Counter[str]] = field(default_factory=dict)
    """Of a HAGRID file: its labels of whole answers, as `LabelCounts.levels`."""
    quotes: int = 0
    """Of a HAGRID file."""
    ties: list[dict[str, Any]] = field(default_factory=list)
    """The first `TIES_NAMED` targets about which raters are evenly split."""

    def add(self, item: JudgedItem, criteria: Sequence[Criterion]) -> None:
        """Count one item and all that was said about it, under the campaign's `criteria`."""
        self.items += 1
        self.sentences += len(item.sentences)
        self.citations += len(item.citations)
        for criterion in criteria:
            counts = self.labels[criterion.name]
            # Where the highest level is a full yes, the label is what most say of yes or no; else
            # it is the level that most chose.
            is_yes_or_no = criterion.levels[-1].value == 1
            for target in criterion.asked(item):
                answers = item.answers(criterion.name, target)
                levels: Sequence[int] = answers.votes if is_yes_or_no else answers.levels
                counts.asked += 1
                counts.unjudged += not levels
                is_settled = (criterion.name, target) in item.settled
                counts.adjudicated += is_settled
                if len(set(levels)) > 1:
                    counts.unsettled += not is_settled
                    if majority(levels) is None:
                        counts.tied += 1
                        self._name_tie(item, criterion.name, target)
                label = answers.label if is_yes_or_no else answers.level
                counts.levels["null" if label is None else str(label)] += 1
        for work in item.work:
            self.assignments += 1
            self.assignments_late += work.is_late
            self.judgments += len(work.answers)
            self.judgments_late += len(work.answers) if work.is_late else 0
            self.raters.add(work.rater_id)
            for answer in work.answers:
                self.guidelines[str(answer.guidelines or "unknown")] += 1
                self.labels[answer.criterion].judgments += 1

    def add_imported(self, criterion: str, label: str, *, is_question: bool) -> None:
        """Count one sentence's label that came with an imported file, in place of no label."""
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
        """As a manifest has them; `sentences_…` are null where nobody asks about attribution."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "ties"}
        of_sentences = self.labels.get("attributable")
        for state in ("unjudged", "tied", "adjudicated"):
            plain[f"sentences_{state}"] = of_sentences and getattr(of_sentences, state)
        return plain | {
            "raters": len(self.raters),
            "guidelines": dict(self.guidelines),
            "labels": {
                name: asdict(counts) | {"levels": dict(counts.levels)}
                for name, counts in self.labels.items()
            },
            "answer_labels": {name: dict(found) for name, found in self.answer_labels.items()},
        }
