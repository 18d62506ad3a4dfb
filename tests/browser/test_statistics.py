"""The page of statistics: BERTScore is computed while somebody looks, and stands there then."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from pipeline.data.similarities import process_job
from pipeline.models import SimilarityJob
from rarrweb.accounts.models import User
from tests.browser.widths import expect_fits
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


def test_questions_of_a_zip_are_shown_before_they_are_imported(
    page: Page,
    log_in: Callable[..., User],
    settings,
    tmp_path: Path,  # type: ignore[no-untyped-def]
) -> None:
    settings.UPLOAD_DIR = tmp_path
    log_in("lea", role=User.Role.RESEARCHER)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("s/queries.jsonl", '{"_id": "q1", "text": "Where does it end?"}\n')
        archive.writestr("s/qrels/dev.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n")
        archive.writestr("s/corpus.jsonl", '{"_id": "d1", "title": "T", "text": "There."}\n')
    page.goto(reverse("pipeline:new-dataset"))
    page.get_by_label("Name").fill("Questions")
    file = {"name": "s.zip", "mimeType": "application/zip", "buffer": out.getvalue()}
    page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Check").first.click()
    expect(page.locator("#preview")).to_contain_text("Where does it end?")
    page.get_by_role("button", name="Import 1 passage").click()
    expect(page.locator("main")).to_contain_text("no answer yet")
    expect_fits(page)
