"""The committed schema is that of the code; whoever may not see something does not see it."""

import io

import pytest
import yaml
from django.core.management import call_command
from django.test import Client

from rarrweb.accounts.models import User
from tests.support.api import api_client, problem_of
from tests.support.api_lab import METHODS, SCHEMA, read_schema


def test_the_committed_schema_is_the_codes_own() -> None:
    made = io.StringIO()
    call_command("spectacular", "--fail-on-warn", "--validate", stdout=made)
    assert made.getvalue().strip() == SCHEMA.read_text("utf-8").strip(), (
        "docs/openapi.yaml is behind the code. Write it anew: "
        "python manage.py spectacular --file docs/openapi.yaml"
    )


def test_every_operation_says_what_it_does() -> None:
    for path, item in read_schema()["paths"].items():
        for method in METHODS:
            if method in item:
                summary = item[method]["summary"]
                assert 5 < len(summary) <= 60, (method, path, summary)
                assert summary.endswith("."), (method, path, summary)


def test_the_judging_pages_own_addresses_are_not_in_it() -> None:
    assert not any(path.startswith("/api/tasks/") for path in read_schema()["paths"])


@pytest.mark.django_db
def test_the_schema_is_served_to_researchers(researcher: User, annotator: User) -> None:
    response = api_client(researcher).get("/api/schema/")
    assert yaml.safe_load(response.content) == read_schema()
    assert response.headers["Content-Type"].startswith("application/vnd.oai.openapi")
    problem_of(api_client(annotator).get("/api/schema/"), 404)
    problem_of(Client().get("/api/schema/"), 401)


@pytest.mark.django_db
def test_the_page_lists_every_operation(as_researcher: Client) -> None:
    page = as_researcher.get("/api/docs/").content.decode()
    for item in read_schema()["paths"].values():
        for method in METHODS:
            assert method not in item or f'id="{item[method]["operationId"]}"' in page
