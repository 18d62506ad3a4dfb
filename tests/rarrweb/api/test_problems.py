"""All errors below /api/ have one format."""

import pytest
from django.test import Client

from rarrweb.accounts.request_checks import MAX_FORM_BODY
from tests.support.api import errors_of

pytestmark = pytest.mark.django_db
JSON = {"content_type": "application/json"}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/nothing/", 404),
        ("/api/datasets/none/", 404),
        ("/api/uploads/99999999999999999999999999/", 404),
        ("/api/datasets/?cursor=x", 404),
    ],
)
def test_what_is_missing_or_unreadable(program: Client, path: str, status: int) -> None:
    errors_of(program.get(path), status)


def test_methods_media_types_and_broken_bodies(program: Client) -> None:
    response = program.put("/api/datasets/")
    errors_of(response, 405)
    assert "POST" in response.headers["Allow"]
    errors_of(program.options("/api/datasets/"), 405)
    errors_of(program.get("/api/datasets/", headers={"Accept": "text/html"}), 406)
    errors_of(program.post("/api/datasets/", "<a/>", content_type="text/xml"), 415)
    errors_of(program.post("/api/datasets/", "{", **JSON), 400)
    errors_of(program.post("/api/datasets/", "[" * 200 + "]" * 200, **JSON), 400)
    broken = {"content_type": "multipart/form-data; boundary=x"}
    assert program.post("/api/datasets/", b"--x\r\nnonsense", **broken).status_code in {400, 415}
    large = {"content_type": "application/json", "CONTENT_LENGTH": str(MAX_FORM_BODY + 1)}
    errors_of(program.generic("POST", "/api/datasets/", b"", **large), 413)


def test_each_wrong_field_is_named(program: Client) -> None:
    result = errors_of(program.post("/api/datasets/", {"name": "x" * 201}, **JSON), 400)
    assert [each["attr"] for each in result] == ["name"]
    result = errors_of(program.post("/api/datasets/", [1], **JSON), 400)
    assert [each["attr"] for each in result] == ["non_field_errors"]


def test_an_error_of_ours_tells_no_secret(program: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret of the server")

    monkeypatch.setattr("pipeline.api.datasets.Datasets.get_queryset", fail)
    program.raise_request_exception = False
    assert "secret" not in str(errors_of(program.get("/api/datasets/"), 500))


def test_pages_are_html_and_the_judging_pages_addresses_answer_alike(as_researcher: Client) -> None:
    assert as_researcher.get("/nowhere/").headers["Content-Type"].startswith("text/html")
    errors_of(as_researcher.put("/api/tasks/1/judgments/", [], **JSON), 404)
