"""Reliability from judgments in the database to the page, by hand-worked cases."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from annotation.exporting.context import pseudonym
from annotation.judging.answers import AnswerUpdate, save_judgments, submit
from annotation.judging.releases import send_back
from annotation.models import Assignment, Campaign, Item
from annotation.questionnaires import load_questionnaire
from annotation.results.cached_figures import work_fingerprint
from annotation.results.reliability import campaign_reliability, rater_reports
from annotation.results.tallies import rank_disagreements
from rarrweb.accounts.models import User
from tests.support.adjudication import make_judged
from tests.support.campaigns import make_campaign, save_judgment
from tests.support.factories import make_user
from tests.support.reference_answers import claim, judge_next

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def raters_go_in_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rater's first item is the campaign's first, so that rows of answers meet."""
    monkeypatch.setattr("annotation.items.ordering.BLOCK", 1)


DECISIVE = load_questionnaire("attribution").decisive_criteria()


def raters_of(campaign: Campaign) -> list[User]:
    return list(User.objects.filter(memberships__campaign=campaign).order_by("pk"))


def test_two_raters_worked_by_hand(as_researcher: Client) -> None:
    # Six sentences, the same answer to four; three yes and three no of each rater.
    campaign = make_judged(((1, 1, 0), (1, 0, 0)), ((1, 0, 0), (1, 0, 1)))
    [result] = campaign_reliability(campaign).criteria
    [group] = result.groups
    assert result.criterion.name == "attributable"
    assert (group.report.raw.targets, group.report.raw.dropped) == (6, 0)
    assert group.report.raw.value == pytest.approx(4 / 6)
    assert group.report.fleiss_kappa.value == pytest.approx((4 / 6 - 1 / 2) / (1 / 2))
    assert group.report.gwet_ac1.value == pytest.approx((4 / 6 - 1 / 2) / (1 / 2))
    # Twelve values, four of them in disagreeing pairs; six of each kind.
    assert group.report.alpha_nominal.value == pytest.approx(1 - 11 * 4 / (2 * 6 * 6))
    [pair] = result.pairs
    assert [pair.one, pair.other] == [rater.pk for rater in raters_of(campaign)]
    assert pair.kappa.value == pytest.approx((4 / 6 - 1 / 2) / (1 / 2))
    page = as_researcher.get(f"/campaigns/{campaign.slug}/reliability/").content.decode()
    one, other = (pseudonym(campaign, rater.pk) for rater in raters_of(campaign))
    assert f"{one} – {other}" in page
    figures = compact(page)
    assert 'data-label="Raw agreement">0.67' in figures
    assert 'data-label="Krippendorff’s alpha">0.39' in figures


@pytest.mark.parametrize(("passages", "has_interval"), [(4, False), (5, True)])
def test_sentences_of_fewer_than_five_passages_have_no_interval(
    as_researcher: Client, passages: int, has_interval: bool
) -> None:
    rows = (((1, 1, 0), (1, 0, 0)) * 3)[:passages], (((1, 0, 0), (1, 1, 1)) * 3)[:passages]
    campaign = make_judged(*rows, passages=passages)
    [result] = campaign_reliability(campaign).criteria
    alpha, kappa = result.groups[0].report.alpha_nominal, result.pairs[0].kappa
    assert (alpha.targets, kappa.targets) == (3 * passages, 3 * passages)
    assert (alpha.low is not None, kappa.low is not None) == (has_interval, has_interval)
    for path in ("reliability/", ""):
        page = as_researcher.get(f"/campaigns/{campaign.slug}/{path}").content.decode()
        assert ("no interval: fewer than 5 passages" in page) is not has_interval


def test_what_one_rater_judged_alone_is_excluded_and_counted() -> None:
    campaign = make_judged(((1, 1, 0), (1, 1, 1)), ((1, 0, 0),))
    [result] = campaign_reliability(campaign).criteria
    assert (result.groups[0].report.raw.targets, result.groups[0].report.raw.dropped) == (3, 3)
    assert (result.pairs[0].kappa.targets, result.pairs[0].kappa.dropped) == (3, 3)


def test_three_raters_are_three_pairs() -> None:
    campaign = make_judged(((1, 1, 0),), ((1, 0, 0),), ((1, 1, 1),), passages=1)
    [result] = campaign_reliability(campaign).criteria
    # Of three pairs a sentence agree: 3, 1 and 1.
    assert result.groups[0].report.raw.value == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)
    first, second, third = (rater.pk for rater in raters_of(campaign))
    pairs = {(first, second), (first, third), (second, third)}
    assert {(pair.one, pair.other) for pair in result.pairs} == pairs
    [differing], _ = rank_disagreements(campaign, DECISIVE)
    assert (differing.differing_pairs, differing.pairs, differing.differing_targets) == (4, 9, 2)
    assert differing.share == pytest.approx(4 / 9)


