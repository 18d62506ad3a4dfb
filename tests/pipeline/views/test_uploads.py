"""The page of an upload: what was found, and the yes or no to it."""

import csv
import io
import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from pipeline.data import stored_files, upload_jobs
from pipeline.models import Dataset, Passage, Run, Upload
from tests.support.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings) -> Path:  # type: ignore[no-untyped-def]
    settings.UPLOAD_DIR = tmp_path
    return tmp_path


def make_upload(content: bytes = b'{"text": "One."}\n', **values: object) -> Upload:
    """An upload that is checked, unless `values` say otherwise."""
    upload = Upload.objects.create(
        **{
            "kind": Upload.Kind.PASSAGES,
            "name": "Rivers",
            "file_name": "in.jsonl",
            "stored_name": f"{Upload.objects.count()}.jsonl",
            "size": len(content),
            **values,
        }
    )
    stored_files.file_path(upload).write_bytes(content)
    if "state" not in values:
        upload_jobs.Reading().run(upload.pk)
        upload.refresh_from_db()
    return upload


def act(client: Client, name: str, upload: Upload, **given: object) -> HttpResponse:
    """Press a button on the page of the upload."""
    return client.post(reverse(f"pipeline:{name}", args=[upload.pk]), given)


def imported(client: Client, upload: Upload) -> str:
    """The page after an import."""
    address = reverse("pipeline:import-upload", args=[upload.pk])
    return client.post(address, follow=True).text


@pytest.mark.parametrize("name", ["choose-columns", "replace-file"])
def test_a_reloaded_form_leads_to_its_upload(as_researcher: Client, name: str) -> None:
    upload = make_upload()
    response = as_researcher.get(reverse(f"pipeline:{name}", args=[upload.pk]))
    assert response.headers["Location"] == upload.get_absolute_url()


def test_a_sound_file_can_be_imported(as_researcher: Client) -> None:
    upload = make_upload()
    html = page_of(as_researcher, upload)
    assert "The file is valid" in html
    assert "Import 1 passage</button>" in html
    datasets = reverse("pipeline:datasets")
    assert upload.get_absolute_url() in as_researcher.get(datasets).text
    response = act(as_researcher, "import-upload", upload)
    dataset = Dataset.objects.get()
    assert response.headers["Location"] == dataset.get_absolute_url()
    assert "in.jsonl was imported: 1 new." in as_researcher.get(dataset.get_absolute_url()).text
    assert "Imported." in page_of(as_researcher, upload)
    assert upload.get_absolute_url() not in as_researcher.get(datasets).text
    again = make_upload(dataset=dataset)
    html = page_of(as_researcher, again)
    assert "Nothing to import" in html
    assert reverse("pipeline:import-upload", args=[again.pk]) not in html


def test_only_valid_rows_can_be_imported(as_researcher: Client) -> None:
    upload = make_upload(b'{"text": "One."}\n{"text": ["<script>x</script>"]}\n')
    html = page_of(as_researcher, upload)
    assert "1 row cannot be imported" in html
    assert "Import 1 passage</button>" not in html
    assert "Import the 1 valid row</button>" in html
    assert "<script>x" not in html
    act(as_researcher, "import-upload", upload)
    assert not Dataset.objects.exists()
    act(as_researcher, "import-upload", upload, skip_invalid="1")
    assert Dataset.objects.get().passage_count == 1


def test_the_first_rows_are_shown_as_they_will_be(as_researcher: Client) -> None:
    rows = b"".join(b"Q%d,Answer <b>%d</b>,m\n" % (n, n) for n in range(7))
    upload = make_upload(b"question,answer,model\n" + rows, stored_name="a.csv")
    html = page_of(as_researcher, upload)
    assert "The first 5 passages, as they will be" in html
    assert "Answer &lt;b&gt;4&lt;/b&gt;" in html
    assert "Answer &lt;b&gt;5" not in html
    assert "Kept with each passage: model." in html


