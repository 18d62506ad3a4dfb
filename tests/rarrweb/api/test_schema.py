"""The committed schema is that of the code; whoever may not see something does not see it."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from rarrweb.accounts.models import User
from rarrweb.api.reference import METHODS
from tests.support.api import api_client, problem_of

COMMITTED = Path(settings.BASE_DIR) / "docs/openapi.yaml"


def schema() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMMITTED.read_text("utf-8"))
    return found


def operations() -> list[tuple[str, str]]:
    """Method and a sample address of every operation."""
    return [
        (method, re.sub(r"\{\w+\}", "1", path))
        for path, item in schema()["paths"].items()
        for method in METHODS
        if method in item
    ]


def test_the_committed_schema_is_the_codes_own() -> None:
    made = io.StringIO()
    call_command("spectacular", "--fail-on-warn", "--validate", stdout=made)
    assert made.getvalue().strip() == COMMITTED.read_text("utf-8").strip(), (
        "docs/openapi.yaml is behind the code. Write it anew: "
        "python manage.py spectacular --file docs/openapi.yaml"
    )


def test_every_operation_says_what_it_does() -> None:
    for path, item in schema()["paths"].items():
        for method in METHODS:
            assert method not in item or len(item[method]["description"]) > 5, (method, path)


def test_the_judging_pages_own_addresses_are_not_in_it() -> None:
    assert not any(path.startswith("/api/tasks/") for path in schema()["paths"])


@pytest.mark.django_db
@pytest.mark.parametrize(("method", "path"), operations())
def test_nobody_gets_anything_without_a_token(client: Client, method: str, path: str) -> None:
    problem_of(getattr(client, method)(path), 401)


@pytest.mark.django_db
def test_the_schema_is_served_to_researchers(researcher: User, annotator: User) -> None:
    response = api_client(researcher).get("/api/schema/")
    assert yaml.safe_load(response.content) == schema()
    assert response.headers["Content-Type"].startswith("application/vnd.oai.openapi")
    problem_of(api_client(annotator).get("/api/schema/"), 404)
    problem_of(Client().get("/api/schema/"), 401)


@pytest.mark.django_db
def test_the_page_lists_every_operation(as_researcher: Client) -> None:
    page = as_researcher.get("/api/docs/").content.decode()
    for item in schema()["paths"].values():
        for method in METHODS:
            assert method not in item or f'id="{item[method]["operationId"]}"' in page
