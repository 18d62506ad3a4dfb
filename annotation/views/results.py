"""What raters say so far: counted once for the campaign's page and for the page of results."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import campaigns, talks
from annotation.keeping import kept
from annotation.models import Adjudication, Campaign, CampaignRun, Thread
from annotation.progress import PhaseProgress, phases_of, shown_phase
from annotation.questionnaires import questionnaire_of
from annotation.results import CampaignResult, campaign_result
from annotation.strata import links_of
from pipeline.scorers import Scorer, run_scorer
from rarrweb.http import UserRequest


@require_safe
@never_cache
def results(request: UserRequest, slug: str) -> HttpResponse:
    """A campaign's figures over all of it, system by system and dataset by dataset."""
    led = Campaign.objects.led_by(request.user).select_related("checks", "copied_from")
    campaign = get_object_or_404(with_work(led), slug=slug)
    counted = count_for(campaign, request.GET.get("phase"))
    return render(request, "annotation/results.html", counted.context | setting_up(campaign))


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedWork:
    """What a page says of a campaign's work in one phase, or in all."""

    phases: list[PhaseProgress]
    phase: str
    by_rater: dict[int, dict[str, Any]]
    result: CampaignResult | None
    """None for a questionnaire that has figures of its own."""
    counted_at: datetime | None
    """Where it was not counted just now."""
    waiting: int
    """Questions that wait for an answer."""

    @property
    def context(self) -> dict[str, object]:
        """For templates/annotation/_phases.html and _result.html."""
        shown = [each for each in self.phases if self.phase in {"", each.phase}]
        return {
            "phases": self.phases,
            "phase": self.phase,
            "wanted": sum(each.wanted for each in shown),
            "submitted": sum(each.done for each in shown),
            "shown_items": sum(each.items for each in shown),
            "result": self.result,
            "counted_at": self.counted_at,
        }


def count_for(campaign: Campaign, asked: str | None) -> CountedWork:
    """The phase that was asked for, counted; or as it was kept."""
    phases = phases_of([campaign]).get(campaign.pk, [])
    phase = shown_phase(campaign, phases, asked)
    beside = _beside_the_work(campaign)
    by_rater: dict[int, dict[str, Any]] = {}

    def state() -> str:
        by_rater.update(campaigns.counts_by_rater(campaign))
        return f"{by_rater}:{beside['settled_answers']}:{beside['settled_last']}"

    def count() -> tuple[dict[int, dict[str, Any]], CampaignResult | None]:
        # A questionnaire that does not ask about attribution has figures of its own.
        is_own = bool(questionnaire_of(campaign).figures)
        return by_rater, None if is_own else campaign_result(campaign, phase=phase)

    counted = kept(f"result.{phase}", campaign, count, state_of=state)
    return CountedWork(
        phases=phases,
        phase=phase,
        by_rater=counted.value[0],
        result=counted.value[1],
        counted_at=counted.made_at if counted.stands else None,
        waiting=beside["questions_waiting"] or 0,
    )


def setting_up(campaign: Campaign) -> dict[str, object]:
    """What templates/annotation/_set_up.html needs, and the models that made auto-AIS."""
    links = links_of(campaign)
    questionnaire = questionnaire_of(campaign)
    return {
        "campaign": campaign,
        "questionnaire": questionnaire,
        "options": [each for each in questionnaire.options if each.name in campaign.options],
        "links": links,
        "scorers": _scorers(links),
    }


def _scorers(links: Sequence[CampaignRun]) -> list[tuple[Scorer, list[int]]]:
    """What made the runs' auto-AIS figures, each with the runs that it scored."""
    found: dict[str, tuple[Scorer, list[int]]] = {}
    for link in links:
        scorer = run_scorer(link.run.config, link.run.versions)
        if scorer is not None:
            found.setdefault(str(scorer), (scorer, []))[1].append(link.run_id)
    return list(found.values())


BESIDE = ("questions_waiting", "settled_answers", "settled_last")


def with_work(led: QuerySet[Campaign]) -> QuerySet[Campaign]:
    """The campaigns, each with the questions that wait, its settled answers and the last's time:
    part of the query that finds the campaign."""
    of_campaign = Thread.objects.filter(campaign=OuterRef("pk"))
    threads = talks.waiting(of_campaign).order_by()
    settled = Adjudication.objects.filter(item__campaign=OuterRef("pk")).order_by()
    waiting = threads.values("campaign").annotate(n=Count("pk"))
    counted = settled.values("item__campaign").annotate(n=Count("pk"), last=Max("updated_at"))
    return led.annotate(
        questions_waiting=Subquery(waiting.values("n")),
        settled_answers=Subquery(counted.values("n")),
        settled_last=Subquery(counted.values("last")),
    )


def _beside_the_work(campaign: Campaign) -> dict[str, Any]:
    """What `with_work` asks for; a query of its own where the campaign came without it."""
    if all(hasattr(campaign, name) for name in BESIDE):
        return {name: getattr(campaign, name) for name in BESIDE}
    return with_work(Campaign.objects.order_by()).values(*BESIDE).get(pk=campaign.pk)
