"""Estimates for the questionnaires whose result is not Attr_AIS.

An item's raters are averaged first, so that each item counts once; answer quality counts labels. An
adjudicated answer replaces that of each rater.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from django.utils.module_loading import import_string
from django.utils.text import capfirst

from annotation.items.run_groups import Group, groups_of
from annotation.models import Campaign
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.material import AFTER, BEFORE, BOTH, PAIR
from annotation.questionnaires.types import Criterion
from annotation.results.answers import Answers, items_with_answers
from annotation.results.labels import ANSWER_RULES, Label, target_answers
from annotation.results.samples import SampledRevision, design_of
from pipeline.metrics.citation_support import HumanCitationScores, citation_scores
from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.metrics.preservation import (
    preservation_combined,
    preservation_intent,
    preservation_levenshtein,
)

REVISION, UTILITY = ("revision", 0), ("utility", 0)
"""Keys of answers about the whole item."""


class ShareCounts(NamedTuple):
    yes: int
    no: int
    tied: int
    """Excluded from the share."""


class GroupMean(NamedTuple):
    group: Group
    estimate: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanFigure:
    label: str
    meaning: str
    estimate: Estimate | None
    is_share: bool = True
    """The mean is 0.0 to 1.0."""
    groups: tuple[GroupMean, ...] = ()
    """The mean of each system, dataset or run, if several (`groups_of`)."""
    counts: ShareCounts | None = None
    """Of the labels, if the figure is a share of them."""

    @property
    def label_in_words(self) -> str:
        return self.label.replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanTable:
    columns: list[MeanFigure]

    @property
    def rows(self) -> list[tuple[str, list[tuple[MeanFigure, Estimate | None]]]]:
        """The figures of all items, and of each group with some."""
        rows = [("All", [(figure, figure.estimate) for figure in self.columns])]
        for groups in zip(*(figure.groups for figure in self.columns), strict=True):
            cells = [(figure, mean) for figure, (_, mean) in zip(self.columns, groups, strict=True)]
            rows += [(groups[0].group.label, cells)] if any(mean for _, mean in cells) else []
        return rows

    @property
    def n(self) -> int:
        """The largest n of a figure."""
        return max((each.estimate.n for each in self.columns if each.estimate), default=0)


def campaign_figures(campaign: Campaign, phase: str = "") -> list[MeanFigure]:
    """Estimate the figures of one phase (`Item.Phase`), or of all if it is empty.

    Empty for a questionnaire whose result is Attr_AIS.
    """
    path = questionnaire_of(campaign).figures
    if not path:
        return []
    estimate: Callable[[Campaign, str], list[MeanFigure]] = import_string(path)
    return estimate(campaign, phase)


def level_shares(campaign: Campaign, phase: str = "") -> list[MeanFigure]:
    """Estimate the share of each level of the result criterion but the lowest, by side."""
    questionnaire = questionnaire_of(campaign)
    criterion = questionnaire.criterion(questionnaire.result_criterion)
    # Of each item: its `SampledRevision`, and each rater's levels.
    sides: dict[str, list[tuple[SampledRevision, list[list[int]]]]] = _empty_sides(campaign)
    for item, answers in items_with_answers(campaign, phase, "side"):
        levels = [
            _final_levels(criterion, given, answers.adjudicated) for given in answers.by_rater
        ]
        sides[item["side"]].append((item["sample"], levels))
    groups = _groups(campaign, [sample for rows in sides.values() for sample, _ in rows])
    return [
        _figure(
            groups,
            [sample for sample, _ in rows],
            capfirst(level.label) + ("" if side == PAIR else f", {side}"),
            f"answers that are “{level.label}”, {criterion.noun} by {criterion.noun}",
            [
                _average(
                    [
                        _average([float(each == level.value) for each in levels])
                        for levels in by_rater
                    ]
                )
                for _, by_rater in rows
            ],
        )
        for side, rows in sides.items()
        for level in criterion.levels[1:]
    ]


def _final_levels(criterion: Criterion, given: Answers, adjudicated: Answers) -> list[int]:
    """List one rater's levels, target by target, with adjudicated ones in their place."""
    levels: list[int] = []
    for target in sorted({target for _, target in given}):
        answers = target_answers(criterion, target, [given], adjudicated)
        if answers.levels:
            levels += answers.final_levels
    return levels


