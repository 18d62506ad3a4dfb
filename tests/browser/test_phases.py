"""A campaign's life in a browser: kept as a draft, edited, piloted, gone on with, copied."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.campaigns.lifecycle import SETTINGS
from annotation.models import Campaign
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign, make_judgeable_run
from tests.support.factories import make_user
from tests.support.reference_answers import judge_next

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page_of_lea(page: Page, log_in: Callable[..., User]) -> Page:
    log_in("lea", role=User.Role.RESEARCHER)
    return page


def unfold(page: Page) -> None:
    page.locator("summary", has_text="More options: answers, pilot").click()


def settings_of(campaign: Campaign) -> dict[str, object]:
    chosen = {name: getattr(campaign, name) for name in SETTINGS}
    return {**chosen, "runs": set(campaign.runs.values_list("pk", flat=True))}


def test_a_draft_is_kept_edited_and_started_as_a_pilot(page_of_lea: Page) -> None:
    page = page_of_lea
    run = make_judgeable_run(passages=5)
    page.goto(f"/campaigns/new/?run={run.pk}")
    page.get_by_label("Name").fill("Bridges")
    page.get_by_label("After — the revisions").check()
    page.get_by_role("button", name="Save as draft").click()
    expect(page.locator("main")).to_contain_text("Nobody can judge until you start")
    draft = Campaign.objects.get()
    assert (draft.state, draft.pilot_size, draft.items.count()) == ("draft", 0, 0)

    page.get_by_role("link", name="Edit", exact=True).click()
    expect(page.get_by_label("Name")).to_have_value("Bridges")
    page.get_by_label("Name").fill("Bridges, twice looked at")
    page.get_by_label("Raters per item", exact=True).fill("2")
    unfold(page)
    page.get_by_label("Pilot size, in passages").fill("2")
    page.get_by_label("Raters per item in the pilot").fill("3")
    page.get_by_label("Raters per item in the pilot").blur()
    expect(page.locator("#outlook")).to_contain_text("pilot")
    page.get_by_role("button", name="Save the draft").click()
    expect(page.get_by_role("heading", name="Bridges, twice looked at")).to_be_visible()
    expect(page.locator("main")).to_contain_text("A pilot of 2 passages comes first")
    draft.refresh_from_db()
    assert (draft.raters_per_item, draft.pilot_size, draft.pilot_raters) == (2, 2, 3)

    page.get_by_role("link", name="Preview as a rater").click()
    expect(page.locator("#judging[data-ready]")).to_be_visible()
    expect(page.locator("main")).to_contain_text("This is a preview.")
    page.get_by_role("link", name="Back to the draft").click()

    page.get_by_role("link", name="Start pilot").click()
    expect(page.get_by_role("heading", name="Start the pilot?")).to_be_visible()
    page.get_by_role("button", name="Start the pilot").click()
    expect(page.get_by_role("link", name="Start production")).to_be_visible()
    draft.refresh_from_db()
    assert draft.state == Campaign.State.PILOT
    assert list(draft.items.order_by("position").values_list("phase", "wanted")) == [
        ("pilot", 3), ("pilot", 3), ("production", 2), ("production", 2), ("production", 2),
    ]  # fmt: skip
    page.goto(reverse("annotation:edit-draft", args=[draft.slug]))
    expect(page.get_by_role("button", name="Save the draft")).to_have_count(0)


def test_a_pilot_goes_on_to_production_with_its_settings_and_raters(page_of_lea: Page) -> None:
    page = page_of_lea
    raters = (make_user("anna"), make_user("ben"))
    campaign = make_campaign(
        name="Bridges", passages=4, pilot_size=2, pilot_raters=2, raters=raters,
        options=["partly"], may_repeat_passages=False,
    )  # fmt: skip
    before = settings_of(campaign)
    for rater in raters:
        for _ in range(2):
            judge_next(rater, campaign, (1, 2, 0))
    page.goto(campaign.get_absolute_url())
    expect(page.get_by_role("link", name="Pilot 2 of 2 items")).to_have_attribute(
        "aria-current", "true"
    )
    page.get_by_role("link", name="Start production").click()
    expect(page.locator("main")).to_contain_text("In the pilot 2 of 2 items are complete.")
    expect(page.locator("main")).to_contain_text("Production has 2 items, 1 rater each")
    page.get_by_role("link", name="Not yet").click()
    assert Campaign.objects.get().state == Campaign.State.PILOT
    page.get_by_role("link", name="Start production").click()
    page.get_by_role("button", name="Start production").click()
    expect(page.get_by_role("link", name="Production 0 of 2 items")).to_be_visible()
    expect(page.get_by_role("link", name="Start production")).to_have_count(0)
    campaign.refresh_from_db()
    assert campaign.state == Campaign.State.PRODUCTION
    assert settings_of(campaign) == before
    assert judge_next(raters[0], campaign, (1, 2, 0)).item.phase == "production"
    page.goto(campaign.get_absolute_url())
    page.get_by_role("link", name="Production 1 of 2 items").click()
    expect(page.get_by_role("heading", name="Progress of the production")).to_be_visible()
    page.get_by_role("link", name="Both together").click()
    expect(page.locator("main")).to_contain_text("5 of 6 submitted")


def test_a_copy_is_a_draft_with_the_same_settings_over_other_passages(page_of_lea: Page) -> None:
    page = page_of_lea
    campaign = make_campaign(
        name="Bridges", passages=5, sampling="random", sample_size=2, pilot_size=1, pilot_raters=3,
        raters_per_item=2, options=["partly", "two_stages"], raters=(make_user("anna"),),
    )  # fmt: skip
    add_member(campaign, user=make_user("ben"))
    page.goto(campaign.get_absolute_url())
    page.locator("summary", has_text="⋯").click()
    page.get_by_role("button", name="Copy into a draft").click()
    expect(page.get_by_role("heading", name="Edit the draft")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("Bridges (copy)")
    copy = Campaign.objects.get(name="Bridges (copy)")
    assert copy.state == Campaign.State.DRAFT
    differing = {"seed", "leaves_out_copied"}
    ours, theirs = settings_of(copy), settings_of(campaign)
    assert {name for name in ours if ours[name] != theirs[name]} <= differing
    for label, value in [
        ("Pilot size, in passages", "1"), ("Raters per item in the pilot", "3"),
        ("Sample size, in passages", "2"),
    ]:  # fmt: skip
        expect(page.get_by_label(label)).to_have_value(value)
    page.get_by_role("button", name="Save the draft").click()
    expect(page.locator("main")).to_contain_text("Nobody can judge until you start")
    page.get_by_role("link", name="Start pilot").click()
    page.get_by_role("button", name="Start the pilot").click()
    expect(page.get_by_role("link", name="Start production")).to_be_visible()
    drawn, drawn_before = (
        set(each.items.values_list("revision", flat=True)) for each in (copy, campaign)
    )
    assert len(drawn) == len(drawn_before) == 2
    assert not drawn & drawn_before
