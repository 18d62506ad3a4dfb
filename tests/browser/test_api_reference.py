"""Swagger UI shows the API's operations under the page's content security policy."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from rarrweb.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_an_operation_is_tried_out(page: Page, log_in: Callable[..., User]) -> None:
    log_in("ruth", role=User.Role.RESEARCHER)
    page.goto("/api/docs/")
    operation = page.locator("#operations-datasets-datasets_create")
    operation.locator("button").first.click()
    expect(operation).to_contain_text("Make an empty dataset.")
    operation.get_by_role("button", name="Try it out").click()
    operation.locator("textarea").first.fill('{"name": "Rivers"}')
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text('"slug": "rivers"')
