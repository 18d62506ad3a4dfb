"""The downloads of a campaign."""

import hashlib
import json

import pytest
from django.test import Client

from annotation.models import Campaign, Membership
from rarrweb.accounts.models import User
from tests.annotation.exporting.rows import judge, make_campaign, make_item
from tests.factories import make_user

URL = "/campaigns/rivers/export/"


@pytest.fixture
def campaign(db: None) -> Campaign:
    made = make_campaign()
    judge(make_item(made, "One."), make_user(), True)
    return made


@pytest.mark.parametrize("name", ["hagrid", "csv"])
def test_a_download_is_an_attachment_that_no_browser_guesses_about(
    as_researcher: Client, campaign: Campaign, name: str
) -> None:
    answer = as_researcher.get(URL, {"format": name})
    assert answer.streaming
    assert answer["Content-Disposition"].startswith(f'attachment; filename="rivers-{name}.')
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]
    assert answer["Content-Type"].endswith("; charset=utf-8")
    assert b"One." in answer.getvalue()


@pytest.mark.parametrize("name", ["hagrid", "csv"])
def test_the_manifest_has_the_checksum_of_the_download(
    as_researcher: Client, campaign: Campaign, name: str
) -> None:
    data = as_researcher.get(URL, {"format": name}).getvalue()
    answer = as_researcher.get(URL, {"format": name, "manifest": ""})
    assert json.loads(answer.content)["sha256"] == hashlib.sha256(data).hexdigest()
    assert answer["Content-Disposition"].endswith('.manifest.json"')
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_an_unknown_format_is_not_found(as_researcher: Client, campaign: Campaign) -> None:
    assert as_researcher.get(URL, {"format": "xml"}).status_code == 404


def test_an_unknown_campaign_is_not_found(as_researcher: Client, db: None) -> None:
    assert as_researcher.get(URL).status_code == 404


@pytest.mark.parametrize("query", ["", "?format=hagrid", "?format=csv&manifest"])
@pytest.mark.parametrize("role", ["", Membership.Role.ANNOTATOR, Membership.Role.ADJUDICATOR])
def test_whoever_does_not_lead_the_campaign_does_not_find_it(
    client: Client, campaign: Campaign, stranger: User, query: str, role: str
) -> None:
    if role:
        Membership.objects.create(campaign=campaign, user=stranger, role=role)
    client.force_login(stranger)
    assert client.get(URL + query).status_code == 404


def test_without_a_log_in_it_asks_for_one(client: Client, campaign: Campaign) -> None:
    assert client.get(URL + "?format=csv").status_code == 302


def test_it_only_answers_to_reading(as_researcher: Client, campaign: Campaign) -> None:
    assert as_researcher.post(URL + "?format=csv").status_code == 405


def test_the_page_links_both_formats_and_manifests(
    as_researcher: Client, campaign: Campaign
) -> None:
    page = as_researcher.get(URL).content.decode()
    for link in ("?format=hagrid", "?format=csv", "?format=hagrid&amp;manifest"):
        assert f'href="{link}"' in page
    assert "--campaign rivers" in page


def test_the_campaigns_page_offers_the_downloads(as_researcher: Client, campaign: Campaign) -> None:
    page = as_researcher.get("/campaigns/rivers/").content.decode()
    assert f'href="{URL}?format=hagrid"' in page
    assert f'href="{URL}?format=csv"' in page
