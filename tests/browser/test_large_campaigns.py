"""Statistics of large campaigns appear by themselves."""

import pytest
from django.core.cache import cache
from playwright.sync_api import Page, expect

from annotation.models import Item
from annotation.results import cached_figures
from tests.support.study import make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("path", "row"), [("", "After"), ("results/", "All")])
def test_figures_appear_once_they_are_computed(
    page: Page, ruth: None, monkeypatch: pytest.MonkeyPatch, path: str, row: str
) -> None:
    monkeypatch.setattr(cached_figures, "SMALL", 0)
    cache.clear()
    campaign = make_study("rarr")
    Item.objects.update(done=2, wanted=2)
    page.goto(f"{campaign.get_absolute_url()}{path}")
    expect(page.get_by_role("link", name="Adjudicate", exact=False).first).to_be_visible()
    expect(page.get_by_role("rowheader", name=row).first).to_be_visible()
    expect(page.get_by_text("Raw agreement").first).to_be_visible()
    expect(page.locator(".computing")).to_have_count(0)
