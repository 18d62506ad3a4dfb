"""The results so far, for the campaign's page and the page of results."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.campaigns import progress
from annotation.campaigns.progress import phases_of, shown_phase
from annotation.guidelines import inbox
from annotation.items.run_groups import links_of
from annotation.models import Adjudication, Campaign, CampaignRun, Thread
from annotation.questionnaires import questionnaire_of
from annotation.results.attribution import CampaignResult, campaign_result
from annotation.results.cache import cached_figure
from pipeline.engine.scorer_info import Scorer, run_scorer
from rarrweb.http import UserRequest


@require_safe
@never_cache
def results(request: UserRequest, slug: str) -> HttpResponse:
    """A campaign's figures: overall, and for each system and dataset."""
    led = Campaign.objects.led_by(request.user).select_related("checks", "copied_from")
    campaign = get_object_or_404(with_work_counts(led), slug=slug)
    context = count_work(campaign, request.GET.get("phase")) | settings_context(campaign)
    return render(request, "annotation/results.html", context)


def count_work(campaign: Campaign, asked: str | None) -> dict[str, Any]:
    """The work of the phase that was asked for, counted or from the cache.

    For templates/annotation/_phases.html and _result.html. `result` is None for a questionnaire
    that has figures of its own, `counted_at` is None where the figures were counted just now.
    Also `by_rater` (`RaterProgress`), and how many `questions_waiting` for an answer.
    """
    phases = phases_of([campaign]).get(campaign.pk, [])
    phase = shown_phase(campaign, phases, asked)
    counts = _work_counts(campaign)
    by_rater: dict[int, dict[str, Any]] = {}

    def state() -> str:
        by_rater.update(progress.counts_by_rater(campaign))
        return f"{by_rater}:{counts['settled_answers']}:{counts['settled_last']}"

    def count() -> tuple[dict[int, dict[str, Any]], CampaignResult | None]:
        # A questionnaire that does not ask about attribution has figures of its own.
        is_own = bool(questionnaire_of(campaign).figures)
        return by_rater, None if is_own else campaign_result(campaign, phase=phase)

    counted = cached_figure(f"result.{phase}", campaign, count, state_of=state)
    shown = [each for each in phases if phase in {"", each.phase}]
    return {
        "phases": phases,
        "phase": phase,
        "wanted": sum(each.wanted for each in shown),
        "submitted": sum(each.done for each in shown),
        "shown_items": sum(each.items for each in shown),
        "by_rater": counted.value[0],
        "result": counted.value[1],
        "counted_at": counted.made_at if counted.stands else None,
        "questions_waiting": counts["questions_waiting"] or 0,
    }


def settings_context(campaign: Campaign) -> dict[str, object]:
    """What templates/annotation/_set_up.html needs, and the models behind auto-AIS."""
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
    """The models behind the runs' auto-AIS figures, each with the runs that it scored."""
    found: dict[str, tuple[Scorer, list[int]]] = {}
    for link in links:
        scorer = run_scorer(link.run.config, link.run.versions)
        if scorer is not None:
            found.setdefault(str(scorer), (scorer, []))[1].append(link.run_id)
    return list(found.values())


WORK_COUNTS = ("questions_waiting", "settled_answers", "settled_last")


def with_work_counts(led: QuerySet[Campaign]) -> QuerySet[Campaign]:
    """The campaigns, each annotated with `WORK_COUNTS`: questions that wait, settled answers, and
    when the last one was settled."""
    of_campaign = Thread.objects.filter(campaign=OuterRef("pk"))
    threads = inbox.waiting(of_campaign).order_by()
    settled = Adjudication.objects.filter(item__campaign=OuterRef("pk")).order_by()
    waiting = threads.values("campaign").annotate(n=Count("pk"))
    counted = settled.values("item__campaign").annotate(n=Count("pk"), last=Max("updated_at"))
    return led.annotate(
        questions_waiting=Subquery(waiting.values("n")),
        settled_answers=Subquery(counted.values("n")),
        settled_last=Subquery(counted.values("last")),
    )


def _work_counts(campaign: Campaign) -> dict[str, Any]:
    """The campaign's `WORK_COUNTS`; a query of their own if it came without them."""
    if all(hasattr(campaign, name) for name in WORK_COUNTS):
        return {name: getattr(campaign, name) for name in WORK_COUNTS}
    asked = with_work_counts(Campaign.objects.order_by()).values(*WORK_COUNTS)
    found: dict[str, Any] = asked.get(pk=campaign.pk)
    return found
