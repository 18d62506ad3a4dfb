"""Attribution and intent joined passage by passage: the RARR paper's Table 1.

Raters say of a revision in one campaign what its report supports, and in another one whether it
keeps the original's intent. A passage that was judged in both has a human F1_AP. Work of
production counts, as `annotation.results.attribution` counts it; pilots do not.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from django.db.models import Count, Q
from django.db.models.fields.json import KeyTextTransform

from annotation.models import Adjudication, Campaign, CampaignRun, Item, Judgment
from annotation.questionnaires import load_questionnaire
from annotation.questionnaires.intent import INTENT
from annotation.results.attribution import decided_votes, mean_votes, read_settled, read_votes
from annotation.results.estimates import Drawn, are_weighted, mean_of
from pipeline.metrics.attribution import f1_ap_differences, f1_ap_of_means
from pipeline.metrics.differences import holm, paired_p
from pipeline.metrics.inference import Estimate, mean_estimate, weighted_mean_estimate
from pipeline.metrics.preservation import preservation_combined
from pipeline.models import Passage, Revision, Run

KINDS = ("attribution", "intent")
"""The questionnaires that can be joined."""
MOST_CAMPAIGNS = 8
MOST_SLICES = 20
LOOKED_AT = 200
"""Passages whose metadata is read to offer fields."""
BEFORE, AFTER = Item.Side.BEFORE.value, Item.Side.AFTER.value
HIGHEST = INTENT.criteria[0].levels[-1].value


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    group: str
    name: str
    sub: str
    of: str = ""
    """What tells it from its neighbour of the same name."""


COLUMNS = (
    Column("attr_auto_before", "Attribution", "Attr", "auto", "before"),
    Column("attr_auto_after", "Attribution", "Attr", "auto", "after"),
    Column("attr_ais_before", "Attribution", "Attr", "AIS", "before"),
    Column("attr_ais_after", "Attribution", "Attr", "AIS", "after"),
    Column("pres_intent", "Preservation", "Pres", "intent"),
    Column("pres_lev", "Preservation", "Pres", "Lev"),
    Column("pres_comb", "Preservation", "Pres", "comb"),
    Column("f1_auto", "Both", "F1", "AP", "auto"),
    Column("f1_human", "Both", "F1", "AP", "human"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One run's figures, or those of its passages with one value of a field."""

    run: Run
    part: str
    """The value of the field; empty where rows are not told apart by one."""
    revised: int
    figures: Mapping[str, Estimate | None]
    """By the columns' keys."""
    lead: Estimate | None = None
    """Human F1_AP less that of the first row over the same dataset and part, of the passages
    that have both; None for the first."""
    p: float | None = None
    """Of the lead: a paired t test, adjusted for all rows of the table (Holm)."""
    without_attribution: int
    """Revised passages without a rater's answer about the revision's attribution."""
    without_intent: int

    @property
    def cells(self) -> list[tuple[Column, Estimate | None]]:
        return [(column, self.figures[column.key]) for column in COLUMNS]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passage:
    """What is known of one revision."""

    passage: int
    figures: Mapping[str, float | None]
    weights: Mapping[str, float]
    """One over the chance of being drawn, for what raters said."""


