"""What the raters' answers add up to."""

import pytest
from django.test import Client

from annotation.adjudication.cases import AdjudicatedAnswer, open_case, save_adjudication
from annotation.judging.answers import AnswerUpdate, save_judgments
from annotation.models import Assignment, Judgment
from annotation.results.attribution import campaign_result
from pipeline.metrics.inference import ratio_estimate
from pipeline.models import Revision
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import claim, judge_next

pytestmark = pytest.mark.django_db


def test_nothing_judged_is_none_and_not_zero() -> None:
    [side] = campaign_result(make_campaign()).whole.sides
    assert side.attribution is None
    assert side.attributable_share is None
    assert (side.yes, side.no) == (0, 0)


@pytest.mark.parametrize(
    ("judged", "counts", "share", "attribution"),
    [
        # Of each rater, passage by passage; then attributable, settled, tied; yes, no.
        ([[(1, 1, 1), (1, 0, 0)]], (4, 6, 0, 4, 2), 4 / 6, (1 + 1 / 3) / 2),
        ([[(1, 1, 0)], [(1, 0, 0)]], (1, 2, 1, 3, 3), 0.5, (1 + 0.5 + 0) / 3),
        ([[(1, 1, 0)], [(1, 0, 0)], [(0, 0, 0)]], (1, 3, 0, 3, 6), 1 / 3, (2 / 3 + 1 / 3 + 0) / 3),
        ([[(1, 1, 1)], [(0, 0, 0)]], (0, 0, 3, 3, 3), None, 0.5),
    ],
)
def test_most_raters_make_a_sentence_attributable_and_passages_share_alike(
    judged: list[list[tuple[int, ...]]],
    counts: tuple[int, ...],
    share: float | None,
    attribution: float,
) -> None:
    passages, raters = len(judged[0]), tuple(make_user() for _ in judged)
    campaign = make_campaign(passages=passages, raters=raters, raters_per_item=len(raters))
    for rater, values in zip(raters, judged, strict=True):
        for of_passage in values:
            judge_next(rater, campaign, of_passage)
    [side] = campaign_result(campaign).whole.sides
    assert (side.attributable, side.labelled, side.tied, side.yes, side.no) == counts
    assert side.attribution is not None
    assert (side.attribution.value, side.attribution.n) == (pytest.approx(attribution), passages)
    if share is None:
        assert side.attributable_share is None
    else:
        assert side.attributable_share is not None
        assert side.attributable_share.value == pytest.approx(share)
        assert side.attributable_share.n == passages


def test_the_interval_of_a_share_of_sentences_is_over_passages() -> None:
    matches = ratio_estimate([3] * 6 + [1] * 6, [3] * 12, lowest=0, highest=1)
    # Each passage is 1/3 off 2/3, so the deviation is (1/3) * sqrt(12 / 11); t of 11 is 2.201.
    half = 2.20098516 * (12 / 11) ** 0.5 / 3 / 12**0.5
    assert matches is not None
    assert matches.n == 12
    assert (matches.low, matches.high) == pytest.approx((2 / 3 - half, 2 / 3 + half))
    alike = ratio_estimate([3] * 12, [3] * 12, lowest=0, highest=1)
    assert alike is not None
    assert alike.low == pytest.approx(0.7575, abs=1e-4)  # Wilson's of 12 in 12, not 36 in 36


def test_the_page_shows_how_many_sentences_tied(as_researcher: Client) -> None:
    raters = tuple(make_user() for _ in range(2))
    campaign = make_campaign(passages=1, raters=raters, raters_per_item=2)
    judge_next(raters[0], campaign, [1, 1, 1])
    before = as_researcher.get(f"/campaigns/{campaign.slug}/results/").content.decode()
    assert 'data-label="Tied">0<' in before
    judge_next(raters[1], campaign, [1, 0, 1])
    page = as_researcher.get(f"/campaigns/{campaign.slug}/results/").content.decode()
    assert "2 of 2" in page
    assert 'data-label="Tied">1<' in page


def test_only_answers_about_attribution_and_scores_that_exist_are_counted() -> None:
    rater = make_user()
    campaign = make_campaign(passages=1, raters=(rater,))
    assignment = judge_next(rater, campaign, [1, 1, 1])
    save_judgments(assignment, [AnswerUpdate(criterion="useful", target=0, value=0, sequence=2)])
    Revision.objects.update(attribution_after=None)
    [side] = campaign_result(campaign).whole.sides
    assert (side.yes, side.no) == (3, 0)
    assert side.auto is None, "not scored, and not 0"
    Judgment.objects.filter(criterion="attributable", target=2).update(value=None)
    [side] = campaign_result(campaign).whole.sides
    assert (side.yes, side.no, side.labelled) == (2, 0, 2), "withdrawn"


def test_drafts_and_late_work_are_not_counted() -> None:
    rater, other = make_user(), make_user()
    campaign = make_campaign(passages=2, raters=(rater, other))
    late = judge_next(rater, campaign, [1, 1, 1])
    Assignment.objects.filter(pk=late.pk).update(slot=None, is_late=True)
    draft = claim(other, campaign)
    save_judgments(draft, [AnswerUpdate(criterion="attributable", target=0, value=1, sequence=1)])
    [side] = campaign_result(campaign).whole.sides
    assert (side.yes, side.no) == (0, 0)


def test_the_change_is_paired_by_passage() -> None:
    rater = make_user()
    campaign = make_campaign(passages=2, sides="both", raters=(rater,))
    for _ in range(4):
        is_after = claim(rater, campaign).item.side == "after"
        judge_next(rater, campaign, [is_after, 1, is_after])
    result = campaign_result(campaign)
    assert [side.side for side in result.whole.sides] == ["before", "after"]
    assert result.whole.change is not None
    assert (result.whole.change.n, result.whole.change.value) == (2, pytest.approx(2 / 3))


def test_auto_ais_is_over_the_judged_passages() -> None:
    rater = make_user()
    campaign = make_campaign(passages=3, raters=(rater,))
    judged = [judge_next(rater, campaign, [1, 1, 1]) for _ in range(2)]
    for assignment, score in zip(judged, (0.5, 0.75), strict=True):
        Revision.objects.filter(pk=assignment.item.revision_id).update(attribution_after=score)
    Revision.objects.exclude(pk__in=[each.item.revision_id for each in judged]).update(
        attribution_after=0.0
    )
    [side] = campaign_result(campaign).whole.sides
    assert side.auto is not None
    assert (side.auto.value, side.auto.n) == (0.625, 2)


def test_a_settled_answer_decides_and_the_raters_own_stay_as_they_are(
    as_researcher: Client, researcher: User
) -> None:
    raters = tuple(make_user() for _ in range(2))
    campaign = make_campaign(passages=1, raters=raters, raters_per_item=2)
    judge_next(raters[0], campaign, [1, 1, 0])
    judge_next(raters[1], campaign, [1, 0, 0])
    item = campaign.items.get()
    settled = {("attributable", 1): AdjudicatedAnswer(value=0, reason="The evidence is silent.")}
    save_adjudication(item, by=researcher, answers=settled, seen=open_case(item).seen)
    [side] = campaign_result(campaign).whole.sides
    assert (side.attributable, side.labelled, side.tied, side.adjudicated) == (1, 3, 0, 1)
    assert side.attribution is not None
    assert side.attribution.value == pytest.approx(1 / 3)
    assert (side.yes, side.no) == (3, 3)
    page = as_researcher.get(f"/campaigns/{campaign.slug}/results/").content.decode()
    assert 'data-label="Adjudicated">1<' in page
