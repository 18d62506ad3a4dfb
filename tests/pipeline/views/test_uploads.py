"""The page of an upload: what was found, and the yes or no to it."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from pipeline.data import stored_files, upload_jobs
from pipeline.forms.uploads import ReadingForm
from pipeline.models import Dataset, Passage, Run, Upload
from tests.support.factories import make_passage
from tests.support.pages import page_of

pytestmark = pytest.mark.django_db
CASES = Path(__file__).parents[2] / "data" / "import_cases"


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


def case(name: str) -> bytes:
    return (CASES / name).read_bytes()


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
    rows = b"".join(b'Q%d,Answer <b>%d</b>,"[""E%d.""]"\n' % (n, n, n) for n in range(7))
    upload = make_upload(b"question,answer,contexts\n" + rows, stored_name="a.csv")
    html = page_of(as_researcher, upload)
    assert "Preview: the first 5 passages" in html
    assert "Answer &lt;b&gt;4&lt;/b&gt;" in html
    assert "Answer &lt;b&gt;5" not in html
    assert "[1] E4." in html


def test_a_documents_preview_leaves_its_headings_out(as_researcher: Client) -> None:
    upload = make_upload(b"# Brennet\nA cheese.", kind="documents", stored_name="brennet.md")
    html = page_of(as_researcher, upload)
    assert "A cheese." in html
    assert "# Brennet" not in html


def choose(upload: Upload, **roles: str) -> dict[str, object]:
    """The form of an upload's page, with the roles of some columns changed."""
    form = ReadingForm(upload=upload)
    given = {name: field.initial for name, field in form.fields.items() if field.initial}
    for number, column in enumerate(upload.columns):
        if column["name"] in roles:
            given[f"column-{number}"] = roles[column["name"]]
    return given


def becomes(client: Client, upload: Upload) -> dict[str, str]:
    """The chosen role of each column on the page."""
    html = page_of(client, upload)
    pairs = re.findall(r'for="id_column-\d+">(.*?) becomes.*?selected>(.*?)</option>', html, re.S)
    return dict(pairs)


def test_every_column_is_shown_with_values_and_what_it_becomes(as_researcher: Client) -> None:
    row = {
        "id": 7,
        "claim": "It ends in the sea.",
        "question": "Where?",
        "references": ["It runs to the sea."],
        "attribution_label": "not attributable",
        "llm": "small",
        "response": "It ends in the sea [1]. It is a long river of the north.",
        "meta": {"split": "dev"},
    }
    upload = make_upload(json.dumps(row).encode())
    assert becomes(as_researcher, upload) == {
        "meta.split": "Metadata",
        "id": "Id",
        "claim": "Text",
        "question": "Question or context",
        "references": "Sources",
        "attribution_label": "Label",
        "llm": "Model",
        "response": "Metadata",
    }
    html = page_of(as_researcher, upload)
    assert html.count("Nothing uses these long texts") == 1
    assert "[&quot;It runs to the sea.&quot;]" in html
    chosen = choose(upload, response="ignored", **{"meta.split": "ignored"})
    act(as_researcher, "choose-columns", upload, **chosen)
    assert "Nothing uses these long texts" in page_of(as_researcher, upload)
    act(as_researcher, "import-upload", upload)
    source = Passage.objects.get().source
    assert (source.attributable, source.extra["model"]) == (0, "small")
    assert source.extra.keys() == {"references", "attribution_label", "model", "meta"}
    assert [each.text for each in source.sources] == ["It runs to the sea."]


def test_the_keys_of_a_fixed_format_cannot_be_changed(as_researcher: Client) -> None:
    result = {"revisions": [{"revised_text": "Two."}], "questions": ["Does the river run west?"]}
    line = {"id": "1", "input_info": {"claim": "The river runs east."}, "result": result}
    upload = make_upload(json.dumps(line).encode())
    assert (upload.format, upload.mapping["input_info.claim"]) == ("rarr", "text")
    html = page_of(as_researcher, upload)
    assert "result.revisions</th>" in html
    assert ">Revision</td>" in html
    assert ("becomes</label>" in html, "Nothing uses" in html) == (False, False)


def test_unchecked_columns_are_checked_before_the_import(as_researcher: Client) -> None:
    upload = make_upload(b"no.,said,asked\n1,The tide turns.,When?\n", stored_name="a.csv")
    assert "No column has a usual name for the text" in page_of(as_researcher, upload)
    choose_columns = reverse("pipeline:choose-columns", args=[upload.pk])
    chosen = choose(upload, asked="context", **{"no.": "metadata"})
    response = as_researcher.post(choose_columns, chosen)
    assert response.headers["Location"] == upload.get_absolute_url()
    upload.refresh_from_db()
    assert upload.mapping == {"no.": "metadata", "said": "text", "asked": "context"}
    for wrong, words in [
        (choose(upload, asked="text"), "2 columns become Text"),
        (choose(upload, said="metadata", asked="metadata"), "No column becomes Text"),
        (choose(upload, asked="gone"), "Select a valid choice"),
    ]:
        assert words in as_researcher.post(choose_columns, wrong).text
    address = reverse("pipeline:import-upload", args=[upload.pk])
    chosen = choose(upload, **{"no.": "id"})
    html = as_researcher.post(address, chosen, follow=True).content.decode()
    assert "You chose other columns" in html
    assert not Passage.objects.exists()
    as_researcher.post(address, chosen)
    passage = Passage.objects.get()
    assert (passage.external_id, passage.context) == ("1", "When?")


