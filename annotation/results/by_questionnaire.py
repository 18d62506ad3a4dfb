"""The figures of the questionnaires whose result is not Attr_AIS: judgments to estimates.

Submitted work that holds a slot counts; drafts and late work do not. The raters of an item are
averaged first, so that each item counts once. A settled answer replaces that of each rater.
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
from annotation.results.estimates import Drawn, mean_of, share_of
from annotation.results.judged import Answers, read_judged
from annotation.results.labels import OF_ANSWER, Label, count_answers
from pipeline.metrics.citation_judgments import citation_scores
from pipeline.metrics.inference import Estimate
from pipeline.metrics.preservation import preservation, preservation_levenshtein

REVISION, UTILITY = ("revision", 0), ("utility", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One mean over items, with its interval."""

    label: str
    meaning: str
    estimate: Estimate | None
    is_share: bool = True
    """Whether it goes from 0 to 1."""
    groups: tuple[tuple[Group, Estimate | None], ...] = ()
    """The same for each system and each dataset, if the campaign has several."""
    counts: "Counts | None" = None
    """Of a share of things that are either so or not: how many of them are."""


class Counts(NamedTuple):
    """How many things got each label."""

    yes: int
    no: int
    open: int
    """Those whose raters are tied, and that nobody settled; the share leaves them out."""


def campaign_figures(campaign: Campaign, *, phase: str = "") -> list[Figure]:
    """The figures of one phase (`Item.Phase`), or of all phases if it is empty.

    Empty for a questionnaire whose result is Attr_AIS.
    """
    path = questionnaire_of(campaign).figures
    if not path:
        return []
    count: Callable[[Campaign, str], list[Figure]] = import_string(path)
    return count(campaign, phase)


def level_shares(campaign: Campaign, phase: str = "") -> list[Figure]:
    """The shares of the counted criterion's levels except the lowest, by side.

    Of a yes-or-no question that is the share of yes.
    """
    questionnaire = questionnaire_of(campaign)
    criterion = questionnaire.criterion(questionnaire.counted)
    found: dict[str, list[tuple[Drawn, list[list[int]]]]] = {side: [] for side in _sides(campaign)}
    for item, answers in read_judged(campaign, phase, "side"):
        values = [
            [
                level
                for target in sorted({target for _, target in own})
                if (counted := count_answers(criterion, target, [own], answers.settled)).levels
                for level in counted.in_effect
            ]
            for own in answers.raters
        ]
        found[item["side"]].append((item["drawn"], values))
    groups = _groups(campaign, [drawn for rows in found.values() for drawn, _ in rows])
    return [
        _figure(
            groups,
            [drawn for drawn, _ in rows],
            capfirst(level.label) + ("" if side == PAIR else f", {side}"),
            f"answers that are “{level.label}”, {criterion.noun} by {criterion.noun}",
            [
                _average([_average([float(each == level.value) for each in own]) for own in values])
                for _, values in rows
            ],
        )
        for side, rows in found.items()
        for level in criterion.levels[1:]
    ]


def intent_figures(campaign: Campaign, phase: str = "") -> list[Figure]:
    """Pres_intent, Pres_Lev and Pres_comb of the pairs that were compared."""
    kept, drawn = [], []
    intent = questionnaire_of(campaign).criterion("intent")
    for item, answers in read_judged(campaign, phase, "text", "second_text", "first_side"):
        original, revised = item["text"], item["second_text"]
        if item["first_side"] == Item.Side.AFTER:
            original, revised = revised, original
        of_pair = count_answers(intent, 0, answers.raters, answers.settled)
        if of_pair.levels:
            kept.append(preservation(original, revised, of_pair.in_effect))
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


_RULES = {"informative": "at least one part is", "attributable": "every part is"}
"""How `OF_ANSWER` makes the label of an answer from those of its parts, in words."""