def test_drafts_and_late_work_are_not_compared() -> None:
    campaign = make_judged(((1, 1, 0), (1, 0, 0)), ((1, 0, 0), (1, 0, 1)))
    first, second = Item.objects.order_by("position")
    Assignment.objects.filter(item=second, slot=2).update(slot=None, is_late=True)
    first.assignments.filter(slot=2).update(submitted_at=None)
    result = campaign_reliability(campaign)
    assert result.criteria == ()
    assert result.why_missing.startswith("No item has been submitted by two raters yet")


def test_each_side_counts_alone_where_both_are_shown() -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(passages=1, sides="both", raters=raters, raters_per_item=2)
    for rater, revised in zip(raters, ((1, 1, 1), (1, 1, 0)), strict=True):
        for item in campaign.items.order_by("position"):
            judge_next(rater, campaign, revised if item.side == "after" else (0, 1, 0))
    [result] = campaign_reliability(campaign).criteria
    figures = {group.side: group.report.raw.value for group in result.groups}
    assert figures == pytest.approx({"": 5 / 6, "before": 1, "after": 2 / 3})


def test_a_question_that_need_not_be_answered_has_figures_of_its_own() -> None:
    campaign = make_judged(((1, 1, 0),), ((1, 0, 0),), passages=1)
    for assignment, value in zip(Assignment.objects.order_by("pk"), (1, 0), strict=True):
        answer = AnswerUpdate(criterion="useful", target=1, value=value, sequence=5)
        save_judgments(assignment, [answer])
    result = {each.criterion.name: each for each in campaign_reliability(campaign).criteria}
    assert result["useful"].groups[0].report.raw.value == 0
    assert result["attributable"].groups[0].report.raw.value == pytest.approx(2 / 3)


def test_levels_in_an_order_get_the_ordinal_alpha_too(as_researcher: Client) -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(questionnaire="intent", passages=4, raters=raters, raters_per_item=2)
    for rater, levels in zip(raters, ((0, 1, 2, 2), (0, 2, 2, 2)), strict=True):
        for level in levels:
            assignment = claim(rater, campaign)
            save_judgment(assignment, criterion="intent", target=0, value=level, sequence=1)
            assert submit(assignment) == []
    [result] = campaign_reliability(campaign).criteria
    report = result.groups[0].report
    # Eight values: two 0, one 1, five 2. One pair, 1 and 2, differs.
    expected = 2 * (2 * 1 + 2 * 5 + 1 * 5)
    assert report.alpha_nominal.value == pytest.approx(1 - 7 * 2 / expected)
    # Between 0 and 1 lie 1.5 values, between 1 and 2 lie 3, between 0 and 2 lie 4.5.
    expected = 2 * (2 * 1 * 1.5**2 + 1 * 5 * 3**2 + 2 * 5 * 4.5**2)
    assert report.alpha_ordinal.value == pytest.approx(1 - 7 * 2 * 3**2 / expected)
    page = as_researcher.get(f"/campaigns/{campaign.slug}/reliability/").content.decode()
    assert "Krippendorff’s alpha, ordinal" in page


@pytest.mark.parametrize(
    ("raters_per_item", "text"),
    [(1, "Two raters an item are needed: this campaign asks one."), (2, "Nothing is submitted")],
)
def test_an_empty_page_shows_what_is_missing(
    as_researcher: Client, raters_per_item: int, text: str
) -> None:
    campaign = make_campaign(raters_per_item=raters_per_item)
    page = as_researcher.get(f"/campaigns/{campaign.slug}/reliability/").content.decode()
    assert text in page
    assert "interval" not in page.partition("<main")[2].partition("What the figures are")[0]


def compact(page: str) -> str:
    """The page with no white space behind a tag."""
    return re.sub(r">\s+", ">", page)


def test_raters_who_all_say_the_same_get_the_reason_and_no_alpha(as_researcher: Client) -> None:
    campaign = make_judged(((1, 1, 1),), ((1, 1, 1),), passages=1)
    page = as_researcher.get(f"/campaigns/{campaign.slug}/reliability/").content.decode()
    assert "No alpha. All compared answers are the same" in page
    assert 'data-label="Raw agreement">1.00' in compact(page)
    page = as_researcher.get(f"/campaigns/{campaign.slug}/differences/").content.decode()
    assert "Raters agree on everything" in page