def test_answers_under_an_unknown_key_are_offered_as_the_text(as_researcher: Client) -> None:
    upload = make_upload(case("14-answers-read-as-questions.jsonl"))
    html = page_of(as_researcher, upload)
    assert "Long texts beside the questions are not used" in html
    assert html.count("Nothing uses these long texts") == 1
    act(as_researcher, "import-upload", upload)
    assert not Passage.objects.exists()
    act(as_researcher, "choose-columns", upload, **choose(upload))
    assert "2 new: questions without answers." in page_of(as_researcher, upload)
    act(as_researcher, "choose-columns", upload, **choose(upload, llm_reply="text"))
    act(as_researcher, "import-upload", upload)
    passages = Passage.objects.values_list("text", "context")
    assert ("The Tees rises on Cross Fell.", "Tell me of the Tees.") in passages


def test_what_was_guessed_about_a_file_can_be_changed(as_researcher: Client) -> None:
    upload = make_upload(case("05-latin1.csv"), stored_name="a.csv")
    html = page_of(as_researcher, upload)
    assert "The encoding is a guess" in html
    assert "Das Café am Fluß." in html
    act(as_researcher, "choose-columns", upload, **choose(upload) | {"encoding": "cp1251"})
    assert "Das Cafй am FluЯ." in page_of(as_researcher, upload)
    upload = make_upload(case("20-no-header.csv"), stored_name="b.csv")
    html = page_of(as_researcher, upload)
    assert "The first row seems to be data" in html
    assert becomes(as_researcher, upload) == {"column 1": "Metadata", "column 2": "Text"}
    act(as_researcher, "choose-columns", upload, **choose(upload) | {"has_header": "True"})
    assert [*becomes(as_researcher, upload)] == ["r1", "The Ribble ends at Lytham."]
    upload = make_upload(case("09-semicolon-decimal.csv"), stored_name="c.csv")
    assert [*becomes(as_researcher, upload)] == ["id", "Antwort", "score"]
    act(as_researcher, "choose-columns", upload, **choose(upload) | {"delimiter": ","})
    assert [*becomes(as_researcher, upload)] != ["id", "Antwort", "score"]


def test_bare_lines_of_a_context_are_turns_if_the_box_is_ticked(as_researcher: Client) -> None:
    upload = make_upload(b'{"text": "In 1904.", "context": "Hi.\\nWhen?"}\n')
    assert "System: Hi." not in page_of(as_researcher, upload)
    act(as_researcher, "choose-columns", upload, **choose(upload) | {"dialog": "on"})
    assert "System: Hi." in page_of(as_researcher, upload)
    imported(as_researcher, upload)
    assert Passage.objects.get().context == "System: Hi.\nUser: When?"


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        (
            "10-ragas-to-csv.csv",
            {"user_input": "context", "retrieved_contexts": "sources", "response": "text"},
        ),
        (
            "10-deepeval-save-as.json",
            {"input": "context", "actual_output": "text", "retrieval_context": "sources"},
        ),
        (
            "10-ragchecker.json",
            {"query": "context", "response": "text", "retrieved_context": "sources"},
        ),
        ("14-guess-empty-context.jsonl", {"question": "context", "answer": "text"}),
        ("20-upper-case-columns.csv", {"ID": "id", "Text": "text", "INT & AIS": "metadata"}),
    ],
)
def test_the_columns_of_known_tools_are_recognized(name: str, roles: dict[str, str]) -> None:
    upload = make_upload(case(name), stored_name=name)
    assert {column: upload.mapping[column] for column in roles} == roles
    assert (upload.error_count, upload.valid_count > 0) == (0, True)


def test_shared_ids_and_late_keys_are_shown(as_researcher: Client) -> None:
    rows = [{"id": n // 2, "text": f"Text {n}."} for n in range(60)]
    lines = [json.dumps(row) for row in (*rows, {"text": "A.", "verdict": "Good."})]
    upload = make_upload("\n".join(lines).encode())
    html = page_of(as_researcher, upload)
    assert "Rows share values of id, so it is not the id" in html
    assert "Only later rows have verdict" in html
    assert (upload.error_count, upload.mapping["id"]) == (0, "metadata")


def test_other_content_under_a_known_id_needs_a_choice(as_researcher: Client) -> None:
    dataset = make_passage(external_id="a", text="One.").dataset
    upload = make_upload(b'{"id": "a", "text": "Two."}', dataset=dataset)
    html = page_of(as_researcher, upload)
    assert "other content is stored under this id" in html.lower()
    assert "choose to replace what is stored.</" in html, "pages name no options"
    assert "Replace passages that have the id of a row" in html
    act(as_researcher, "choose-columns", upload, **choose(upload) | {"update": "on"})
    act(as_researcher, "import-upload", upload)
    assert Passage.objects.get().text == "Two."


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


def test_errors_in_an_archive_name_their_file(as_researcher: Client) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("data/one.jsonl", '{"text": "One."}\n')
        archive.writestr("data/two.jsonl", '{"text": "Two."}\n{"text": []}\n')
    upload = make_upload(content.getvalue(), file_name="in.zip", stored_name="in.zip")
    html = " ".join(page_of(as_researcher, upload).split())
    assert 'data-label="Line">data/two.jsonl, 2</td>' in html


@pytest.mark.parametrize("text", ["One.\nTwo.\n", "One.\n\nTwo\nlines.\n"])
def test_plain_text_can_be_imported(as_researcher: Client, text: str) -> None:
    upload = make_upload(text.encode(), file_name="in.txt", stored_name="in.txt")
    assert "Import 2 passages</button>" in page_of(as_researcher, upload)
    act(as_researcher, "choose-columns", upload, **choose(upload))
    act(as_researcher, "import-upload", upload)
    assert Passage.objects.count() == 2


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
