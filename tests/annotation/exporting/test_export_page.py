"""The downloads of a campaign."""

import hashlib
import io
import json
import re
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from annotation.exporting import FORMATS, load_format
from annotation.models import Campaign
from annotation.raters import consent
from rarrweb.accounts.models import User
from tests.support.exports import judge, make_campaign, make_item
from tests.support.factories import make_user

URL = "/campaigns/rivers/export/"
RIVERS = replace(
    load_format("skips"),
    name="rivers",
    title="rivers",
    about="One line per river",
    count=lambda campaign: 2,
)


@pytest.fixture
def campaign(db: None) -> Campaign:
    made = make_campaign()
    judge(make_item(made, "One."), make_user(), True)
    return made


@pytest.mark.parametrize("name", ["hagrid", "csv"])
def test_a_download_is_an_attachment_and_its_manifest_has_its_checksum(
    as_researcher: Client, campaign: Campaign, name: str
) -> None:
    answer = as_researcher.get(URL, {"format": name})
    assert answer.streaming
    assert answer["Content-Disposition"].startswith(f'attachment; filename="rivers-{name}.')
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]
    assert answer["Content-Type"].endswith("; charset=utf-8")
    data = answer.getvalue()
    assert b"One." in data
    answer = as_researcher.get(URL, {"format": name, "manifest": ""})
    assert json.loads(answer.content)["sha256"] == hashlib.sha256(data).hexdigest()
    assert answer["Content-Disposition"].endswith('.manifest.json"')
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_the_schema_of_the_manifest_is_a_download_too(
    as_researcher: Client, campaign: Campaign
) -> None:
    answer = as_researcher.get(URL, {"format": "hagrid", "features": ""})
    reported = as_researcher.get(URL, {"format": "hagrid", "manifest": ""}).json()["files"][1]
    assert reported["sha256"] == hashlib.sha256(answer.content).hexdigest()
    assert reported["name"] in answer["Content-Disposition"]
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]
    assert as_researcher.get(URL, {"format": "csv", "features": ""}).status_code == 404


def rows_on_page(page: str) -> dict[str, int]:
    """Return the rows of each format that the page offers."""
    rows: dict[str, int] = {}
    for row in page.split("<tr>")[2:]:
        count = re.search(r'data-label="Rows">([\d,]+)<', row)
        assert count
        names = re.findall(r'href="\?format=(\w+)" download', row)
        assert not names or f'href="?format={names[0]}&amp;manifest"' in row
        rows |= dict.fromkeys(names, int(count[1].replace(",", "")))
    return rows


def test_the_page_lists_files_with_rows_their_schemas_and_manifests(
    as_researcher: Client, campaign: Campaign
) -> None:
    page = as_researcher.get(URL).content.decode()
    assert rows_on_page(page) == {"hagrid": 1, "csv": 1, "parquet": 1}
    assert re.findall(r'href="\?format=(\w+)&amp;features"', page) == ["hagrid"]
    assert "not listed: skips, training and gold answers, right answers." in page
    assert "--campaign rivers" in page
    assert as_researcher.get(URL, {"format": "xml"}).status_code == 404
    assert as_researcher.post(URL + "?format=csv").status_code == 405


@pytest.mark.parametrize(
    ("kind", "offered"),
    [
        ("attribution", ["hagrid", "csv", "parquet"]),
        ("answer_quality", ["hagrid", "csv", "parquet"]),
        ("citation", ["alce", "csv", "parquet"]),
        ("manual_revision", ["csv", "parquet"]),
        ("intent", ["csv", "parquet"]),
    ],
)
def test_the_page_offers_what_suits_the_questionnaire_and_has_rows(
    as_researcher: Client, campaign: Campaign, kind: str, offered: list[str]
) -> None:
    Campaign.objects.update(questionnaire=kind)
    assert [*rows_on_page(as_researcher.get(URL).content.decode())] == offered
    for name in offered:
        assert as_researcher.get(URL, {"format": name}).status_code == 200


def test_a_new_format_appears_by_its_own_words(
    as_researcher: Client, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FORMATS, "rivers", f"{__name__}.RIVERS")
    page = as_researcher.get(URL).content.decode()
    assert "Rivers <small>One line per river</small>" in page
    assert rows_on_page(page)["rivers"] == 2


PACKAGE = {"labels": "settled"}


def test_a_package_is_sent_while_it_is_written(as_researcher: Client, campaign: Campaign) -> None:
    answer = as_researcher.get(f"{URL}package/", {**PACKAGE, "dev": "20", "licence": "cc0-1.0"})
    assert answer.streaming
    assert answer["Content-Disposition"] == 'attachment; filename="rivers.zip"'
    assert "no-store" in answer["Cache-Control"]
    with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as archive:
        assert archive.testzip() is None
        assert "data/rivers-csv.dev.csv" in archive.namelist()
        assert "license: cc0-1.0" in archive.read("README.md").decode()
        csv = archive.read("data/rivers-csv.train.csv") + archive.read("data/rivers-csv.dev.csv")
    parts = [as_researcher.get(URL, {"format": "csv"}).getvalue().splitlines()]
    assert set(csv.splitlines()) == set(parts[0])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"dev": "100"}, "100"),
        ({"labels": "best"}, "best"),
    ],
)
def test_what_is_wrong_with_a_package_is_written_at_the_form(
    as_researcher: Client, campaign: Campaign, more: dict[str, Any], message: str
) -> None:
    answer = as_researcher.get(f"{URL}package/", PACKAGE | more)
    assert answer.status_code == 400
    assert message in answer.content.decode()


def test_a_package_has_nothing_of_a_rater_who_withdrew(
    as_researcher: Client, campaign: Campaign
) -> None:
    def packed() -> tuple[bool, bool]:
        data = as_researcher.get(f"{URL}package/", PACKAGE).getvalue()
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            card = archive.read("README.md")
            return "data/rivers-csv.csv" in archive.namelist(), b"with 1 judgments" in card

    assert packed() == (True, True)
    rater = User.objects.get(assignments__item__campaign=campaign)
    text = consent.publish(campaign, text="Agree.", withdrawal="delete", by=campaign.created_by)
    assert text
    consent.answer(text, user=rater, answer="agreed")
    consent.withdraw(rater, campaign)
    assert packed() == (False, False)
