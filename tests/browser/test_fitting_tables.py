"""Tables of a campaign fit a laptop's width, whatever the length of names."""

from collections.abc import Callable
from typing import Literal

import pytest
from django.db.models import F
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Campaign
from rarrweb.accounts.models import User
from tests.browser.widths import OUTSIDE, expect_fits
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import judge_next, put_in_use, set_checks

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

LONG = "a-rater-whose-user-name-is-as-long-as-an-institute-gives-them"
TABS = {
    "": "Raw agreement",
    "items/": "",
    "raters/": "Total time",
    "results/": "Fleiss’ kappa",
    "settings/": "",
}
"""Each tab, and a word of what it loads after the page."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture
def campaign() -> Campaign:
    """Every column has a value."""
    raters = (make_user(LONG), make_user("bo"), make_user("prolific_0123456789abcdef01234567"))
    made: Campaign = make_campaign(
        name="Bridges and what was painted on them", passages=10, raters_per_item=3,
        raters=raters, sides="both",
    )  # fmt: skip
    put_in_use(made, 1, "gold")
    set_checks(made, gold_every=2)
    for number in range(7):
        for position, rater in enumerate(raters):
            judge_next(rater, made, (1, int(number % 3 > position), 0))
    Assignment.objects.submitted().update(
        active_ms=F("pk") * 1_313 + 61_000, clicks=F("pk"), keys=F("pk")
    )
    late = Assignment.objects.submitted().filter(rater=raters[0]).latest("pk")
    late.is_late = True
    late.save()
    return made


def test_nothing_of_a_campaigns_tables_is_out_of_sight(
    page: Page, log_in: Callable[..., User], campaign: Campaign
) -> None:
    log_in("lea", role=User.Role.RESEARCHER)
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
