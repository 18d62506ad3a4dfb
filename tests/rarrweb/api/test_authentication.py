"""Authentication and permissions of the API."""

from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from pytest_django import Settings

from rarrweb.accounts.models import User
from rarrweb.api.resources import FAILURE_LIMIT, FAILURE_SECONDS
from tests.support.api import api_client, errors_of
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db
MAKE = {"path": "/api/datasets/", "data": {"name": "New"}, "content_type": "application/json"}


def test_without_a_token_401_reports_which_is_wanted(client: Client) -> None:
    response = client.get("/api/datasets/")
    errors_of(response, 401)
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "header", ["Bearer rarrweb_wrong", "bearer \xff", "Bearer a b", "Basic YTpi"]
)
def test_a_wrong_token_is_401(client: Client, header: str) -> None:
    errors_of(client.get("/api/datasets/", headers={"Authorization": header}), 401)


def test_a_session_reads_and_with_its_csrf_token_writes(researcher: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(researcher)
    assert browser.get("/api/datasets/").status_code == 200
    errors_of(browser.post(**MAKE), 403)
    browser.get("/account/")
    secret = browser.cookies["csrftoken"].value
    assert browser.post(**MAKE, headers={"X-CSRFToken": secret}).status_code == 201


def test_many_wrong_tokens_wait_and_right_ones_do_not(client: Client, researcher: User) -> None:
    wrong = {"Authorization": "Bearer rarrweb_wrong"}
    for _ in range(FAILURE_LIMIT):
        errors_of(client.get("/api/datasets/", headers=wrong), 401)
    response = client.get("/api/datasets/", headers=wrong)
    errors_of(response, 429)
    assert int(response.headers["Retry-After"]) > 0
    assert api_client(researcher).get("/api/datasets/").status_code == 200
    # Nor does it keep anybody from logging in.
    assert client.post("/log-in/", {"login": "x", "password": "y"}).status_code == 200


def test_each_wrong_token_counts_for_the_whole_window(client: Client, settings: Settings) -> None:
    """A cache in the database gives an increased key the default lifetime."""
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.db.DatabaseCache",
            "LOCATION": "rarrweb_cache",
            "TIMEOUT": 1,
        }
    }
    call_command("createcachetable", verbosity=0)
    for _ in range(2):
        client.get("/api/datasets/", headers={"Authorization": "Bearer rarrweb_wrong"})
    with connection.cursor() as cursor:
        cursor.execute("SELECT MAX(expires) FROM rarrweb_cache")
        [expires] = cursor.fetchone()
    left = datetime.fromisoformat(str(expires)).replace(tzinfo=UTC) - datetime.now(UTC)
    assert left.total_seconds() > FAILURE_SECONDS - 60


def test_a_token_opens_no_page(researcher: User) -> None:
    assert api_client(researcher).get("/datasets/").status_code == 302
    assert api_client(make_user(role="administrator")).get("/people/").status_code == 302