def answer_quality_figures(campaign: Campaign, phase: str = "") -> list[Figure]:
    """HAGRID's Table 3 for both criteria: of the parts of answers and of whole answers.

    A part has the label that most of its raters gave, as in an export.
    """
    found: dict[str, list[tuple[Drawn, dict[str, list[Label]]]]] = {
        side: [] for side in _sides(campaign)
    }
    questionnaire = questionnaire_of(campaign)
    for item, given in read_judged(campaign, phase, "side", "citations"):
        numbers = sorted({part for own in given.raters for _, part in own})
        labels = {
            name: [
                count_answers(
                    questionnaire.criterion(name),
                    part,
                    given.raters,
                    given.settled,
                    citations=item["citations"],
                ).label
                for part in numbers
            ]
            for name in _RULES
        }
        found[item["side"]].append((item["drawn"], labels))
    groups = _groups(campaign, [drawn for rows in found.values() for drawn, _ in rows])
    figures = []
    for side, rows in found.items():
        of_side = f", {side}" if len(found) > 1 else ""
        drawn = [each for each, _ in rows]
        for name, rule in _RULES.items():
            parts = [labels[name] for _, labels in rows]
            answers = [[OF_ANSWER[name](each)] for each in parts]
            figures += [
                _share_figure(
                    groups, drawn, f"{name.capitalize()} answers{of_side}",
                    f"answers of which {rule} {name}", answers,
                ),
                _share_figure(
                    groups, drawn, f"{name.capitalize()} parts{of_side}",
                    f"parts of answers that most of their raters call {name}", parts,
                ),
            ]  # fmt: skip
    return figures


def oracle_figures(campaign: Campaign, phase: str = "") -> list[Figure]:
    """How much of the passage the raters' own revisions keep: the human oracle."""
    kept, changed, drawn = [], [], []
    for item, answers in read_judged(campaign, phase, "text"):
        texts = [
            text.get(REVISION, "")
            for own, text in zip(answers.raters, answers.texts, strict=True)
            if REVISION in own
        ]
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
    for item, answers in read_judged(campaign, phase, "sentences", "citations"):
        scores = [_citation_scores(item, own) for own in answers.in_effect]
        recall.append(_average([each.recall for each in scores]))
        precision.append(_average([each.precision for each in scores]))
        utility.append(
            _average([float(own[UTILITY]) for own in answers.in_effect if UTILITY in own])
        )
        drawn.append(item["drawn"])
    figure = partial(_figure, _groups(campaign, drawn), drawn)
    return [
        figure(
            "Utility",
            "how far raters agree that the answer helps, from 1 to 5",
            utility,
            estimate=partial(mean_of, lowest=1, highest=5),
            is_share=False,
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
            for (criterion, target), value in answers.items()
            if criterion == "citation_recall"
        },
        citations=[
            (item["citations"][target]["sentence"], value)
            for (criterion, target), value in answers.items()
            if criterion == "citation_precision"
        ],
    )


def _sides(campaign: Campaign) -> tuple[str, ...]:
    return (BEFORE, AFTER) if campaign.sides == BOTH else (campaign.sides,)


def _average(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _groups(campaign: Campaign, drawn: Sequence[Drawn]) -> list[Group]:
    """The groups to show figures for; none, without a query, if all items are of one run."""
    return groups_of(campaign) if len({each.run for each in drawn}) > 1 else []


def _figure(
    groups: Sequence[Group],
    drawn: Sequence[Drawn],
    label: str,
    meaning: str,
    values: Sequence[Any],
    *,
    estimate: Callable[[Sequence[Any], Sequence[Drawn]], Estimate | None] = mean_of,
    **more: Any,
) -> Figure:
    """The estimate over items that have a value, all of them and group by group."""
    known = [(value, each) for value, each in zip(values, drawn, strict=True) if value is not None]

    def of(runs: frozenset[int] | None = None) -> Estimate | None:
        own = [(value, each) for value, each in known if runs is None or each.run in runs]
        return estimate([value for value, _ in own], [each for _, each in own])

    of_groups = tuple((group, of(group.runs)) for group in groups)
    return Figure(label=label, meaning=meaning, estimate=of(), groups=of_groups, **more)


def _share_figure(
    groups: Sequence[Group],
    drawn: Sequence[Drawn],
    label: str,
    meaning: str,
    labels: Sequence[Sequence[Label]],
) -> Figure:
    """The share of 1 among what is labelled; `labels` are of each item."""
    counted = [(sum(each == 1 for each in own), len(own) - own.count(None)) for own in labels]
    yes, known = (sum(column) for column in zip((0, 0), *counted, strict=True))
    return _figure(
        groups,
        drawn,
        label,
        meaning,
        [counts if counts[1] else None for counts in counted],
        estimate=share_of,
        counts=Counts(yes=yes, no=known - yes, open=sum(map(len, labels)) - known),
    )
