"""Human (without pilots) and automatic figures of each revision, for the joined table."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from annotation.models import Campaign, Item
from annotation.questionnaires.intent import INTENT
from annotation.questionnaires.material import AFTER, BEFORE, PAIR
from annotation.results.answers import answers_by_side
from annotation.results.attribution import attr_ais, attribution_criterion
from annotation.results.samples import SampledRevision
from pipeline.data.labelled_answers import CLUSTER_COLUMNS, cluster_of
from pipeline.metrics.preservation import preservation_combined
from pipeline.models import Revision

JOINED = ("attribution", "intent")
"""The joined questionnaires."""
UNEDITED = ("unedited_auto", "unedited_ais")
"""The share without an edit of passages whose Attr before revision is over `ATTRIBUTED`."""
ATTRIBUTED = 0.9
"""Near-perfect attribution in section 6.1 of the RARR paper."""
PRESERVATION = ("pres_intent", "pres_lev", "pres_comb")


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionFigures:
    run: int
    passage: int
    cluster: Hashable
    figures: Mapping[str, float | None]
    """By column, 0.0 to 1.0."""
    weights: Mapping[str, float]
    """1 / inclusion probability, by human figure; "both" for figures of both questionnaires.

    Other figures weigh 1.0.
    """

    def sampled_for(self, key: str) -> SampledRevision:
        weight = self.weights.get(key, 1.0)
        return SampledRevision(
            run=self.run, passage=self.passage, weight=weight, cluster=self.cluster
        )

    def unrevised(self) -> "RevisionFigures":
        """Return the figures that an unchanged passage would have."""
        auto, ais = self.figures["attr_auto_before"], self.figures["attr_ais_before"]
        return RevisionFigures(
            run=self.run,
            passage=self.passage,
            cluster=self.cluster,
            figures={
                "attr_auto_before": auto,
                "attr_auto_after": auto,
                "attr_ais_before": ais,
                "attr_ais_after": ais,
                **dict.fromkeys(PRESERVATION, 1.0),
                **dict.fromkeys(UNEDITED),
            },
            # An unchanged text needs no judgment of its intent.
            weights=dict.fromkeys(
                ("attr_ais_before", "attr_ais_after", "both"),
                self.weights.get("attr_ais_before", 1.0),
            ),
        )


def read_revisions(
    runs: Collection[int], campaigns: Sequence[Campaign]
) -> dict[int, list[RevisionFigures]]:
    """Read each run's done revisions, ordered by passage. Six queries."""
    human = _human_figures(campaigns)
    inclusion = _inclusion(campaigns)
    ids = {each.pk for each in campaigns}
    is_follow_up = any(each.follows_id in ids for each in campaigns)
    figures: dict[int, list[RevisionFigures]] = defaultdict(list)
    revisions = Revision.objects.filter(run__in=runs, state=Revision.State.DONE)
    scores = ("attribution_before", "attribution_after", "preservation", "is_changed")
    rows = revisions.order_by("passage_id").values_list("pk", "run_id", *scores, *CLUSTER_COLUMNS)
    for pk, run, before, after, lev, is_changed, passage, *others in rows.iterator():
        intent = human["pres_intent"].get(pk)
        p_attribution, p_intent = (inclusion[name].get(pk, 1) for name in JOINED)
        # A follow-up takes the other campaign's sample; otherwise the two are independent.
        p_both = min(p_attribution, p_intent) if is_follow_up else p_attribution * p_intent
        ais = human["attr_ais_before"].get(pk)
        figures[run].append(
            RevisionFigures(
                run=run,
                passage=passage,
                cluster=cluster_of(passage, *others),
                figures={
                    "attr_auto_before": before,
                    "attr_auto_after": after,
                    "attr_ais_before": ais,
                    "attr_ais_after": human["attr_ais_after"].get(pk),
                    "pres_intent": intent,
                    "pres_lev": lev,
                    "pres_comb": preservation_combined(intent, lev),
                    "unedited_auto": _unedited(before, is_changed),
                    "unedited_ais": _unedited(ais, is_changed),
                },
                weights={
                    "attr_ais_before": 1 / p_attribution,
                    "attr_ais_after": 1 / p_attribution,
                    "unedited_ais": 1 / p_attribution,
                    "pres_intent": 1 / p_intent,
                    "pres_comb": 1 / p_intent,
                    "both": 1 / p_both,
                },
            )
        )
    return figures


def _unedited(attribution: float | None, is_changed: bool) -> float | None:
    is_attributed = attribution is not None and attribution > ATTRIBUTED
    return float(not is_changed) if is_attributed else None


def _human_figures(campaigns: Sequence[Campaign]) -> dict[str, dict[int, float]]:
    """[figure][revision]: values by raters. Four queries, none without campaigns."""
    if not campaigns:
        return {figure: {} for figure in ("attr_ais_before", "attr_ais_after", "pres_intent")}
    items = {"campaign__in": campaigns, "phase": Item.Phase.PRODUCTION}
    of_sentences = answers_by_side(
        attribution_criterion(), **items, campaign__questionnaire="attribution"
    )
    of_pairs = answers_by_side(INTENT.criteria[0], **items, campaign__questionnaire="intent")
    return {
        "attr_ais_before": attr_ais(of_sentences.get(BEFORE, {})),
        "attr_ais_after": attr_ais(of_sentences.get(AFTER, {})),
        "pres_intent": {
            revision: of_pair[0].share for revision, of_pair in of_pairs.get(PAIR, {}).items()
        },
    }


def _inclusion(campaigns: Sequence[Campaign]) -> dict[str, dict[int, float]]:
    """[questionnaire][revision]: the probability that a campaign sampled it. One query."""
    p_missed: dict[str, dict[int, dict[int, float]]] = {name: defaultdict(dict) for name in JOINED}
    questionnaires = {campaign.pk: campaign.questionnaire for campaign in campaigns}
    rows = Item.objects.filter(campaign__in=campaigns).order_by()
    for campaign, revision, inclusion in rows.values_list(
        "campaign_id", "revision_id", "inclusion"
    ).iterator():
        p_missed[questionnaires[campaign]][revision][campaign] = 1 - inclusion
    return {
        name: {revision: 1 - prod(each.values()) for revision, each in by_revision.items()}
        for name, by_revision in p_missed.items()
    }
