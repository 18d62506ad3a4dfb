"""Forms and error pages."""

import re

import pytest
from django.test import Client

from rarrweb.accounts.models import User
from tests.support.inline_code import assert_nothing_inline
from tests.support.sources import TEMPLATES, name_of


@pytest.mark.parametrize(
    "path", ["/log-in/", "/log-out/", "/account/", "/people/invite/", "/runs/new/"]
)
def test_a_form_without_its_token_is_refused(administrator: User, path: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(administrator)
    response = client.post(path, {"username": "ada"})
    assert response.status_code == 403
    page = response.content.decode()
    assert "Nothing was saved" in page
    assert_nothing_inline(page)


def test_every_form_that_changes_something_carries_its_token() -> None:
    for path in TEMPLATES:
        forms = re.findall(r"<form\b.*?</form>", path.read_text(), re.DOTALL | re.IGNORECASE)
        for form in forms:
            opening = form[: form.index(">") + 1]
            if re.search(r"method=[\"']?post", opening, re.IGNORECASE):
                assert "{% csrf_token %}" in form, (opening, name_of(path))


def test_no_line_of_a_page_template_is_long() -> None:
    lines = [(name_of(path), line) for path in TEMPLATES for line in path.read_text().splitlines()]
    assert lines
    assert [row for row in lines if len(row[1]) > 140] == []


def test_a_fragment_whose_session_has_ended_moves_the_whole_page(client: Client, db: None) -> None:
    response = client.get(
        "/runs/1/status/",
        headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/runs/1/?page=2"},
    )
    assert response.status_code == 200
    assert response.content == b""
    assert response["HX-Redirect"] == "/log-in/?next=%2Fruns%2F1%2F%3Fpage%3D2"


def test_an_error_page_shows_no_source_and_needs_no_database(
    administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **values: object) -> None:
        raise RuntimeError("the secret in the traceback")

    monkeypatch.setattr("rarrweb.accounts.views.people.render", fail)
    client = Client(raise_request_exception=False)
    client.force_login(administrator)
    response = client.get("/people/")
    page = response.content.decode()
    assert response.status_code == 500
    assert "Something went wrong" in page
    assert "secret" not in page
    assert_nothing_inline(page)


def test_a_page_that_is_not_there_reports_it_to_strangers_and_people(
    client: Client, researcher: User
) -> None:
    anonymous = client.get("/nothing/")
    assert anonymous.status_code == 404
    assert "Page not found" in anonymous.content.decode()
    client.force_login(researcher)
    assert "Go home" in client.get("/nothing/").content.decode()