class JudgedPair(NamedTuple):
    sample: SampledRevision
    intent: float | None
    """Pres_intent, 0.0 to 1.0; None without an answer."""
    lev: float | None
    """Pres_Lev, 0.0 to 1.0; None for an empty original."""


def judged_pairs(campaign: Campaign, phase: str = "") -> Iterator[JudgedPair]:
    intent = questionnaire_of(campaign).criterion("intent")
    for item, answers in items_with_answers(campaign, phase, "text", "second_text", "first_side"):
        original, revised = item["text"], item["second_text"]
        if item["first_side"] == AFTER:
            original, revised = revised, original
        of_pair = target_answers(intent, 0, answers.by_rater, answers.adjudicated)
        if of_pair.levels:
            yield JudgedPair(
                sample=item["sample"],
                intent=preservation_intent(of_pair.final_levels),
                lev=preservation_levenshtein(original, revised),
            )


def intent_figures(campaign: Campaign, phase: str = "") -> list[MeanFigure]:
    """Estimate Pres_intent, Pres_Lev and Pres_comb of the judged pairs."""
    pairs = list(judged_pairs(campaign, phase))
    sample, intents, levenshteins = zip(*pairs, strict=True) if pairs else ((), (), ())
    combined = list(map(preservation_combined, intents, levenshteins))
    figure = partial(_figure, _groups(campaign, sample), sample)
    return [
        figure(
            "Pres_intent",
            "pairs that are very similar; of several raters, the share who say so",
            intents,
        ),
        figure(
            "Pres_Lev",
            "characters of the original that the revision keeps, of the same pairs",
            levenshteins,
        ),
        figure(
            "Pres_comb",
            "the mean of Pres_intent times Pres_Lev, pair by pair",
            combined,
        ),
    ]


_RULES_IN_WORDS = {"informative": "at least one part is", "attributable": "every part is"}
"""Those of `ANSWER_RULES`."""


def answer_quality_figures(campaign: Campaign, phase: str = "") -> list[MeanFigure]:
    """Estimate HAGRID's Table 3: both criteria, of whole answers and of their parts.

    The labels are those of an export.
    """
    sides: dict[str, list[tuple[SampledRevision, dict[str, list[Label]]]]] = _empty_sides(campaign)
    questionnaire = questionnaire_of(campaign)
    for item, given in items_with_answers(campaign, phase, "side", "citations"):
        parts = sorted({part for answers in given.by_rater for _, part in answers})
        labels = {
            name: [
                target_answers(
                    questionnaire.criterion(name),
                    part,
                    given.by_rater,
                    given.adjudicated,
                    citations=item["citations"],
                ).label
                for part in parts
            ]
            for name in _RULES_IN_WORDS
        }
        sides[item["side"]].append((item["sample"], labels))
    groups = _groups(campaign, [sample for rows in sides.values() for sample, _ in rows])
    figures = []
    for side, rows in sides.items():
        of_side = f", {side}" if len(sides) > 1 else ""
        sample = [each for each, _ in rows]
        for name, rule in _RULES_IN_WORDS.items():
            of_parts = [labels[name] for _, labels in rows]
            figures += [
                _label_figure(
                    groups,
                    sample,
                    f"{name.capitalize()} answers{of_side}",
                    f"answers of which {rule} {name}",
                    [[ANSWER_RULES[name](each)] for each in of_parts],
                ),
                _label_figure(
                    groups,
                    sample,
                    f"{name.capitalize()} parts{of_side}",
                    f"parts of answers that most of their raters call {name}",
                    of_parts,
                ),
            ]
    return figures


def oracle_figures(campaign: Campaign, phase: str = "") -> list[MeanFigure]:
    """Estimate how much of a passage remains when raters revise it: the best that is possible."""
    preserved, changed, sample = [], [], []
    for item, answers in items_with_answers(campaign, phase, "text"):
        texts = [
            # No text: the rater deleted all. An unchanged passage is stored in full.
            texts.get(REVISION, "")
            for given, texts in zip(answers.by_rater, answers.texts, strict=True)
            if REVISION in given
        ]
        if texts:
            scores = [preservation_levenshtein(item["text"], text) for text in texts]
            preserved.append(_average(scores))
            changed.append(_average([float(text != item["text"]) for text in texts]))
            sample.append(item["sample"])
    figure = partial(_figure, _groups(campaign, sample), sample)
    return [
        figure(
            "Pres_Lev of the human oracle",
            "characters that stay when a person revises: what is possible at best",
            preserved,
        ),
        figure("Changed", "passages that were edited", changed),
    ]