def test_unchecked_columns_are_checked_before_the_import(as_researcher: Client) -> None:
    upload = make_upload(b"no.,said,asked\n1,The tide turns.,When?\n", stored_name="a.csv")
    choose = reverse("pipeline:choose-columns", args=[upload.pk])
    chosen = {"format": "csv", "text": "said", "context": "no.", "id": ""}
    response = as_researcher.post(choose, chosen)
    assert response.headers["Location"] == upload.get_absolute_url()
    assert "from no." in page_of(as_researcher, upload)
    response = as_researcher.post(choose, chosen | {"text": "gone"})
    assert "Select a valid choice" in response.text
    address = reverse("pipeline:import-upload", args=[upload.pk])
    chosen |= {"context": "asked", "id": "no."}
    html = as_researcher.post(address, chosen, follow=True).content.decode()
    assert "You chose other columns" in html
    upload.refresh_from_db()
    assert (upload.state, upload.mapping["context"]) == (Upload.State.CHECKED, "asked")
    as_researcher.post(address, chosen)
    passage = Passage.objects.get()
    assert (passage.external_id, passage.context) == ("1", "When?")


def test_where_no_row_is_valid_no_button_imports(as_researcher: Client) -> None:
    upload = make_upload(b'{"text": ""}\n')
    html = page_of(as_researcher, upload)
    assert "This file cannot be imported." in html
    assert reverse("pipeline:import-upload", args=[upload.pk]) not in html
    file = SimpleUploadedFile("b.jsonl", b'{"text": "One."}\n')
    act(as_researcher, "replace-file", upload, file=file)
    assert "Import 1 passage</button>" in page_of(as_researcher, upload)
    response = act(as_researcher, "replace-file", upload, file=SimpleUploadedFile("b.jsonl", b""))
    assert "The submitted file is empty" in response.text
    assert "Import 1 passage</button>" in page_of(as_researcher, upload)


def test_only_the_first_errors_are_shown_and_all_are_in_the_file(as_researcher: Client) -> None:
    upload = make_upload(b'{"text": "One."}\n' + b'{"text": "=1+1", "id": []}\n' * 30)
    html = page_of(as_researcher, upload)
    assert "The first 20 of 30 errors" in html
    response = as_researcher.get(reverse("pipeline:upload-errors", args=[upload.pk]))
    assert response.headers["Content-Disposition"].startswith("attachment")
    text = b"".join(response.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 30
    assert rows[0]["file"] == "in.jsonl"
    assert rows[0]["line"] == "2"
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


@pytest.mark.parametrize("state", list(Upload.State))
def test_polling_ends_with_the_work(as_researcher: Client, state: Upload.State) -> None:
    upload = make_upload(state=state, failure="Said plainly.")
    response = as_researcher.get(reverse("pipeline:upload-status", args=[upload.pk]))
    html = response.content.decode()
    works = state in {Upload.State.CHECKING, Upload.State.IMPORTING}
    assert ("hx-get" in html) == works
    assert ("No worker is running" in html) == works
    assert ("Said plainly." in html) == (state == Upload.State.FAILED)


def test_an_upload_is_discarded_unless_it_is_in_work(as_researcher: Client) -> None:
    upload = make_upload()
    response = act(as_researcher, "discard-upload", upload)
    assert response.headers["Location"] == reverse("pipeline:datasets")
    assert as_researcher.get(upload.get_absolute_url()).status_code == 404
    upload = make_upload(state=Upload.State.CHECKING)
    act(as_researcher, "discard-upload", upload)
    assert "A worker is processing this upload" in page_of(as_researcher, upload)


def test_an_import_leads_on_to_the_run_of_its_own_revisions_only(as_researcher: Client) -> None:
    result = {"revisions": [{"revised_text": "Two."}], "selected_evidences": [{"text": "E."}]}
    line = {"id": "1", "input_info": {"claim": "One."}, "result": result}
    first = make_upload(json.dumps(line).encode(), file_name="rarr.jsonl")
    done = imported(as_researcher, first)
    run = Run.objects.get()
    assert "See the run" in done
    assert run.get_absolute_url() in done
    assert f"/campaigns/new/?dataset={run.dataset.slug}" in done
    plain = make_upload(b'{"id": "2", "text": "Two."}', dataset=run.dataset)
    done = imported(as_researcher, plain)
    assert "Judge these answers as they are" in done
    assert "See the run" not in done


@pytest.mark.parametrize("contexts", [["E."], []])
def test_answers_without_sources_are_reported(as_researcher: Client, contexts: list[str]) -> None:
    line = {"question": "Why?", "contexts": contexts, "answer": "So."}
    page = imported(as_researcher, make_upload(json.dumps(line).encode()))
    assert ("Judge these answers as" in page) == bool(contexts)
    assert ("nothing to judge" in page) == (not contexts)
