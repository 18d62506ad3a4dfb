"""The same file twice: it is read once, unless anything is other than it was."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from pipeline.data import datasets, known_files
from pipeline.data.datasets import check_passages, import_passages
from pipeline.models import Dataset
from rarrweb.accounts.models import User
from tests.support.api import api_client
from tests.support.factories import make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path, settings) -> Path:  # type: ignore[no-untyped-def]
    settings.UPLOAD_DIR = tmp_path / "uploads"
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "a", "text": "One."}\n{"id": "b", "text": "Two.", "by": 1}\n')
    return path


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read, line by line."""
    real, found = datasets.read_passages, []

    def reading(path: Path, **how: object) -> object:
        found.append(path)
        return real(path, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(datasets, "read_passages", reading)
    return found


def load(dataset: Dataset, path: Path, **how: object) -> str:
    staged = path.with_suffix(".staged")
    check = check_passages(dataset, path, staged=staged, **how)
    import_passages(dataset, staged)
    dataset.refresh_from_db()
    return str(check)


def test_a_known_file_is_not_read_again(file: Path, readings: list[Path]) -> None:
    dataset = make_dataset()
    load(dataset, file)
    before = list(dataset.passages.values())
    assert load(dataset, file) == "0 new, 2 the same, 0 changed, 0 wrong"
    assert len(readings) == 1
    assert (list(dataset.passages.values()), dataset.passage_count) == (before, 2)


def delete_one(dataset: Dataset, file: Path) -> None:
    dataset.passages.get(external_id="a").delete()


def change_one(dataset: Dataset, file: Path) -> None:
    load(dataset, _write(file.with_name("other.jsonl"), {"id": "a", "text": "Changed."}))


def add_one(dataset: Dataset, file: Path) -> None:
    load(dataset, _write(file.with_name("other.jsonl"), {"id": "c", "text": "Three."}))


def break_off(dataset: Dataset, file: Path) -> None:
    Dataset.objects.filter(pk=dataset.pk).update(is_complete=False)
    dataset.refresh_from_db()


def write_more(dataset: Dataset, file: Path) -> None:
    file.write_text(file.read_text() + '{"text": "Three."}\n')


def _write(path: Path, row: dict[str, object]) -> Path:
    path.write_text(json.dumps(row))
    return path


@pytest.mark.parametrize(
    ("change", "counted"),
    [
        (delete_one, "1 new, 1 the same, 0 changed, 0 wrong"),
        (change_one, "0 new, 1 the same, 1 changed, 0 wrong"),
        (add_one, "0 new, 2 the same, 0 changed, 0 wrong"),
        (break_off, "0 new, 2 the same, 0 changed, 0 wrong"),
        (write_more, "1 new, 2 the same, 0 changed, 0 wrong"),
    ],
)
def test_it_is_read_again_where_the_dataset_or_the_file_is_another(
    file: Path, readings: list[Path], change: Callable[[Dataset, Path], None], counted: str
) -> None:
    dataset = make_dataset()
    load(dataset, file)
    change(dataset, file)
    del readings[:]
    assert load(dataset, file) == counted
    assert readings == [file]


def test_another_dataset_has_nothing_of_it(file: Path) -> None:
    load(make_dataset(), file)
    assert load(make_dataset(), file) == "2 new, 0 the same, 0 changed, 0 wrong"


@pytest.mark.parametrize(
    "how", [{"format": "jsonl"}, {"columns": {"text": "text", "context": "by", "id": "id"}}]
)
def test_it_is_read_again_in_another_way(
    file: Path, readings: list[Path], how: dict[str, object]
) -> None:
    dataset = make_dataset()
    load(dataset, file)
    load(dataset, file, **how)
    assert len(readings) == 2


def test_it_is_read_again_by_another_version(
    file: Path, readings: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = make_dataset()
    load(dataset, file)
    monkeypatch.setattr(known_files, "_importer", lambda: "a later one")
    load(dataset, file)
    assert len(readings) == 2


def test_a_file_with_a_wrong_row_is_read_again(file: Path, readings: list[Path]) -> None:
    file.write_text(file.read_text() + '{"id": "c"}\n')
    dataset = make_dataset()
    load(dataset, file)
    assert load(dataset, file) == "0 new, 2 the same, 0 changed, 1 wrong"
    assert len(readings) == 2


def test_a_file_that_is_written_to_meanwhile_is_read_again(
    file: Path, readings: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset, first, real = make_dataset(), file.read_text(), datasets.check_rows

    def check(rows: object, **more: object) -> object:
        write_more(dataset, file)  # between the checksum and the first line
        return real(rows, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(datasets, "check_rows", check)
        load(dataset, file)
    file.write_text(first)
    load(dataset, file)
    assert len(readings) == 2


def test_the_run_of_a_files_revisions_is_made_again(tmp_path: Path, file: Path) -> None:
    result = {"revisions": [{"revised_text": "Two."}], "selected_evidences": [{"text": "E."}]}
    _write(file, {"id": "1", "input_info": {"claim": "One."}, "result": result})
    for _ in range(2):
        call_command("load_passages", str(file), "--dataset", "Rivers", stdout=StringIO())
        Dataset.objects.get().runs.get().delete()


def test_the_page_the_api_and_the_command_answer_without_reading(
    as_researcher: Client, researcher: User, file: Path, readings: list[Path]
) -> None:
    def sent() -> dict[str, SimpleUploadedFile]:
        return {"file": SimpleUploadedFile("in.jsonl", file.read_bytes())}

    dataset, program, out = make_dataset(), api_client(researcher), StringIO()
    address = f"/api/datasets/{dataset.slug}/passages/"
    assert program.post(address, sent()).status_code == 201
    call_command("load_passages", str(file), "--dataset", dataset.slug, stdout=StringIO())
    del readings[:]
    page = as_researcher.post(f"/datasets/{dataset.slug}/add/", sent(), follow=True)
    assert "Every row of this file is in the dataset already." in page.content.decode()
    again = program.post(address, sent())
    assert (again.status_code, again.json()["same_count"]) == (200, 2)
    call_command("load_passages", str(file), "--dataset", dataset.slug, stdout=out)
    assert "0 new, 2 the same" in out.getvalue()
    assert readings == []