def citation_figures(campaign: Campaign, phase: str = "") -> list[MeanFigure]:
    """Estimate utility, citation recall and citation precision, as ALCE's human study."""
    utility, recall, precision, sample = [], [], [], []
    for item, answers in items_with_answers(campaign, phase, "sentences", "citations"):
        by_rater = answers.final_by_rater
        scores = [_citation_scores(item, given) for given in by_rater]
        recall.append(_average([each.recall for each in scores]))
        precision.append(_average([each.precision for each in scores]))
        utility.append(_average([float(given[UTILITY]) for given in by_rater if UTILITY in given]))
        sample.append(item["sample"])
    figure = partial(_figure, _groups(campaign, sample), sample)
    return [
        figure(
            "Utility",
            "how far raters agree that the answer helps, from 1 to 5",
            utility,
            lowest=1,
            highest=5,
        ),
        figure(
            "Citation recall",
            "sentences that their sources support; one that cites nothing counts 0",
            recall,
        ),
        figure(
            "Citation precision",
            "citations that support a supported sentence at least in part",
            precision,
        ),
    ]


def _citation_scores(item: Mapping[str, Any], answers: Answers) -> HumanCitationScores:
    return citation_scores(
        sentences=len(item["sentences"]),
        supported={
            target: value == 1
            for (criterion, target), value in answers.items()
            if criterion == "citation_recall"
        },
        citations=[
            (item["citations"][target]["sentence"], value)
            for (criterion, target), value in answers.items()
            if criterion == "citation_precision"
        ],
    )


def _empty_sides(campaign: Campaign) -> dict[str, list[Any]]:
    sides = (BEFORE, AFTER) if campaign.sides == BOTH else (campaign.sides,)
    return {side: [] for side in sides}


def _average(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _groups(campaign: Campaign, sample: Sequence[SampledRevision]) -> list[Group]:
    """List the groups of runs; none, without a query, if all items are of one run."""
    return groups_of(campaign) if len({each.run for each in sample}) > 1 else []


def _figure(
    groups: Sequence[Group],
    sample: Sequence[SampledRevision],
    label: str,
    meaning: str,
    numerators: Sequence[float | None],
    denominators: Sequence[int] | None = None,
    *,
    lowest: float = 0,
    highest: float = 1,
    counts: ShareCounts | None = None,
) -> MeanFigure:
    """Estimate the ratio of numerators to denominators (by default 1), overall and by group.

    All are parallel to `sample`; items with the numerator None are excluded.
    """
    denominators = denominators or [1] * len(numerators)
    rows = [
        (numerator, denominator, sampled)
        for numerator, denominator, sampled in zip(numerators, denominators, sample, strict=True)
        if numerator is not None
    ]

    def estimate_of(runs: frozenset[int] | None) -> Estimate | None:
        chosen = [row for row in rows if runs is None or row[2].run in runs]
        return ratio_estimate(
            [numerator for numerator, _, _ in chosen],
            [denominator for _, denominator, _ in chosen],
            **design_of(sampled for _, _, sampled in chosen),
            lowest=lowest,
            highest=highest,
        )

    return MeanFigure(
        label=label,
        meaning=meaning,
        estimate=estimate_of(None),
        is_share=highest == 1,
        groups=tuple(GroupMean(group, estimate_of(group.runs)) for group in groups),
        counts=counts,
    )


def _label_figure(
    groups: Sequence[Group],
    sample: Sequence[SampledRevision],
    label: str,
    meaning: str,
    labels: Sequence[Sequence[Label]],
) -> MeanFigure:
    """Estimate the share of 1 among the labels of items, without None."""
    yes = [of_item.count(1) for of_item in labels]
    known = [len(of_item) - of_item.count(None) for of_item in labels]
    counts = ShareCounts(
        yes=sum(yes),
        no=sum(known) - sum(yes),
        tied=sum(map(len, labels)) - sum(known),
    )
    return _figure(groups, sample, label, meaning, yes, known, counts=counts)
