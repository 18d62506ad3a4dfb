"""A campaign's tabs: the head that all share and what each has."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.campaigns.lifecycle import close_campaign
from annotation.models import Assignment, Campaign
from annotation.raters.invitations import invite
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.pages import page_of
from tests.support.reference_answers import claim, judge_next, put_in_use

pytestmark = pytest.mark.django_db

TABS = ["", "items/", "raters/", "results/", "settings/"]


def primary(client: Client, campaign: Campaign) -> str:
    """The words of the one primary button, which is the same on every tab."""
    words = {}
    for tab in TABS:
        main = page_of(client, campaign, tab).partition("<main")[2]
        buttons = re.findall(r'<(?:a|button) class="(?:button )?primary"[^>]*>([^<]+)<', main)
        [words[tab]] = buttons
    on_results = words.pop("results/")
    [word] = set(words.values())
    assert on_results == ("Export" if word == "Results" else word)
    return word


def test_state_and_primary_button_are_the_same_on_all_pages(
    as_researcher: Client, researcher: User
) -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(passages=1, raters_per_item=2)

    def assert_pages(state: str, button: str) -> None:
        head = re.sub(r"<[^>]*>", " ", page_of(as_researcher, campaign).partition("<h1>")[2][:300])
        assert state in head
        for address in ("/campaigns/", "/adjudicate/"):
            assert state in state_on(as_researcher, address, campaign.name)
        assert primary(as_researcher, campaign) == button

    assert_pages("Waiting for raters", "Add raters")
    for note in ("Rater 1", "Rater 2"):
        invite(campaign, created_by=researcher, note=note)
    assert "2 links are waiting to be used." in page_of(as_researcher, campaign)
    for rater in raters:
        campaign.memberships.create(user=rater)
    assert_pages("In progress", "Add raters")  # one's own judging is not asked for
    mine = campaign.memberships.create(user=researcher)
    assert primary(as_researcher, campaign) == "Continue judging"
    mine.delete()
    judge_next(raters[0], campaign, (1, 1, 0))
    assert "1 of 2 submitted." in page_of(as_researcher, campaign)
    judge_next(raters[1], campaign, (1, 0, 0))
    assert_pages("To adjudicate", "Adjudicate 1")
    assert "Results so far" in page_of(as_researcher, campaign)
    assert 'data-label="Number">1<' in page_of(as_researcher, campaign, "items/?state=split")
    last = campaign.items.get().assignments.get(rater=raters[1])
    last.judgments.filter(target=1).update(value=1)
    assert_pages("Complete", "Results")
    assert "All 2 submissions are in, and no disagreements are left." in page_of(
        as_researcher, campaign
    )
    for tab in ("", "results/"):
        page = page_of(as_researcher, campaign, tab)
        assert "so far" not in page
        assert "Figures change while raters work" not in page
    close_campaign(campaign)
    assert_pages("Closed", "Results")


def test_a_closed_campaign_is_reopened_a_draft_started_and_a_judged_pilot_moved_on(
    as_researcher: Client, annotator: User
) -> None:
    campaign = make_campaign()
    close_campaign(campaign)
    assert primary(as_researcher, campaign) == "Reopen"
    as_researcher.post(f"/campaigns/{campaign.slug}/copy/")
    draft = Campaign.objects.exclude(pk=campaign.pk).get()
    assert primary(as_researcher, draft) == "Start campaign"
    pilot = make_campaign(passages=3, pilot_size=1, pilot_raters=1, raters=(annotator,))
    judge_next(annotator, pilot)
    assert primary(as_researcher, pilot) == "Start production"


def test_items_are_filtered_by_state(as_researcher: Client) -> None:
    campaign = make_campaign(passages=4, raters_per_item=2)
    put_in_use(campaign, 1, "gold")
    campaign.items.filter(position=2).update(done=2)
    campaign.items.filter(position=3).update(done=1)
    positions = {"checks": "1", "complete": "2", "begun": "3", "open": "4", "split": ""}
    for state, expected in ({"": "1234", "nonsense": "1234"} | positions).items():
        page = page_of(as_researcher, campaign, f"items/?state={state}")
        assert "".join(re.findall(r'data-label="Number">(\d+)<', page)) == expected, state
    campaign.items.filter(position=1).update(wanted=1, done=1)  # judged, and of no other state
    words = " ".join(re.sub(r"<[^>]+>", " ", page_of(as_researcher, campaign, "items/")).split())
    assert "Complete 1 Training and gold 1" in words


def test_items_are_counted_and_passed_over_without_reading_one(as_researcher: Client) -> None:
    campaign = make_campaign(passages=27)
    with CaptureQueriesContext(connection) as queries:
        page_of(as_researcher, campaign, "items/?page=2")
    requests = [
        row["sql"]
        for row in queries.captured_queries
        if 'FROM "annotation_item"' in row["sql"]
        and ("COUNT(" in row["sql"] or "OFFSET" in row["sql"])
    ]
    assert len(requests) == 4
    # No index holds the key next to the columns of these queries.
    assert not [sql for sql in requests if '"annotation_item"."id"' in sql]


def test_the_overview_reports_where_the_work_is_and_what_needs_somebody(
    as_researcher: Client,
) -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(passages=3, raters_per_item=2, raters=raters)
    assert "Needs attention" not in page_of(as_researcher, campaign)
    judge_next(raters[0], campaign)
    claim(raters[1], campaign)
    skipped = claim(raters[0], campaign)
    skipped.skipped_at, skipped.slot = skipped.claimed_at, None
    skipped.save()
    page = re.sub(r"<[^>]+>", " ", page_of(as_researcher, campaign))
    words = " ".join(page.split())
    assert "1 of 6 submitted 1 in progress" in words
    assert "1 skipped as can’t judge" in words


def test_the_overview_adds_up_the_hours_of_all_raters(as_researcher: Client) -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(passages=2, raters=raters)
    for rater in raters:
        judge_next(rater, campaign)
    assert "hours of active time" not in page_of(as_researcher, campaign)
    Assignment.objects.update(active_ms=2_700_000)
    assert "1.5 hours of active time" in page_of(as_researcher, campaign)


def test_settings_show_what_can_be_changed_and_what_is_fixed(as_researcher: Client) -> None:
    campaign = make_campaign()
    page = page_of(as_researcher, campaign, "settings/")
    for message in ("Fixed since the start", "1 rater each", "Consent", "not asked", "Crowd"):
        assert message in page
    for address in ("guidelines/edit", "checks", "consent/edit", "crowd", "questions", "copy"):
        assert f'"/campaigns/{campaign.slug}/{address}/"' in page


@pytest.mark.parametrize(
    ("repeats", "words"),
    [
        (False, "random, different for each rater"),
        (True, "random, the same for all raters"),
    ],
)
def test_settings_and_items_show_the_order_in_which_raters_get_the_items(
    as_researcher: Client, repeats: bool, words: str
) -> None:
    campaign = make_campaign(passages=3, sides="both", may_repeat_passages=repeats)
    for tab in ("settings/", "items/"):
        assert words in page_of(as_researcher, campaign, tab).lower()


def state_on(client: Client, address: str, name: str) -> str:
    """The text of a list from the name of the campaign on."""
    page = client.get(address).content.decode()
    return re.sub(r"<[^>]*>", " ", page[page.index(f">{name}<") :][:900])