def joined_rows(campaigns: Sequence[Campaign], *, by: str = "") -> list[Row]:
    """The table of all runs of `campaigns`, which are of `KINDS`; parted by the field `by`.

    Rows come dataset by dataset, part by part, the oldest run first. Six queries.
    """
    links = CampaignRun.objects.filter(campaign__in=campaigns)
    runs = {link.run_id: link.run for link in links.select_related("run__dataset")}
    known = _human(campaigns)
    chances = _chances(campaigns)
    tied = any(each.follows_id in {other.pk for other in campaigns} for each in campaigns)
    parts: dict[tuple[str, str, int], list[_Passage]] = defaultdict(list)
    revisions = Revision.objects.filter(run__in=runs, state=Revision.State.DONE)
    columns = ("pk", "run_id", "passage_id", "attribution_before", "attribution_after")
    rows = revisions.annotate(part=_field(by)) if by else revisions
    for pk, run, passage, before, after, lev, *part in (
        rows.order_by("passage_id")
        .values_list(*columns, "preservation", *(["part"] if by else []))
        .iterator()
    ):
        intent = known["pres_intent"].get(pk)
        of_attribution, of_intent = chances["attribution"].get(pk, 1), chances["intent"].get(pk, 1)
        both = min(of_attribution, of_intent) if tied else of_attribution * of_intent
        key = (runs[run].dataset.name, str(part[0] or "–") if part else "", run)
        parts[key].append(
            _Passage(
                passage=passage,
                figures={
                    "attr_auto_before": before,
                    "attr_auto_after": after,
                    "attr_ais_before": known["attr_ais_before"].get(pk),
                    "attr_ais_after": known["attr_ais_after"].get(pk),
                    "pres_intent": intent,
                    "pres_lev": lev,
                    "pres_comb": preservation_combined(intent, lev),
                },
                weights={
                    "attr_ais_before": 1 / of_attribution,
                    "attr_ais_after": 1 / of_attribution,
                    "pres_intent": 1 / of_intent,
                    "pres_comb": 1 / of_intent,
                    "both": 1 / both,
                },
            )
        )
    return _with_leads(
        [(_row(runs[key[2]], key[1], parts[key]), parts[key]) for key in sorted(parts)]
    )


def fields_of(campaigns: Sequence[Campaign]) -> list[str]:
    """The metadata of the campaigns' passages that can part a table: those with a few values.

    A dotted name is a field within one, such as `generated.model`. One query.
    """
    runs = CampaignRun.objects.filter(campaign__in=campaigns).values("run__dataset")
    passages = Passage.objects.filter(dataset__in=runs).order_by("pk")
    values: dict[str, set[str]] = defaultdict(set)
    for source in passages.values_list("source", flat=True)[:LOOKED_AT]:
        for name, value in _flat(source):
            values[name].add(value)
    return sorted(name for name, found in values.items() if 1 < len(found) <= MOST_SLICES)


def _flat(source: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, str]]:
    for name, value in source.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, str | int | bool):
            yield prefix + name, str(value)


def _field(by: str) -> KeyTextTransform:
    *outer, last = by.split(".")
    path: str | KeyTextTransform = "passage__source"
    for name in outer:
        path = KeyTextTransform(name, path)
    return KeyTextTransform(last, path)


def _human(campaigns: Sequence[Campaign]) -> dict[str, dict[int, float]]:
    """What raters say of each revision, by the figure. Four queries."""
    counting = Judgment.objects.that_count().filter(
        assignment__item__campaign__in=campaigns,
        assignment__item__phase=Item.Phase.PRODUCTION,
    )
    settled = Adjudication.objects.filter(item__campaign__in=campaigns)
    attribution = load_questionnaire("attribution")
    # Its options change nothing for campaigns that did not choose them: nobody answered those.
    asked = attribution.with_options([option.name for option in attribution.options])
    of_kind = {"assignment__item__campaign__questionnaire": "attribution"}
    votes, _ = read_votes(counting.filter(**of_kind), asked)
    decided = read_settled(settled.filter(item__campaign__questionnaire="attribution"), asked)
    found = {
        f"attr_ais_{side}": mean_votes(decided_votes(votes[side], decided.get(side, {})))
        if side in votes
        else {}
        for side in (BEFORE, AFTER)
    }
    found["pres_intent"] = {
        revision: yes / n
        for revision, yes, n in counting.filter(criterion="intent")
        .order_by()
        .values_list("assignment__item__revision_id")
        .annotate(yes=Count("pk", filter=Q(value=HIGHEST)), n=Count("pk"))
    }
    for revision, value in settled.filter(criterion="intent").values_list(
        "item__revision_id", "value"
    ):
        if revision in found["pres_intent"]:
            found["pres_intent"][revision] = float(value == HIGHEST)
    return found


