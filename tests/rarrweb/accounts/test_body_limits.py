"""Limits on bodies by user and URL; refused bodies are not read."""

import io
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest
from django.test import Client
from django.urls import resolve
from pytest_django import Settings

from pipeline.data import stored_files
from pipeline.models import Upload
from rarrweb.accounts.models import User
from rarrweb.accounts.request_checks import MAX_ANONYMOUS_BODY, MAX_FORM_BODY, limit_of
from tests.support.addresses import ADDRESSES
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db
FORM = "multipart/form-data; boundary=x"
TAKE_FILES = {
    "pipeline:new-dataset",
    "pipeline:add-passages",
    "pipeline:new-corpus",
    "pipeline:add-documents",
    "pipeline-api:passages",
    "pipeline-api:documents",
}
"""The whole list of views that files may be sent to."""


class Unread(io.RawIOBase):
    def read(self, size: int = -1) -> bytes:
        raise AssertionError("The body was read.")


def send(client: Client, address: str, size: int) -> int:
    announced = {"CONTENT_LENGTH": str(size), "wsgi.input": Unread()}
    answer = client.generic("POST", f"/{address}", content_type=FORM, **announced)
    return int(answer.status_code)


def test_a_stranger_is_refused_everywhere_before_a_byte_is_read() -> None:
    client = Client(enforce_csrf_checks=True)
    for name, address in ADDRESSES:
        assert send(client, address, MAX_ANONYMOUS_BODY + 1) in {413, 404}, name


@pytest.mark.parametrize("role", [User.Role.RESEARCHER, None])
def test_only_researchers_and_only_where_files_are_taken_may_send_more_than_a_form(
    role: str | None,
) -> None:
    client = Client()
    client.force_login(make_user("rut", role=role) if role else make_user("anna"))
    for name, address in ADDRESSES:
        if role and name in TAKE_FILES:
            continue
        assert send(client, address, MAX_FORM_BODY + 1) in {413, 404}, name


def test_a_researcher_may_upload_up_to_the_setting(
    as_researcher: Client, researcher: User, settings: Settings, tmp_path: Path
) -> None:
    settings.UPLOAD_LIMIT_MB, settings.UPLOAD_DIR = 5, tmp_path
    assert {name for name, _ in ADDRESSES} >= TAKE_FILES
    for name, address in ADDRESSES:
        if name in TAKE_FILES:
            request = HttpRequest()
            request.user = researcher
            view = resolve(f"/{address}").func
            request.content_type = "multipart/form-data"
            assert 5_000_000 < limit_of(request, view) < 7_000_000
            request.content_type = "application/json"
            assert limit_of(request, view) == MAX_FORM_BODY, "it would be read into memory"
    assert send(as_researcher, "datasets/new/", 7_000_000) == 413
    rows = b'{"id": "a", "text": "Oslo lies on a fjord."}\n' + b"\n" * 4_000_000
    file = SimpleUploadedFile("rows.jsonl", rows)
    data = {"name": "Norway", "file": file, "format": "auto"}
    assert as_researcher.post("/datasets/new/", data).status_code == 302
    assert stored_files.file_path(Upload.objects.get()).stat().st_size == len(rows)


def test_a_refusal_reports_how_much_there_was_and_what_the_limit_is(client: Client) -> None:
    announced = {"CONTENT_LENGTH": "400000000", "wsgi.input": Unread()}
    page = client.generic("POST", "/log-in/", content_type=FORM, **announced).content.decode()
    assert "What was sent has 400.0 MB, the limit here is 0.1 MB." in page
