"""The schema is complete, and served to researchers alone."""

import pytest
import yaml
from django.core.management import call_command
from django.test import Client

from rarrweb.accounts.models import User
from tests.support.api import api_client, errors_of
from tests.support.api_lab import operations, read_schema


def test_the_schema_is_valid_and_nothing_in_it_is_guessed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("spectacular", "--fail-on-warn", "--validate")
    assert "openapi: 3" in capsys.readouterr().out


def test_every_operation_reports_what_it_does_and_judging_pages_have_none() -> None:
    for method, path in operations():
        assert len(read_schema()["paths"][path][method]["summary"]) > 5, (method, path)
        assert not path.startswith("/api/tasks/")


@pytest.mark.django_db
def test_the_schema_is_served_to_researchers(researcher: User, annotator: User) -> None:
    response = api_client(researcher).get("/api/schema/")
    assert yaml.safe_load(response.content)["paths"] == read_schema()["paths"]
    assert response.headers["Content-Type"].startswith("application/vnd.oai.openapi")
    errors_of(api_client(annotator).get("/api/schema/"), 404)
    errors_of(Client().get("/api/schema/"), 401)


@pytest.mark.django_db
def test_the_reference_page_runs_no_inline_script(as_researcher: Client, annotator: User) -> None:
    page = as_researcher.get("/api/docs/")
    assert b"swagger-ui-bundle.js" in page.content
    assert b'href="/"' in page.content, "the way back to the site"
    assert b"<script>" not in page.content
    policy = page.headers["Content-Security-Policy"].split("; ")  # in any order
    assert "script-src 'self'" in policy
    assert "style-src 'self' 'unsafe-inline'" in policy
    script = as_researcher.get("/api/docs/?script=")
    assert b"SwaggerUIBundle" in script.content
    assert script.headers["Content-Type"] == "application/javascript"
    assert Client().get("/api/docs/").headers["Location"].startswith("/log-in/")
    stranger = Client()
    stranger.force_login(annotator)
    assert stranger.get("/api/docs/").status_code == 404
