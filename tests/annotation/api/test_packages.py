"""Dataset packages over the API: chosen as on the page, streamed."""

import io
import zipfile

import pytest
from django.test import Client

from tests.support.api import errors_of
from tests.support.campaigns import judge_everything, make_assignment
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def address() -> str:
    judged = make_assignment(make_user("rita"))
    judge_everything(judged)
    return f"/api/campaigns/{judged.item.campaign.slug}/package/"


def packed(program: Client, address: str) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(program.get(address).getvalue()))


def test_a_package_has_what_was_chosen(program: Client, address: str) -> None:
    result = packed(program, f"{address}?formats=csv,skips&dev=50&licence=cc-by-4.0")
    kinds = {name.split("-")[-1] for name in result.namelist() if name.startswith("data/")}
    assert {"csv.train.csv", "csv.dev.csv", "skips.csv"} <= kinds
    assert "cc-by-4.0" in result.read("README.md").decode()


def test_without_more_it_is_as_the_page_begins(program: Client, address: str) -> None:
    names = " ".join(packed(program, address).namelist())
    assert all(f"-{name}." in names for name in ("csv", "hagrid", "parquet"))
    assert ".dev." not in names


def test_what_has_no_place_for_the_answers_is_refused(program: Client, address: str) -> None:
    refused = errors_of(program.get(f"{address}?formats=alce"), 400)
    assert [each["attr"] for each in refused] == ["formats"]
    errors_of(program.get(f"{address}?dev=100"), 400)
    errors_of(program.get(f"{address}?kind=csv"), 400)
