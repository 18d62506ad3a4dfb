"""The page of statistics: BERTScore is computed while somebody looks, and stands there then."""

import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from pipeline.data.similarities import process_job
from pipeline.models import SimilarityJob
from rarrweb.accounts.models import User
from tests.support.hagrid import make_answers

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_bertscore_is_waited_for_without_loading_the_page_again(
    page: Page, log_in: Callable[..., User]
) -> None:
    log_in("lea", role=User.Role.RESEARCHER)
    page.goto(reverse("pipeline:dataset-statistics", args=[make_answers().slug]))
    expect(page.locator("#similarity img")).to_have_count(0)
    page.get_by_role("button", name="Compute").click()
    expect(page.locator("#similarity-job")).to_contain_text("Waiting for a worker.")
    process_job(SimilarityJob.objects.get().pk)
    expect(page.locator("#similarity-job")).to_contain_text("By compact, on")
    expect(page.locator("#similarity img")).to_have_attribute("alt", re.compile("^Median F1"))
