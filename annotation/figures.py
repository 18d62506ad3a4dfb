"""The figures of the questionnaires that do not ask about attribution: judgments to estimates.

Everywhere, submitted work that holds a slot counts; drafts and late work do not. Raters of one
item are averaged first, so that an item counts once. Where an adjudicator has settled on an answer
it stands in place of each rater's.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from django.utils.module_loading import import_string

from annotation.estimating import Drawn, mean_of
from annotation.models import Adjudication, Campaign, Item, Judgment
from annotation.questionnaires import questionnaire_of
from annotation.strata import Group, groups_of
from pipeline.metrics.citation_judgments import citation_scores
from pipeline.metrics.inference import Estimate
from pipeline.metrics.preservation import preservation, preservation_levenshtein

Answers = Mapping[tuple[str, int], tuple[int, str]]
"""(criterion, target) to (value, text): what one rater said of one item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One mean over items, with its interval."""

    label: str
    meaning: str
    estimate: Estimate | None
    is_share: bool = True
    """Whether it goes from 0 to 1."""
    groups: tuple[tuple[Group, Estimate | None], ...] = ()
    """The same, system by system and dataset by dataset, where the campaign has several."""


def campaign_figures(campaign: Campaign, *, phase: str = "") -> list[Figure]:
    """What the campaign's questionnaire counts; empty for one that asks about attribution.

    Of one phase (`Item.Phase`), or of all where it is empty.
    """
    path = questionnaire_of(campaign).figures
    if not path:
        return []
    count: Callable[[Campaign, str], list[Figure]] = import_string(path)
    return count(campaign, phase)


def intent_figures(campaign: Campaign, phase: str = "") -> list[Figure]:
    """Pres_intent, Pres_Lev and Pres_comb of the pairs that were compared."""
    kept, drawn = [], []
    for item, raters in _judged(campaign, phase, "text", "second_text", "first_side"):
        original, revised = item["text"], item["second_text"]
        if item["first_side"] == Item.Side.AFTER:
            original, revised = revised, original
        levels = [answers["intent", 0][0] for answers in raters if ("intent", 0) in answers]
        if levels:
            kept.append(preservation(original, revised, levels))
            drawn.append(item["drawn"])
    figure = partial(_figure, _groups(campaign, drawn), drawn)
    return [
        figure(
            "Pres_intent",
            "pairs that are very similar; of several raters, the share who say so",
            [each.intent for each in kept],
        ),
        figure(
            "Pres_Lev",
            "characters of the original that the revision keeps, of the same pairs",
            [each.levenshtein for each in kept],
        ),
        figure(
            "Pres_comb",
            "the mean of Pres_intent times Pres_Lev, pair by pair",
            [each.combined for each in kept],
        ),
    ]


def oracle_figures(campaign: Campaign, phase: str = "") -> list[Figure]:
    """How much of the passage the raters' own revisions keep: the human oracle."""
    kept, changed, drawn = [], [], []
    for item, raters in _judged(campaign, phase, "text"):
        texts = [answers["revision", 0][1] for answers in raters if ("revision", 0) in answers]
        if texts:
            scores = [preservation_levenshtein(item["text"], text) for text in texts]
            kept.append(_average(scores))
            changed.append(_average([float(text != item["text"]) for text in texts]))
            drawn.append(item["drawn"])
    figure = partial(_figure, _groups(campaign, drawn), drawn)
    return [
        figure(
            "Pres_Lev of the human oracle",
            "characters that stay when a person revises: what is possible at best",
            kept,
        ),
        figure("Changed", "passages that were edited", changed),
    ]


def citation_figures(campaign: Campaign, phase: str = "") -> list[Figure]:
    """ALCE's human study: utility, citation recall, citation precision."""
    utility, recall, precision, drawn = [], [], [], []
    for item, raters in _judged(campaign, phase, "sentences", "citations"):
        scores = [_citation_scores(item, answers) for answers in raters]
        recall.append(_average([each.recall for each in scores]))
        precision.append(_average([each.precision for each in scores]))
        rated = [float(answers["utility", 0][0]) for answers in raters if ("utility", 0) in answers]
        utility.append(_average(rated))
        drawn.append(item["drawn"])
    figure = partial(_figure, _groups(campaign, drawn), drawn)
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


