"""Selection of runs for a campaign."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Campaign
from pipeline.models import Run
from tests.support.campaigns import make_judgeable_run
from tests.support.factories import make_dataset

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]


def choices(page: Page) -> Locator:
    return page.locator(".run-choices label:visible")


def test_runs_are_searched_by_dataset_unless_they_are_few(page: Page, ruth: None) -> None:
    names = ("Bridges", "Canals", "Dams", "Fords", "Locks", "Mills", "Piers", "Quays", "Tunnels")
    runs = [make_judgeable_run(passages=1, dataset=make_dataset(name=name)) for name in names]
    page.goto("/campaigns/new/")
    expect(choices(page)).to_have_count(9)
    find = page.get_by_label("Find a run")
    find.fill("FORDS rarr")
    expect(choices(page)).to_have_count(1)
    page.locator(".run-group", has_text="Fords").get_by_role("checkbox").check()

    find.fill("quays")
    expect(choices(page)).to_have_count(2)
    expect(page.locator("[data-count]")).to_have_text("2 / 9")
    expect(page.locator(".run-group", has_text="Fords").get_by_role("checkbox")).to_be_checked()
    page.locator(".run-group", has_text="Quays").get_by_role("checkbox").check()

    find.fill("nothing is called so")
    expect(choices(page)).to_have_count(2)
    expect(page.locator(".run-group:visible")).to_have_count(2)
    find.press("Enter")  # finds, and starts nothing
    find.fill("")
    expect(choices(page)).to_have_count(9)
    assert not Campaign.objects.exists()

    page.get_by_label("Name").fill("Two of nine")
    page.get_by_role("button", name="Save as draft").click()
    expect(page.get_by_text("The draft is saved.")).to_be_visible()
    assert set(Campaign.objects.get().runs.all()) == {runs[3], runs[7]}
    # Eight are seen at a glance.
    Run.objects.filter(pk=runs[8].pk).delete()
    page.goto("/campaigns/new/")
    expect(choices(page)).to_have_count(8)
    expect(page.get_by_label("Find a run")).to_be_hidden()
