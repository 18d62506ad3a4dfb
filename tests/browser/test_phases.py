"""A campaign's life in a browser: kept as a draft, edited, piloted, gone on with, copied."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Campaign
from rarrweb.accounts.models import User
from tests.support.campaigns import make_judgeable_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page_of_lea(page: Page, log_in: Callable[..., User]) -> Page:
    log_in("lea", role=User.Role.RESEARCHER)
    return page


def unfold(page: Page) -> None:
    page.locator("summary", has_text="More options: answers, pilot").click()


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
