"""Uploads of passages and documents."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Assignment
from pipeline.data import corpora, upload_jobs, uploads
from pipeline.models import Corpus, Dataset, Upload
from tests.browser.chromium import expect_fits
from tests.browser.live_site import answering
from tests.support.campaigns import make_campaign

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("without_queue"),
]


def test_a_file_with_errors_is_displayed_repaired_and_imported(
    page: Page, ruth: None, tmp_path: Path
) -> None:
    file = tmp_path / "rivers.csv"
    file.write_text("id,text,context\na,The Ribble runs west.,Where?\nb,,\n=c,x,y,z\n")
    page.goto("/")
    page.get_by_role("link", name="Datasets").click()
    page.get_by_role("link", name="Upload passages").click()
    page.get_by_label("File of passages").set_input_files(file)
    expect(page.get_by_label("Name")).to_have_value("rivers")
    page.get_by_label("Name").fill("Rivers")
    page.get_by_role("button", name="Check the file").click()

    expect(page.get_by_text("2 rows cannot be imported")).to_be_visible()
    expect(page).to_have_url(f"/uploads/{Upload.objects.get().pk}/")
    expect(page.get_by_role("row", name="3 Text is empty")).to_contain_text("b")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all 2 errors").click()
    assert "line,field" in download.value.path().read_text(encoding="utf-8-sig")
    page.set_viewport_size({"width": 390, "height": 800})
    expect_fits(page)

    page.get_by_label("text becomes", exact=True).select_option("Metadata")
    page.get_by_label("context becomes").select_option("Text")
    page.get_by_role("button", name="Check again").press("Enter")
    expect(page.get_by_role("row", name="3 Context is empty")).to_be_visible()
    expect(page.get_by_label("context becomes")).to_have_value("text")
    expect(page.get_by_role("button", name="Check again")).to_be_focused()
    file.write_text("id,context,text\na,The Ribble runs west.,Where?\n")
    page.get_by_label("File of passages").set_input_files(file)
    page.get_by_role("button", name="Check the file").click()
    page.get_by_role("button", name="Import 1 passage").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Rivers")
    expect(page.locator("main tbody tr")).to_contain_text("The Ribble runs west.")
    expect_fits(page)
    assert Dataset.objects.get().passages.get().text == "The Ribble runs west."


def test_a_form_keeps_its_errors_and_a_large_file_is_followed_until_it_is_checked(
    page: Page, ruth: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "SMALL_BYTES", 10)
    file = tmp_path / "in.jsonl"
    file.write_text("")
    check = page.get_by_role("button", name="Check the file")
    page.goto("/datasets/new/")
    page.get_by_label("Name").fill("Rivers")
    page.get_by_label("File of passages").set_input_files(file)
    check.click()
    expect(page.get_by_role("alert")).to_contain_text("The submitted file is empty")
    expect(page.get_by_label("Name")).to_have_value("Rivers")
    expect(check).to_be_enabled()
    file.write_text('{"text": "One."}\n')
    page.get_by_label("File of passages").set_input_files(file)
    check.click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    expect(page.get_by_text("No worker is running")).to_be_visible()
    upload_jobs.Reading().run(Upload.objects.get().pk)
    expect(page.get_by_text("The file is valid")).to_be_visible()
    expect(page.locator("#upload")).not_to_have_attribute("hx-get", re.compile(""))


def test_a_corpus_is_followed_until_it_can_be_searched(
    page: Page, ruth: None, tmp_path: Path
) -> None:
    files = [tmp_path / "ribble.md", tmp_path / "tees.txt"]
    files[0].write_text("# River Ribble\nIt runs west to the Irish Sea.")
    files[1].write_text("The Tees runs east.")
    page.goto("/corpora/new/")
    page.get_by_label("Files").set_input_files(files)
    expect(page.get_by_label("Name")).to_have_value("ribble and 1 more")
    page.get_by_label("Name").fill("Rivers")
    page.get_by_role("button", name="Check the file").click()
    page.get_by_role("button", name="Import 2 documents").click()
    expect(page.locator("#corpus-state")).to_contain_text("waiting to be indexed")
    corpora.Indexing().run(Corpus.objects.get().pk)
    expect(page.locator("#corpus-state")).to_contain_text("ready")
    page.get_by_role("navigation", name="Corpus").get_by_role("link", name="Search").click()
    page.get_by_role("searchbox").fill("Where does the Ribble end?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("main").get_by_role("listitem").first).to_contain_text(
        "It runs west to the Irish Sea"
    )
    page.get_by_role("link", name="River Ribble").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("River Ribble")


def test_a_proxy_that_takes_no_such_file_is_named_with_the_size_and_the_setting(
    page: Page, ruth: None, console_errors: list[str]
) -> None:
    file = {"name": "p.csv", "mimeType": "text/csv", "buffer": b"x" * 1_500_000}
    refusals = {
        413: "1.5 MB is over .* RARR_UPLOAD_MB.*client_max_body_size",
        0: "the connection failed .* below 1.5 MB.*client_max_body_size",
    }
    for status, words in refusals.items():
        page.goto("/datasets/new/")
        page.locator("input[type=file]").set_input_files(file)
        page.locator("[name=name]").fill("Bridges")
        page.route("**/datasets/new/", answering(status))
        page.locator("#upload-form button.primary").click()
        expect(page.locator(".sending label")).to_have_text(re.compile(words))
        page.unroute("**/datasets/new/")
    console_errors.clear()


def test_judgments_are_checked_with_other_columns_and_imported(
    page: Page, ruth: None, tmp_path: Path
) -> None:
    campaign = make_campaign(raters_per_item=3)
    file = tmp_path / "study.csv"
    rows = [f"{item},{n},{who},1" for item in (1, 2) for who in "ABC" for n in (1, 2, 3)]
    file.write_text("\n".join(["item,sentence,coder,verdict,seconds", *rows, ""]))
    page.goto(f"/campaigns/{campaign.slug}/")
    page.get_by_label("More actions").click()
    page.get_by_role("link", name="Import judgments").click()
    page.get_by_label("File of judgments").set_input_files(file)
    page.get_by_role("button", name="Check the file").click()
    page.get_by_label("rater", exact=True).select_option("coder")
    page.get_by_label("value", exact=True).select_option("sentence")
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("heading", name="12 errors")).to_be_visible()
    expect_fits(page)
    page.get_by_label("value", exact=True).select_option("verdict")
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("row", name="C attributable 6")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    expect_fits(page)
    assert not Assignment.objects.exists()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("row", name="C@bridges imported last one")).to_be_visible()
    assert Assignment.objects.submitted().count() == 6
