"""Dataset packages over the API: asked for as on the page, written by a worker, downloaded."""

import io
import zipfile

import pytest
from django.test import Client

from annotation.exporting.jobs import process_export
from annotation.models import ExportJob
from rarrweb.accounts.models import User
from tests.support.api import api_client, errors_of
from tests.support.campaigns import judge_everything, make_assignment
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db
JSON = {"content_type": "application/json"}


@pytest.fixture
def slug() -> str:
    judged = make_assignment(make_user("rita"))
    judge_everything(judged)
    found: str = judged.item.campaign.slug
    return found


@pytest.fixture
def program(researcher: User) -> Client:
    return api_client(researcher)


def test_a_package_is_written_by_a_worker_and_downloaded(program: Client, slug: str) -> None:
    wanted = {"formats": ["csv"], "licence": "cc-by-4.0", "dev": 50}
    asked = program.post(f"/api/campaigns/{slug}/packages/", wanted, **JSON)
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    address = f"/api/packages/{asked.json()['id']}/"
    errors_of(program.get(f"{address}download/"), 404)
    process_export(asked.json()["id"])
    done = program.get(address).json()
    assert (done["state"], done["dev"], done["formats"]) == ("done", 0.5, ["csv"])
    file = b"".join(program.get(f"{address}download/").streaming_content)
    assert len(file) == done["size"]
    assert any("cc-by-4.0" in text for text in _texts(file))
    assert program.get(f"/api/campaigns/{slug}/packages/").json()["results"] == [done]
    errors_of(program.post(f"{address}cancel/"), 409)
    assert program.delete(address).status_code == 204
    assert not ExportJob.objects.exists()


def test_without_more_it_is_as_the_page_begins(program: Client, slug: str) -> None:
    found = program.post(f"/api/campaigns/{slug}/packages/", {}, **JSON).json()
    assert {"csv", "hagrid", "parquet"} <= set(found["formats"])
    assert found["dev"] is None
    assert program.post(f"/api/packages/{found['id']}/cancel/").json()["state"] == "cancelled"


def test_what_has_no_place_for_the_answers_is_refused(program: Client, slug: str) -> None:
    sent = program.post(f"/api/campaigns/{slug}/packages/", {"formats": ["alce"]}, **JSON)
    assert [each["attr"] for each in errors_of(sent, 400)] == ["formats"]
    errors_of(program.post(f"/api/campaigns/{slug}/packages/", {"dev": 100}, **JSON), 400)


def _texts(file: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(file)) as packed:
        return [packed.read(name).decode("utf-8", "replace") for name in packed.namelist()]
