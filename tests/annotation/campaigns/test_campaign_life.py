"""Drafts, pilots, production and the end: what each state shows, and who moves it on."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.http import Http404
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from annotation.campaigns.lifecycle import (
    AlreadyBegun,
    NothingToJudge,
    begin,
    begin_production,
    change_draft,
    close_campaign,
    copy_campaign,
    discard_draft,
    make_draft,
    reopen_campaign,
)
from annotation.campaigns.progress import phases_of
from annotation.judging.claims import Reason, claim_next
from annotation.models import Assignment, Campaign, Item, Membership
from annotation.raters.invitations import invite
from annotation.raters.memberships import add_member
from annotation.results.attribution import campaign_result
from annotation.results.reliability import campaign_reliability
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign, make_judgeable_run
from tests.support.factories import make_user
from tests.support.pages import page_of
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


def a_draft(*, passages: int = 4, raters: tuple[User, ...] = (), **chosen: Any) -> Campaign:
    campaign = make_draft(
        name="Bridges",
        created_by=make_user(role=User.Role.RESEARCHER),
        **{"runs": [make_judgeable_run(passages=passages)], "sides": "after", **chosen},
    )
    for rater in raters:
        add_member(campaign, user=rater)
    return campaign


# ---- A draft --------------------------------------------------------------------------------
def test_a_draft_is_seen_by_no_rater_and_a_link_into_it_shows_that_it_has_not_begun(
    as_annotator: Client, annotator: User, researcher: User
) -> None:
    draft = a_draft()
    _, token = invite(draft, created_by=researcher)
    page = as_annotator.post(f"/campaigns/join/{token}/", follow=True)
    assertContains(page, "will appear here when it starts")
    assert draft.memberships.filter(user=annotator).exists()
    for address in ("", "guidelines/"):
        assert as_annotator.get(f"/campaigns/{draft.slug}/{address}").status_code == 404
    for address in ("/", "/campaigns/"):
        assertNotContains(as_annotator.get(address), draft.name)
    assert claim_next(annotator).reason is Reason.NO_CAMPAIGN
    draft.refresh_from_db()
    assert draft.is_draft


def test_a_draft_can_be_changed_before_its_start(as_researcher: Client) -> None:
    draft = a_draft(passages=6)
    sample = {"sample_size": 4, "seed": "spring"}
    raters = {"raters_per_item": 2, "max_raters": 4, "pilot_size": 1, "pilot_raters": 3}
    data = {"name": "Rivers", "run": draft.runs.get().pk, "questionnaire": "attribution"}
    data |= {"sides": "both", **raters, **sample}
    assert 'value="Bridges"' in page_of(as_researcher, draft, "edit/")
    assert as_researcher.post(f"/campaigns/{draft.slug}/edit/", data).status_code == 302
    draft.refresh_from_db()
    chosen = (draft.name, draft.sides, draft.max_raters, draft.seed)
    assert chosen == ("Rivers", "both", 4, "spring")
    assert not draft.items.exists()
    begin(draft)
    assert draft.state == "pilot"
    wanted = Counter(draft.items.values_list("phase", "wanted"))
    assert wanted == {("pilot", 3): 2, ("production", 2): 6}
    assert set(draft.items.values_list("inclusion", flat=True)) == {4 / 6}


def test_nothing_of_a_campaign_that_began_can_be_changed(as_researcher: Client) -> None:
    campaign = make_campaign()
    response = as_researcher.get(f"/campaigns/{campaign.slug}/edit/", follow=True)
    assert "its settings are fixed" in response.content.decode()
    with pytest.raises(AlreadyBegun, match="production"):
        change_draft(campaign, name="Other")
    with pytest.raises(AlreadyBegun):
        begin(campaign)
    as_researcher.post(f"/campaigns/{campaign.slug}/discard/")
    assert Campaign.objects.get().name == "Bridges"


def test_a_preview_shows_an_item_and_leaves_nothing_behind(as_researcher: Client) -> None:
    draft = a_draft(pilot_size=2)
    page = page_of(as_researcher, draft, "preview/")
    assert "This is a preview" in page
    assert "The bridge opened in 1932." in page
    assert "data-open" not in page.replace("data-open-dialog", "")
    draft.refresh_from_db()
    assert (draft.is_draft, draft.item_count, draft.pilot_size) == (True, 0, 2)
    assert not Item.objects.exists()
    assert not Assignment.objects.exists()
    assert not Membership.objects.exists()


def test_a_draft_without_anything_to_judge_stays_until_it_is_discarded(
    as_researcher: Client,
) -> None:
    draft = a_draft(passages=0)
    for action in ("close", "reopen"):  # not for drafts
        as_researcher.post(f"/campaigns/{draft.slug}/{action}/")
    for address, send in (("preview/", as_researcher.get), ("move-on/", as_researcher.post)):
        response = send(f"/campaigns/{draft.slug}/{address}", {"seen": "draft"}, follow=True)
        assert "no finished revision" in response.content.decode()
    draft.refresh_from_db()
    assert draft.is_draft
    with pytest.raises(NothingToJudge, match="leave none for production"):
        begin(a_draft(passages=2, pilot_size=2))
    as_researcher.post(f"/campaigns/{draft.slug}/discard/")
    assert not Campaign.objects.filter(pk=draft.pk).exists()


def test_the_form_saves_a_draft_and_starts_what_the_confirmation_showed(
    as_researcher: Client,
) -> None:
    def hidden_fields() -> dict[str, str]:
        page = as_researcher.get(address).content.decode()
        assert "Start the campaign?" in page
        hidden = r'<input type="hidden" name="(seen|settings)" value="([^"]*)"'
        return dict(re.findall(hidden, page))

    run = make_judgeable_run(passages=2)
    data = {"name": "Bees", "run": run.pk, "sides": "after", "raters_per_item": 1, "draft": "1"}
    as_researcher.post("/campaigns/new/", data)
    draft = Campaign.objects.get()
    assert draft.is_draft
    assert "Raters can begin when you start the campaign." in page_of(as_researcher, draft)
    address = f"/campaigns/{draft.slug}/move-on/"
    seen = hidden_fields()
    change_draft(draft, name="Bees", sides="after", raters_per_item=3)
    assertContains(as_researcher.post(address, seen, follow=True), "settings have changed")
    draft.refresh_from_db()
    assert draft.is_draft
    as_researcher.post(address, hidden_fields())
    draft.refresh_from_db()
    assert (draft.state, draft.item_count) == ("production", 2)


def test_a_campaign_begins_with_the_settings_that_another_tab_has_saved() -> None:
    loaded = a_draft()
    change_draft(Campaign.objects.get(), name="Rivers", raters_per_item=3)
    begin(loaded)
    campaign = Campaign.objects.get()
    assert (campaign.name, campaign.raters_per_item) == ("Rivers", 3)
    assert set(campaign.items.values_list("wanted", flat=True)) == {3}


@pytest.mark.parametrize("step", [begin, discard_draft, begin_production, close_campaign])
def test_a_draft_that_was_deleted_a_moment_ago_is_not_there(
    step: Callable[[Campaign], None],
) -> None:
    loaded = a_draft()
    discard_draft(Campaign.objects.get())
    with pytest.raises(Http404):
        step(loaded)


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"raters_per_item": 1, "max_raters": 3}, "begin with two raters per item"),
        ({"raters_per_item": 4, "max_raters": 3}, "less than the 4 raters"),
        ({"max_raters": 3, "questionnaire": "manual_revision"}, "texts, which always differ"),
        ({"sample_size": 5, "pilot_size": 5}, "leave none for production: make it smaller"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_what_to_do(
    as_researcher: Client, wrong: dict[str, Any], expected: str
) -> None:
    run = make_judgeable_run(passages=9)
    data = {"name": "x", "run": run.pk, "sides": "after", "raters_per_item": 2, **wrong}
    assert expected in as_researcher.post("/campaigns/new/", data).content.decode()
    assert not Campaign.objects.exists()


# ---- Pilot and production -------------------------------------------------------------------
def test_a_pilot_gives_out_its_own_items_only(as_researcher: Client, annotator: User) -> None:
    campaign = a_draft(passages=5, pilot_size=2, pilot_raters=1, raters=(annotator,))
    for _ in range(2):  # a second click skips no phase
        as_researcher.post(f"/campaigns/{campaign.slug}/move-on/", {"seen": "draft"})
    campaign.refresh_from_db()
    assert campaign.state == "pilot"
    for _ in range(2):
        assignment = claim(annotator, campaign)
        assert assignment.item.phase == "pilot"
        judge_everything(assignment)
    assert claim_next(annotator, campaign=campaign).reason is Reason.ALL_DONE


def test_production_goes_on_with_the_rest_and_keeps_what_is_in_progress() -> None:
    one, two = make_user(), make_user()
    campaign = a_draft(passages=5, pilot_size=2, pilot_raters=2, raters=(one, two))
    begin(campaign)
    in_progress = claim(one, campaign)
    begin_production(campaign)
    assert claim(one, campaign) == in_progress  # first what is begun
    judge_everything(in_progress)
    in_progress.refresh_from_db()
    assert (in_progress.slot, in_progress.is_late) == (1, False)
    phases = set()
    while isinstance(claimed := claim_next(two, campaign=campaign), Assignment):
        phases.add(claimed.item.phase)
        judge_everything(claimed)
    assert phases == {"production"}
    counted = {each.phase: each for each in phases_of([campaign])[campaign.pk]}
    assert (counted["pilot"].done, counted["pilot"].wanted, counted["pilot"].complete) == (1, 4, 0)
    assert (counted["production"].done, counted["production"].is_complete) == (3, True)


def test_figures_are_distinguished_by_phase(as_researcher: Client) -> None:
    raters = (make_user(), make_user())
    campaign = a_draft(passages=4, pilot_size=1, pilot_raters=2, raters=raters)
    begin(campaign)
    for rater in raters:
        judge_everything(claim(rater, campaign), value=False)
    begin_production(campaign)
    while isinstance(claimed := claim_next(raters[0], campaign=campaign), Assignment):
        judge_everything(claimed, value=True)
    shares = {}
    for phase in ("pilot", "production", ""):
        [side] = campaign_result(campaign, phase).whole.sides
        shares[phase] = (side.attribution.value, side.attribution.n)
    assert shares == {"pilot": (0, 1), "production": (1, 3), "": (0.75, 4)}
    assert campaign_reliability(campaign, phase="pilot").why_missing == ""
    missing = campaign_reliability(campaign, phase="production").why_missing
    assert "production of this campaign asks one" in missing
    page = page_of(as_researcher, campaign, "?phase=pilot")
    assert "2 of 2" in page
    assert "Progress of the pilot" in page
    assert "Progress of the production" in page_of(as_researcher, campaign)
    assert "Raw agreement" in page_of(as_researcher, campaign, "reliability/?phase=pilot")


def test_a_closed_pilot_opens_again_as_a_pilot(annotator: User) -> None:
    campaign = a_draft(pilot_size=1, raters=(annotator,))
    begin(campaign)
    claim(annotator, campaign)
    close_campaign(campaign)
    reopen_campaign(campaign)
    assert campaign.state == "pilot"
    begin_production(campaign)
    add_member(campaign, user=(other := make_user()))
    claim(other, campaign)
    close_campaign(campaign)
    close_campaign(campaign)  # a second click changes nothing
    reopen_campaign(campaign)
    assert (campaign.state, campaign.closed_in) == ("production", "")


def test_a_rater_sees_neither_phase_nor_seed_nor_sampling(
    as_annotator: Client, annotator: User
) -> None:
    sample = {"sample_size": 6, "seed": "zz-seed"}
    campaign = a_draft(passages=8, pilot_size=2, sides="both", raters=(annotator,), **sample)
    begin(campaign)
    assignment = claim(annotator, campaign)
    saved = as_annotator.put(
        f"/api/tasks/{assignment.pk}/judgments/",
        {"answers": [], "comment": {"text": "x", "sequence": 1}},
        content_type="application/json",
    )
    pages = ["/", "/campaigns/", f"/campaigns/{campaign.slug}/", f"/tasks/{assignment.pk}/"]
    for response in (saved, *map(as_annotator.get, pages)):
        reported = response.content.decode().lower()
        for word in ("pilot", "zz-seed", "drawn", "inclusion"):
            assert word not in reported


# ---- Copies ---------------------------------------------------------------------------------
def test_a_copy_has_the_settings_and_leaves_out_what_was_taken(as_researcher: Client) -> None:
    run = make_judgeable_run(passages=5)
    first = make_campaign(run=run, sample_size=2, raters_per_item=2)
    as_researcher.post(f"/campaigns/{first.slug}/copy/")
    copy = Campaign.objects.get(copied_from=first)
    assert (copy.is_draft, copy.raters_per_item, copy.sample_size) == (True, 2, 2)
    page = as_researcher.get(f"/campaigns/{copy.slug}/edit/").content.decode()
    assert "Exclude the passages" in page
    begin(copy)
    taken = set(first.items.values_list("revision", flat=True))
    assert copy.item_count == 2
    assert not taken & set(copy.items.values_list("revision", flat=True))
    everything = copy_campaign(first, created_by=first.created_by)
    everything.excludes_copied, everything.sample_size = False, None
    everything.save()
    begin(everything)
    assert everything.item_count == 5