def _chances(campaigns: Sequence[Campaign]) -> dict[str, dict[int, float]]:
    """By questionnaire, the chance that any of its campaigns drew each revision. One query."""
    missed: dict[str, dict[int, dict[int, float]]] = {kind: defaultdict(dict) for kind in KINDS}
    kinds = {campaign.pk: campaign.questionnaire for campaign in campaigns}
    rows = Item.objects.filter(campaign__in=campaigns, inclusion__lt=1).order_by()
    for campaign, revision, inclusion in rows.values_list(
        "campaign_id", "revision_id", "inclusion"
    ).iterator():
        missed[kinds[campaign]][revision][campaign] = 1 - inclusion
    return {
        kind: {revision: 1 - prod(each.values()) for revision, each in of_kind.items()}
        for kind, of_kind in missed.items()
    }


def _row(run: Run, part: str, passages: Sequence[_Passage]) -> Row:
    figures = {
        column.key: _mean(run, passages, column.key) for column in COLUMNS if column.group != "Both"
    }
    auto = _pairs(passages, "attr_auto_after", "pres_lev")
    human = _pairs(passages, "attr_ais_after", "pres_comb")
    return Row(
        run=run,
        part=part,
        revised=len(passages),
        figures={
            **figures,
            "f1_auto": f1_ap_of_means([pair for _, pair in auto]),
            "f1_human": f1_ap_of_means(
                [pair for _, pair in human], _weights([each for each, _ in human])
            ),
        },
        without_attribution=_missing(passages, "attr_ais_after"),
        without_intent=_missing(passages, "pres_intent"),
    )


def _mean(run: Run, passages: Sequence[_Passage], key: str) -> Estimate | None:
    known = [each for each in passages if each.figures[key] is not None]
    drawn = [
        Drawn(run=run.pk, passage=each.passage, weight=each.weights.get(key, 1.0)) for each in known
    ]
    return mean_of([each.figures[key] or 0.0 for each in known], drawn)


def _pairs(
    passages: Iterable[_Passage], attribution: str, preservation: str
) -> list[tuple[_Passage, tuple[float, float]]]:
    """Of the passages that have both."""
    return [
        (each, (one, other))
        for each in passages
        if (one := each.figures[attribution]) is not None
        and (other := each.figures[preservation]) is not None
    ]


def _weights(passages: Sequence[_Passage]) -> list[float] | None:
    """None where all had the same chance."""
    drawn = [Drawn(run=0, passage=each.passage, weight=each.weights["both"]) for each in passages]
    return [each.weight for each in drawn] if are_weighted(drawn) else None


def _missing(passages: Collection[_Passage], key: str) -> int:
    return sum(each.figures[key] is None for each in passages)


def _with_leads(rows: Sequence[tuple[Row, Sequence[_Passage]]]) -> list[Row]:
    """Each row compared with the first one over its dataset and part."""
    first: dict[tuple[int, str], Sequence[_Passage]] = {}
    leads: list[Estimate | None] = []
    tests: list[float | None] = []
    for row, passages in rows:
        key = (row.run.dataset_id, row.part)
        if key not in first:
            first[key] = passages
            leads.append(None)
            tests.append(None)
            continue
        lead, p = _lead(passages, first[key])
        leads.append(lead)
        tests.append(p)
    return [
        replace(row, lead=lead, p=p)
        for (row, _), lead, p in zip(rows, leads, holm(tests), strict=True)
    ]


def _lead(
    passages: Sequence[_Passage], others: Sequence[_Passage]
) -> tuple[Estimate | None, float | None]:
    own = _pairs(passages, "attr_ais_after", "pres_comb")
    theirs = {each.passage: pair for each, pair in _pairs(others, "attr_ais_after", "pres_comb")}
    shared = [(each, pair) for each, pair in own if each.passage in theirs]
    weights = _weights([each for each, _ in shared])
    differences = f1_ap_differences(
        [pair for _, pair in shared], [theirs[each.passage] for each, _ in shared], weights
    )
    lead = (
        mean_estimate(differences, lowest=-1, highest=1)
        if weights is None
        else weighted_mean_estimate(differences, weights, lowest=-1, highest=1)
    )
    return lead, paired_p(differences, weights)
