"""Judging pages without JavaScript ask for it, and show no control that does nothing."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Judgment
from rarrweb.accounts.models import User
from tests.browser.chromium import new_context
from tests.browser.judging import campaign, judging, take_next
from tests.browser.logged_in import log_in_as
from tests.support.campaigns import make_campaign, make_judgeable_run
from tests.support.factories import make_user
from tests.support.kinds import make_citing_run

__all__ = ["campaign", "judging"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

KINDS = [
    ("attribution", "after"),
    ("intent", "pair"),
    ("answer_quality", "after"),
    ("citation", "after"),
    ("manual_revision", "before"),
]
LIVE = "button:not(form[method=post] button), input:not([type=hidden]), textarea, select, .s"
TAKES_CLICKS = """nodes => nodes.filter((node) => node.checkVisibility({visibilityProperty: true})
  && getComputedStyle(node).pointerEvents !== "none").map((node) => node.outerHTML)"""


@pytest.fixture
def without_scripts(browser: Browser, live_server: LiveServer) -> Iterator[Page]:
    context = new_context(browser, base_url=live_server.url, java_script_enabled=False)
    log_in_as(context, make_user("anna"), live_server.url)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(("kind", "sides"), KINDS)
def test_nothing_looks_live_that_is_not(without_scripts: Page, kind: str, sides: str) -> None:
    run = make_citing_run() if kind in {"answer_quality", "citation"} else make_judgeable_run()
    anna = User.objects.get(username="anna")
    make_campaign(raters=(anna,), questionnaire=kind, sides=sides, run=run)
    page = without_scripts
    take_next(page)
    expect(page.get_by_text("This page needs JavaScript")).to_be_visible()
    expect(page.locator("h1")).to_be_visible()  # the item can be read
    assert page.locator(f"main :is({LIVE})").evaluate_all(TAKES_CLICKS) == []
    assert not Judgment.objects.exists()


def test_with_scripts_there_is_no_notice(judging: Page) -> None:
    expect(judging.get_by_text("This page needs JavaScript")).to_be_hidden()
    expect(judging.locator("#comment")).to_be_visible()
