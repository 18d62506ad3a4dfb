"""A revision as a file: the public line with the run that made it."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pipeline.models import Revision, Run
from tests.support.factories import make_revision, make_run
from tests.support.revision_rows import ORIGINAL, make_viaduct, viaduct

pytestmark = pytest.mark.django_db


def url(revision: Revision) -> str:
    return reverse("pipeline:revision", args=[revision.pk])


def test_the_download_is_the_public_line_with_its_run(as_researcher: Client) -> None:
    run: Run = make_run(config={"system": "rarr"}, versions={"rarrweb": "0.1.0"})
    revision = make_viaduct(run, external_id="viaduct-1")
    response = as_researcher.get(reverse("pipeline:revision-json", args=[revision.pk]))
    assert response["Content-Disposition"] == f'attachment; filename="revision-{revision.pk}.json"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Type"] == "application/json"
    line = json.loads(response.content)
    assert (line["id"], line["text"]) == ("viaduct-1", ORIGINAL)
    assert line["result"]["revisions"][0]["revised_text"] == viaduct().text
    assert line["result"]["scores"]["attribution_after"] == 0.7275
    assert len(line["result"]["scores"]["sentences"]["after"]) == 4
    assert line["result"]["usage"]["queries"] == 7
    assert line["run"]["config"] == {"system": "rarr"}
    assert line["run"]["versions"] == {"rarrweb": "0.1.0"}
    assert f'href="{url(revision)}revision.json"' in as_researcher.get(url(revision)).text
    assert "revision.json" not in as_researcher.get(url(make_revision())).text


@pytest.mark.parametrize("values", [{"state": "queued"}, {"state": "failed"}, {"result": {}}])
def test_there_is_no_download_without_a_result(
    as_researcher: Client, values: dict[str, Any]
) -> None:
    revision = make_viaduct(**values)
    assert as_researcher.get(url(revision) + "revision.json").status_code == 404
