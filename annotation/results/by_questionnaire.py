"""Estimates for the questionnaires whose result is not Attr_AIS.

Only submitted work that holds a slot counts. The raters of an item are averaged first, so that
each item counts once. An adjudicated answer replaces that of each rater.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from django.utils.module_loading import import_string
from django.utils.text import capfirst

from annotation.items.run_groups import Group, groups_of
from annotation.models import Campaign, Item
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.material import AFTER, BEFORE, BOTH, PAIR
from annotation.results.estimates import SampledRevision, design_of
from annotation.results.judged import Answers, read_judged
from annotation.results.labels import OF_ANSWER, Label, count_answers
from pipeline.metrics.citation_judgments import HumanCitationScores, citation_scores
from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.metrics.preservation import preservation, preservation_levenshtein

REVISION, UTILITY = ("revision", 0), ("utility", 0)


class ShareCounts(NamedTuple):
    yes: int
    no: int
    open: int
    """Tied, and excluded from the share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanFigure:
    """One mean over items."""

    label: str
    meaning: str
    estimate: Estimate | None
    is_share: bool = True
    """From 0 to 1."""
    groups: tuple[tuple[Group, Estimate | None], ...] = ()
    """Of each system and each dataset, if the campaign has several."""
    counts: ShareCounts | None = None
    """Of a share of labels."""


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
    """The shares of the counted criterion's levels except the lowest, by side."""
    questionnaire = questionnaire_of(campaign)
    criterion = questionnaire.criterion(questionnaire.counted)
    sides: dict[str, list[tuple[SampledRevision, list[list[int]]]]] = _by_side(campaign)
    for item, answers in read_judged(campaign, phase, "side"):
        levels = [
            [
                level
                for target in sorted({target for _, target in of_rater})
                if (
                    counted := count_answers(criterion, target, [of_rater], answers.adjudicated)
                ).levels
                for level in counted.in_effect
            ]
            for of_rater in answers.raters
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
                        _average([float(each == level.value) for each in of_rater])
                        for of_rater in levels
                    ]
                )
                for _, levels in rows
            ],
        )
        for side, rows in sides.items()
        for level in criterion.levels[1:]
    ]


def intent_figures(campaign: Campaign, phase: str = "") -> list[MeanFigure]:
    """Pres_intent, Pres_Lev and Pres_comb of the judged pairs."""
    scores, sample = [], []
    intent = questionnaire_of(campaign).criterion("intent")
    for item, answers in read_judged(campaign, phase, "text", "second_text", "first_side"):
        original, revised = item["text"], item["second_text"]
        if item["first_side"] == Item.Side.AFTER:
            original, revised = revised, original
        of_pair = count_answers(intent, 0, answers.raters, answers.adjudicated)
        if of_pair.levels:
            scores.append(preservation(original, revised, of_pair.in_effect))
            sample.append(item["sample"])
    figure = partial(_figure, _groups(campaign, sample), sample)
    return [
        figure(
            "Pres_intent",
            "pairs that are very similar; of several raters, the share who say so",
            [each.intent for each in scores],
        ),
        figure(
            "Pres_Lev",
            "characters of the original that the revision keeps, of the same pairs",
            [each.levenshtein for each in scores],
        ),
        figure(
            "Pres_comb",
            "the mean of Pres_intent times Pres_Lev, pair by pair",
            [each.combined for each in scores],
        ),
    ]


_RULES = {"informative": "at least one part is", "attributable": "every part is"}
"""`OF_ANSWER` in words."""