def test_work_that_was_sent_back_hides_no_change_of_others(researcher: User) -> None:
    campaign = make_judged(((1, 1, 0),), ((1, 0, 0),), passages=2)
    submitted_count, returned = Assignment.objects.order_by("pk")
    states = [work_fingerprint(campaign)]
    send_back(returned, by=researcher)
    states.append(work_fingerprint(campaign))
    save_judgment(submitted_count, criterion="attributable", target=1, value=0, sequence=9)
    states.append(work_fingerprint(campaign))
    assert len(set(states)) == 3


def test_the_tabs_ask_for_the_fragments(as_researcher: Client) -> None:
    campaign = make_judged(((1, 1, 0), (1, 0, 0)), ((1, 0, 0), (1, 0, 1)))
    address = f"/campaigns/{campaign.slug}/"
    fragments = {
        "": f"{address}reliability/summary/?phase=all",
        "results/": f"{address}reliability/?phase=all&amp;show=figures",
        "raters/": f"{address}reliability/?phase=all&amp;show=raters",
    }
    for tab, fragment in fragments.items():
        page = as_researcher.get(f"{address}{tab}").content.decode()
        assert f'hx-get="{fragment}"' in page
    summary = as_researcher.get(fragments[""]).content.decode()
    assert "Krippendorff’s α <b>0.39</b>" in summary
    assert "n = 6 sentences" in summary


@pytest.mark.parametrize(
    ("show", "has_figures", "has_raters"), [("figures", True, False), ("raters", False, True)]
)
def test_a_fragment_may_show_one_part(
    as_researcher: Client, show: str, *, has_figures: bool, has_raters: bool
) -> None:
    campaign = make_judged(((1, 1, 0),), ((1, 0, 0),), passages=2)
    url = f"/campaigns/{campaign.slug}/reliability/?show={show}"
    text = as_researcher.get(url, headers={"HX-Request": "true"}).content.decode()
    assert ("Raw agreement" in text) == has_figures
    assert ("Rater statistics" in text) == has_raters


# ---- Where raters differ ------------------------------------------------------------------
def test_items_stand_by_the_share_of_answers_that_differ(as_researcher: Client) -> None:
    campaign = make_judged(
        ((1, 1, 0), (1, 0, 0), (1, 1, 1)), ((1, 0, 0), (0, 1, 0), (1, 1, 1)), passages=3
    )
    result, total = rank_disagreements(campaign, DECISIVE)
    assert total == 2
    positions = dict(Item.objects.values_list("pk", "position"))
    assert [positions[each.item] for each in result] == [2, 1]
    assert [(each.differing_pairs, each.pairs) for each in result] == [(2, 3), (1, 3)]
    assert [each.differing_targets for each in result] == [2, 1]
    page = as_researcher.get(f"/campaigns/{campaign.slug}/differences/").content.decode()
    assert "2 items" in page
    assert "2 of 3" in page


def test_differences_are_paged_and_a_page_that_is_gone_is_the_first(
    as_researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.views.results.PAGE", 2)
    campaign = make_judged(((1, 1, 0),) * 3, ((1, 0, 0),) * 3, passages=3)
    address = f"/campaigns/{campaign.slug}/differences/"
    assert "Page 1 of 2" in as_researcher.get(address).content.decode()
    assert "Page 2 of 2" in as_researcher.get(address + "?page=2").content.decode()
    for page in ("9", "x", "0", "-1", "9" * 500):
        assert "Page 1 of 2" in as_researcher.get(f"{address}?page={page}").content.decode()


# ---- The raters' report -------------------------------------------------------------------
def test_a_raters_report_worked_by_hand() -> None:
    campaign = make_judged(((1, 1, 0), (1, 0, 0)), ((1, 0, 0),), ((1, 0, 1),))
    first, second, _ = raters_of(campaign)
    for assignment, seconds in zip(
        Assignment.objects.filter(rater=first).order_by("pk"), (30, 90), strict=True
    ):
        submitted_count = assignment.claimed_at + timedelta(seconds=seconds)
        Assignment.objects.filter(pk=assignment.pk).update(submitted_at=submitted_count)
    reports = rater_reports(campaign)
    assert reports[first.pk].seconds is not None
    assert (reports[first.pk].seconds.value, reports[first.pk].submitted) == (60, 2)
    # On the first item: with the second rater 2 of 3 the same, with the third 1 of 3.
    agreement = reports[first.pk].agreement
    assert agreement is not None
    assert (agreement.value, agreement.n) == (pytest.approx(3 / 6), 1)
    others = reports[second.pk].agreement
    assert others is not None
    assert (others.value, others.n) == (pytest.approx(4 / 6), 1)


def test_late_work_is_in_the_report_and_alone_agrees_with_nobody() -> None:
    campaign = make_judged(((1, 1, 0),), passages=1)
    Assignment.objects.update(slot=None, is_late=True)
    [report] = rater_reports(campaign).values()
    assert (report.submitted, report.late, report.agreement) == (1, 1, None)
