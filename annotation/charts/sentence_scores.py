"""Auto-AIS scores of sentences by raters' answers: the RARR paper's Figure 10."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotation.models import Campaign, Item
from annotation.questionnaires import questionnaire_of
from annotation.results.judged import answers_by_revision, in_phase
from pipeline.charts.distributions import Distributions, spread_of
from pipeline.pages.charts import with_interval

if TYPE_CHECKING:
    from pipeline.metrics.validity import Scored, Validity


def scored_sentences(campaign: Campaign, phase: str) -> list[Scored]:
    """Read the judged sentences with a score; clusters are passages. Three queries."""
    from pipeline.metrics.validity import Scored

    questionnaire = questionnaire_of(campaign)
    counted = questionnaire.criterion(questionnaire.counted)
    answers = answers_by_revision(counted, **in_phase(campaign, phase))
    rows = (
        Item.objects.filter(campaign=campaign)
        .order_by("position")
        .values_list("side", "revision_id", "passage_id", "sentences", "revision__sentences")
    )
    scored = []
    for side, revision, passage, sentences, scores in rows.iterator():
        of_item = answers.get(side, {}).get(revision)
        if not of_item:
            continue
        known = {
            (each["start"], each["end"]): each["entailed"]
            for each in scores.get(side) or []
            if each.get("entailed") is not None
        }
        for number, sentence in enumerate(sentences):
            score = known.get((sentence["start"], sentence["end"]))
            if score is not None and number in of_item:
                scored.append(
                    Scored(score=score, human_share=of_item[number].share, cluster=passage)
                )
    return scored


def agreement_chart(scored: list[Scored]) -> Distributions | None:
    """Chart the scores of attributable and of other sentences."""
    from pipeline.metrics.validity import validity

    spreads = [
        spread_of(name, [each.score for each in scored if each.label is label], low=0, high=1)
        for name, label in (("Raters: attributable", True), ("Raters: not attributable", False))
    ]
    groups = tuple(each for each in spreads if each)
    if not groups:
        return None
    return Distributions(
        title="Raters and auto-AIS, sentence by sentence",
        finding=(
            f"{_figures(validity(scored))}. Shapes are the scores "
            "of each group, lines their medians, bars their quartiles."
        ),
        x="Auto-AIS score of the sentence",
        groups=groups,
        low=0,
        high=1,
        head=("Group", "n", "first quartile", "median", "third quartile", "mean"),
    )


def _figures(figures: Validity) -> str:
    named = {
        "Pearson’s r": figures.pearson,
        "Spearman’s ρ": figures.spearman,
        "ROC AUC": figures.auc,
    }
    parts = [
        f"{name} {with_interval(estimate) if estimate else 'not defined'}"
        for name, estimate in named.items()
    ]
    return ", ".join([*parts, f"n = {figures.n:,} sentences of {figures.clusters:,} passages"])