def answer_quality_figures(campaign: Campaign, phase: str = "") -> list[MeanFigure]:
    """HAGRID's Table 3: both criteria, of the parts of answers and of whole answers.

    A part has the label of the majority, as in an export.
    """
    sides: dict[str, list[tuple[SampledRevision, dict[str, list[Label]]]]] = _by_side(campaign)
    questionnaire = questionnaire_of(campaign)
    for item, given in read_judged(campaign, phase, "side", "citations"):
        numbers = sorted({part for of_rater in given.raters for _, part in of_rater})
        labels = {
            name: [
                count_answers(
                    questionnaire.criterion(name),
                    part,
                    given.raters,
                    given.adjudicated,
                    citations=item["citations"],
                ).label
                for part in numbers
            ]
            for name in _RULES
        }
        sides[item["side"]].append((item["sample"], labels))
    groups = _groups(campaign, [sample for rows in sides.values() for sample, _ in rows])
    figures = []
    for side, rows in sides.items():
        of_side = f", {side}" if len(sides) > 1 else ""
        sample = [each for each, _ in rows]
        for name, rule in _RULES.items():
            parts = [labels[name] for _, labels in rows]
            figures += [
                _label_figure(
                    groups,
                    sample,
                    f"{name.capitalize()} answers{of_side}",
                    f"answers of which {rule} {name}",
                    [[OF_ANSWER[name](each)] for each in parts],
                ),
                _label_figure(
                    groups,
                    sample,
                    f"{name.capitalize()} parts{of_side}",
                    f"parts of answers that most of their raters call {name}",
                    parts,
                ),
            ]
    return figures


def oracle_figures(campaign: Campaign, phase: str = "") -> list[MeanFigure]:
    """How much of the passage the raters' own revisions preserve: the human oracle."""
    preserved, changed, sample = [], [], []
    for item, answers in read_judged(campaign, phase, "text"):
        texts = [
            text.get(REVISION, "")
            for of_rater, text in zip(answers.raters, answers.texts, strict=True)
            if REVISION in of_rater
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
    """ALCE's human study: utility, citation recall, citation precision."""
    utility, recall, precision, sample = [], [], [], []
    for item, answers in read_judged(campaign, phase, "sentences", "citations"):
        scores = [_citation_scores(item, of_rater) for of_rater in answers.in_effect]
        recall.append(_average([each.recall for each in scores]))
        precision.append(_average([each.precision for each in scores]))
        utility.append(
            _average(
                [float(of_rater[UTILITY]) for of_rater in answers.in_effect if UTILITY in of_rater]
            )
        )
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


def _by_side(campaign: Campaign) -> dict[str, list[Any]]:
    sides = (BEFORE, AFTER) if campaign.sides == BOTH else (campaign.sides,)
    return {side: [] for side in sides}


def _average(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _groups(campaign: Campaign, sample: Sequence[SampledRevision]) -> list[Group]:
    """The groups to estimate figures for; none, without a query, if all items are of one run."""
    return groups_of(campaign) if len({each.run for each in sample}) > 1 else []


def _figure(
    groups: Sequence[Group],
    sample: Sequence[SampledRevision],
    label: str,
    meaning: str,
    parts: Sequence[float | None],
    wholes: Sequence[int] | None = None,
    *,
    lowest: float = 0,
    highest: float = 1,
    counts: ShareCounts | None = None,
) -> MeanFigure:
    """Estimate the ratio of `parts` to `wholes` (else 1) over items, overall and by group."""
    rows = [
        (part, whole, each)
        for part, whole, each in zip(parts, wholes or [1] * len(parts), sample, strict=True)
        if part is not None
    ]

    def estimate_of(runs: frozenset[int] | None) -> Estimate | None:
        chosen = [row for row in rows if runs is None or row[2].run in runs]
        return ratio_estimate(
            [part for part, _, _ in chosen],
            [whole for _, whole, _ in chosen],
            **design_of(each for _, _, each in chosen),
            lowest=lowest,
            highest=highest,
        )

    return MeanFigure(
        label=label,
        meaning=meaning,
        estimate=estimate_of(None),
        is_share=highest == 1,
        groups=tuple((group, estimate_of(group.runs)) for group in groups),
        counts=counts,
    )


def _label_figure(
    groups: Sequence[Group],
    sample: Sequence[SampledRevision],
    label: str,
    meaning: str,
    labels: Sequence[Sequence[Label]],
) -> MeanFigure:
    """Estimate the share of 1 among the `labels` of each item that are not None."""
    yes = [of_item.count(1) for of_item in labels]
    known = [len(of_item) - of_item.count(None) for of_item in labels]
    counts = ShareCounts(
        yes=sum(yes),
        no=sum(known) - sum(yes),
        open=sum(map(len, labels)) - sum(known),
    )
    return _figure(groups, sample, label, meaning, yes, known, counts=counts)
