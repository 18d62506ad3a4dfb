"""Attr_AIS of a campaign with what auto-AIS gave the passages that nobody judged."""

from typing import Any

import pytest
from django.test import Client

from annotation.judging.claims import claim_next
from annotation.models import Assignment, Campaign
from annotation.results.attribution import campaign_result
from annotation.results.prediction_powered import MIN_JUDGED, PoweredFigure
from pipeline.metrics.prediction_powered import prediction_powered_mean
from pipeline.models import Revision, Run
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign, make_judgeable_run
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

PASSAGES = 40


def scored_run(passages: int = PASSAGES, **values: Any) -> Run:
    """A run of which auto-AIS thinks more from passage to passage."""
    run = make_judgeable_run(passages=passages, **values)
    for number, revision in enumerate(run.revisions.order_by("pk")):
        revision.attribution_before = 0.2
        revision.attribution_after = (number % 10) / 10
        revision.sentences = {"after": [{"entailed": (number % 10) / 10}]}
        revision.save()
    return run


def judge(rater: User, campaign: Campaign, *, most: int = 10**9) -> dict[int, float]:
    """What the rater says of revisions: what auto-AIS does, but of every seventh the contrary."""
    message: dict[int, float] = {}
    while len(message) < most and isinstance(
        assignment := claim_next(rater, campaign=campaign), Assignment
    ):
        revision = assignment.item.revision
        thinks = (revision.attribution_after or 0) >= 0.5
        message[revision.pk] = float(thinks == (revision.pk % 7 > 0))
        judge_everything(assignment, value=bool(message[revision.pk]))
    return message


def powered(campaign: Campaign) -> list[PoweredFigure]:
    return list(campaign_result(campaign).powered)


@pytest.mark.parametrize("size", [34, None])
def test_judged_passages_and_the_scores_of_all_make_the_figure(size: int | None) -> None:
    rater, run = make_user(), scored_run()
    campaign = make_campaign(run=run, sample_size=size, raters=(rater,))
    message = judge(rater, campaign, most=32)
    [figure] = powered(campaign)
    assert (figure.side, figure.run, figure.why_missing) == ("after", "", "")
    revisions = Revision.objects.in_bulk(message)
    chances = dict(campaign.items.values_list("revision_id", "inclusion"))
    expected = prediction_powered_mean(
        [message[key] for key in sorted(message)],
        [revisions[key].attribution_after or 0 for key in sorted(message)],
        [1 / chances[key] for key in sorted(message)],
        mean_score=sum(number % 10 for number in range(PASSAGES)) / 10 / PASSAGES,
        passages=PASSAGES,
        lowest=0,
        highest=1,
    )
    assert figure.estimates is not None
    assert expected is not None
    result = figure.estimates.estimate
    assert result.n == 32
    assert (result.value, result.low, result.high) == pytest.approx(
        (expected.estimate.value, expected.estimate.low, expected.estimate.high)
    )
    [side] = campaign_result(campaign).whole.sides
    assert side.attribution is not None
    alone = figure.estimates.classical  # what stands above it on the page
    assert (alone.value, alone.low, alone.high) == pytest.approx(
        (side.attribution.value, side.attribution.low, side.attribution.high)
    )


def test_both_sides_and_their_change_of_each_run() -> None:
    rater, one = make_user(), scored_run()
    other = scored_run(system="efec")
    campaign = make_campaign(runs=[one, other], sides="both", sample_size=34, raters=(rater,))
    judge(rater, campaign)
    figures = powered(campaign)
    assert [(each.run.split(":")[0], each.side) for each in figures] == [
        (f"run {run.pk}", side) for run in (one, other) for side in ("before", "after", "change")
    ]
    assert all(each.estimates and each.estimates.passages == PASSAGES for each in figures)


def test_nothing_is_reported_where_raters_judged_all_or_auto_ais_nothing() -> None:
    rater = make_user()
    campaign = make_campaign(run=scored_run(), raters=(rater,))
    judge(rater, campaign)
    assert powered(campaign) == []
    unscored = make_campaign(passages=34, raters=(rater,))
    judge(rater, unscored, most=32)
    assert powered(unscored) == []


def test_why_there_is_no_figure_yet() -> None:
    rater, run = make_user(), scored_run()
    campaign = make_campaign(run=run, raters=(rater,))
    judged = judge(rater, campaign, most=MIN_JUDGED - 1)
    assert [(each.estimates, each.why_missing[:22]) for each in powered(campaign)] == [
        (None, "Fewer than 30 passages")
    ]
    judge(rater, campaign, most=2)
    Revision.objects.filter(pk=min(judged)).update(attribution_after=None)
    assert [each.why_missing for each in powered(campaign)] == [
        "Some of the judged passages have no auto-AIS score."
    ]


def test_passages_that_came_after_the_draw_are_not_taken_for_those_drawn_from() -> None:
    rater, run = make_user(), scored_run()
    campaign = make_campaign(run=run, sample_size=34, raters=(rater,))
    judge(rater, campaign)
    extra = scored_run(passages=1, dataset=run.dataset)
    extra.revisions.update(run=run, attribution_after=0.5)
    assert [each.why_missing for each in powered(campaign)] == [
        "The run’s passages are no longer those that the campaign sampled from."
    ]


def test_the_page_shows_both_figures_with_what_they_need() -> None:
    rater = make_user()
    campaign = make_campaign(run=scored_run(), sample_size=34, raters=(rater,))
    client = Client()
    client.force_login(make_user(role=User.Role.RESEARCHER))
    judge(rater, campaign, most=5)
    page = client.get(f"/campaigns/{campaign.slug}/results/").content.decode()
    assert "Fewer than 30 passages are judged" in page
    judge(rater, campaign)
    page = client.get(f"/campaigns/{campaign.slug}/results/").content.decode()
    assert "With auto-AIS of all passages" in page
    assert "34 of 40" in page
    assert "by raters alone" in page
