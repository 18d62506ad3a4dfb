"""Two uploads of one name: the second fails, also when both are confirmed at one moment."""

from functools import partial
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from pipeline.data import datasets, uploads
from pipeline.data.slugs import NameTaken
from pipeline.jobs import queue
from pipeline.management.commands import load_passages
from pipeline.models import Corpus, Dataset, Upload
from rarrweb.accounts.models import User
from tests.support.factories import make_corpus, make_dataset, make_user
from tests.support.races import all_at_once

FIRST = b'{"id": "a", "text": "One."}\n'
SECOND = b'{"id": "a", "text": "One."}\n{"id": "b", "text": "Two."}\n'
pytestmark = pytest.mark.usefixtures("state_folder")
KINDS = [(Upload.Kind.PASSAGES, Dataset), (Upload.Kind.DOCUMENTS, Corpus)]


def send(content: bytes, by: User, *, kind: Upload.Kind = Upload.Kind.PASSAGES) -> Upload:
    files = [SimpleUploadedFile("in.jsonl", content)]
    return uploads.receive_upload(kind=kind, files=files, created_by=by, name="Rivers")


def import_now(upload: Upload) -> Upload:
    uploads.agree_to_import(upload)
    upload.refresh_from_db()
    return upload


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "model"), KINDS)
def test_the_second_upload_of_a_name_fails_and_writes_nothing(
    as_researcher: Client, researcher: User, kind: Upload.Kind, model: type[Dataset]
) -> None:
    first, second = (send(content, researcher, kind=kind) for content in (FIRST, SECOND))
    import_now(first)
    import_now(second)
    assert model.objects.count() == 1
    assert second.state == Upload.State.FAILED
    page = as_researcher.get(second.get_absolute_url()).content.decode()
    assert f"There is a {model._meta.verbose_name} called Rivers by now: add to that one" in page
    again = as_researcher.post(f"{second.get_absolute_url()}retry/", {"name": "Lakes"}, follow=True)
    assert again.status_code == 200
    assert model.objects.filter(name="Lakes").exists()


@pytest.mark.django_db
def test_a_corpus_takes_no_name_from_a_dataset() -> None:
    make_corpus(name="Rivers")
    datasets.create_dataset(name="Rivers")
    with pytest.raises(NameTaken, match="There is a dataset called Rivers by now"):
        datasets.create_dataset(name="Rivers")


@pytest.mark.django_db(transaction=True)
def test_of_two_uploads_confirmed_at_once_one_makes_the_dataset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queue, "send", lambda *given: True)
    for turn in range(5):
        by = make_user()
        both = [send(content, by) for content in (FIRST, SECOND)]
        all_at_once(*(partial(import_now, upload) for upload in both))
        assert Dataset.objects.count() == 1, f"in turn {turn}"
        assert {upload.state for upload in both} == {Upload.State.DONE, Upload.State.FAILED}
        Dataset.objects.all().delete()
        Upload.objects.all().delete()


@pytest.mark.django_db
def test_a_command_that_finds_the_name_taken_by_now_reports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_dataset(name="Rivers")
    # As it was a moment ago.
    monkeypatch.setattr(load_passages, "find_named", lambda model, name: None)
    path = tmp_path / "in.jsonl"
    path.write_bytes(FIRST)
    with pytest.raises(CommandError, match="There is a dataset called Rivers by now"):
        call_command("load_passages", str(path), dataset="Rivers")