def _citation_scores(item: Mapping[str, Any], answers: Answers) -> Any:
    return citation_scores(
        sentences=len(item["sentences"]),
        supported={
            target: value == 1
            for (criterion, target), (value, _) in answers.items()
            if criterion == "citation_recall"
        },
        citations=[
            (item["citations"][target]["sentence"], value)
            for (criterion, target), (value, _) in answers.items()
            if criterion == "citation_precision"
        ],
    )


def _judged(
    campaign: Campaign, phase: str, *fields: str
) -> Iterator[tuple[dict[str, Any], list[Answers]]]:
    """Each item that has counted work, with its raters' answers; two streams, walked together.

    A settled answer is each rater's who was asked the same. `drawn` says how the item's passage
    was drawn.
    """
    settled = _settled(campaign)
    of_phase = {"assignment__item__phase": phase} if phase else {}
    rows = (
        Judgment.objects.filter(
            **of_phase,
            assignment__item__campaign=campaign,
            assignment__submitted_at__isnull=False,
            assignment__slot__isnull=False,
            value__isnull=False,
        )
        .order_by("assignment__item_id", "assignment_id")
        .values_list("assignment__item_id", "assignment_id", "criterion", "target", "value", "text")
    )
    columns = ("pk", "inclusion", "revision__run_id", "passage_id", *fields)
    items = Item.objects.filter(campaign=campaign).order_by("pk").values(*columns).iterator()
    for item_id, of_item in groupby(rows.iterator(), key=lambda row: row[0]):
        decided = settled.get(item_id, {})
        said: list[Answers] = [
            {
                (criterion, target): (decided.get((criterion, target), value), text)
                for _, _, criterion, target, value, text in of_one
            }
            for _, of_one in groupby(of_item, key=lambda row: row[1])
        ]
        found = next(item for item in items if item["pk"] == item_id)
        drawn = Drawn(
            run=found["revision__run_id"],
            passage=found["passage_id"],
            weight=1 / found["inclusion"],
        )
        yield {**found, "drawn": drawn}, said


def _settled(campaign: Campaign) -> dict[int, dict[tuple[str, int], int]]:
    """Item to (criterion, target) to the level that an adjudicator settled on."""
    settled: dict[int, dict[tuple[str, int], int]] = defaultdict(dict)
    rows = Adjudication.objects.filter(item__campaign=campaign).order_by()
    for item_id, criterion, target, value in rows.values_list(
        "item_id", "criterion", "target", "value"
    ):
        settled[item_id][criterion, target] = value
    return settled


def _average(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _groups(campaign: Campaign, drawn: Sequence[Drawn]) -> list[Group]:
    """By what figures are told apart; nothing to ask for where all is of one run."""
    return groups_of(campaign) if len({each.run for each in drawn}) > 1 else []


def _figure(
    groups: Sequence[Group],
    drawn: Sequence[Drawn],
    label: str,
    meaning: str,
    values: Sequence[float | None],
    *,
    lowest: float = 0,
    highest: float = 1,
) -> Figure:
    """The mean over items that have a value, all of them and group by group."""
    known = [(value, each) for value, each in zip(values, drawn, strict=True) if value is not None]

    def mean(runs: frozenset[int] | None = None) -> Estimate | None:
        own = [(value, each) for value, each in known if runs is None or each.run in runs]
        return mean_of(
            [value for value, _ in own], [each for _, each in own], lowest=lowest, highest=highest
        )

    return Figure(
        label=label,
        meaning=meaning,
        estimate=mean(),
        is_share=highest == 1,
        groups=tuple((group, mean(group.runs)) for group in groups),
    )
