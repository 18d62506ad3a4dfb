"""Tables of campaigns and systems: their width, comparing and copying."""

from typing import Literal

import pytest
from django.db.models import F
from playwright.sync_api import BrowserContext, Locator, Page, expect

from annotation.models import Assignment, Campaign
from pipeline.models import Run
from tests.browser.chromium import OUTSIDE, expect_fits
from tests.support.campaigns import make_campaign, make_judgeable_run
from tests.support.factories import make_dataset, make_user
from tests.support.reference_answers import judge_next, put_in_use, set_checks
from tests.support.study import JoinedStudy

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]


LONG = "a-rater-whose-user-name-is-as-long-as-an-institute-gives-them"
TABS = {
    "": "Raw agreement",
    "items/": "",
    "raters/": "Total time",
    "results/": "Gwet’s AC1",
    "settings/": "",
}
"""Each tab, and a word of what it loads after the page."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def test_nothing_of_a_campaigns_tables_is_out_of_sight(page: Page, ruth: None) -> None:
    """Every column has a value."""
    raters = (make_user(LONG), make_user("bo"), make_user("prolific_0123456789abcdef01234567"))
    name = "Bridges and what was painted on them"
    campaign = make_campaign(name=name, passages=10, raters_per_item=3, raters=raters, sides="both")
    put_in_use(campaign, 1, "gold")
    set_checks(campaign, gold_every=2)
    for number in range(7):
        for position, rater in enumerate(raters):
            judge_next(rater, campaign, (1, int(number % 3 > position), 0))
    Assignment.objects.submitted().update(
        active_ms=F("pk") * 1_313 + 61_000, clicks=F("pk"), keys=F("pk")
    )
    late = Assignment.objects.submitted().filter(rater=raters[0]).latest("pk")
    late.is_late = True
    late.save()
    for tab, fragment in TABS.items():
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(f"{campaign.get_absolute_url()}{tab}")
        if fragment:
            expect(page.get_by_text(fragment).first).to_be_visible()
        for width in (1280, 1024, 640, 390):
            page.set_viewport_size({"width": width, "height": 800})
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                assert page.evaluate(OUTSIDE, "main table") == [], (tab, width, scheme)
                expect_fits(page)
    page.goto(f"{campaign.get_absolute_url()}raters/")
    page.set_viewport_size({"width": 1280, "height": 800})
    raters = page.get_by_role("table", name="Raters and the number of items that they submitted")
    row = raters.get_by_role("row").filter(has_text=LONG)
    for words in ("1 late", "last one", "Remove"):
        expect(row).to_contain_text(words)


def test_systems_are_compared_and_copied(page: Page, context: BrowserContext, ruth: None) -> None:
    study = JoinedStudy("rarr", "efec", "rarr", "rarr-no-agreement")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/results/")
    table = page.get_by_role("table")
    expect(table.get_by_role("rowheader", name="Unrevised")).to_be_visible()
    page.get_by_text("Choose runs and campaigns").click()
    page.get_by_label("Compare with").select_option(str(study.runs[1].pk))
    page.get_by_role("button", name="Show table").click()
    expect(table.get_by_text("mean of 2 repeated runs")).to_be_visible()
    efec = table.get_by_role("row").filter(has_text="efec")
    expect(efec.get_by_text("reference", exact=True)).to_be_visible()
    for button, environment in (("Copy LaTeX", "table*"), ("Without intervals", "table")):
        page.get_by_role("button", name=button).click()
        expect(page.get_by_text("✓ Copied")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert rf"\begin{{{environment}}}" in copied
        assert "rarr (2 runs)" in copied


def test_the_table_fits_windows_of_every_width(page: Page, ruth: None) -> None:
    JoinedStudy("rarr", "efec", "rarr-no-agreement", "rarr-query-sentence")
    page.goto("/results/")
    for width in (320, 640, 761, 1001, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        expect_fits(page)
        assert page.evaluate(OUTSIDE, "table.joined") == [], width


def choices(page: Page) -> Locator:
    return page.locator(".run-choices label:visible")


def test_runs_are_searched_by_dataset_unless_they_are_few(page: Page, ruth: None) -> None:
    names = ("Bridges", "Canals", "Dams", "Fords", "Locks", "Mills", "Piers", "Quays", "Tunnels")
    runs = [make_judgeable_run(passages=1, dataset=make_dataset(name=name)) for name in names]
    page.goto("/campaigns/new/")
    page.get_by_text("Choose runs", exact=True).click()
    page.locator(".run-group", has_text="Tunnels").get_by_role("checkbox").uncheck()  # the newest
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

    expect(page.locator("#chosen-runs")).to_contain_text("Fords: rarr")
    page.get_by_label("Intent similarity").uncheck()
    page.get_by_role("button", name="Save as draft").click()
    expect(page.get_by_text("The draft is saved.")).to_be_visible()
    assert set(Campaign.objects.get().runs.all()) == {runs[3], runs[7]}
    # Eight are seen at a glance.
    Run.objects.filter(pk=runs[8].pk).delete()
    page.goto("/campaigns/new/")
    page.get_by_text("Choose runs", exact=True).click()
    expect(choices(page)).to_have_count(8)
    expect(page.get_by_label("Find a run")).to_be_hidden()
