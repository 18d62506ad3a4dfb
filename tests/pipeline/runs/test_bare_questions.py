"""Questions without answers in datasets: nothing to revise or to judge until one is there."""

import json
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from pipeline.engine.configuration import RunConfig
from pipeline.forms.runs import NewRunForm
from pipeline.models import Corpus, Dataset, Revision, Run, Upload
from pipeline.runs.as_it_is import run_as_it_is
from pipeline.runs.line_files import dataset_file
from pipeline.runs.start import RunRefused, start_run
from rarrweb.accounts.models import User
from tests.support.api import api_client, problem_of
from tests.support.factories import make_corpus, make_dataset, make_passage

pytestmark = pytest.mark.django_db

QUOTED = {
    "query": "Where?",
    "query_id": "1",
    "quotes": [{"idx": 1, "docid": "a", "text": "There."}],
}
REFUSED = "holds questions without answers"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, settings) -> None:  # type: ignore[no-untyped-def]
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.CORPUS_DIR = tmp_path / "corpora"


def questions(*texts: str) -> Dataset:
    """A dataset with a bare question, and a passage for each of the texts."""
    dataset = make_dataset()
    for text in ("", *texts):
        make_passage(dataset, text=text, context="Where?", source=QUOTED)
    Dataset.objects.update(passage_count=1 + len(texts))
    return dataset


def start(dataset: Dataset, *, system: str = "rarr") -> Run:
    return start_run(
        dataset=dataset,
        corpus=make_corpus(state=Corpus.State.READY),
        config=RunConfig.from_settings(system=system),
        created_by=None,
    )


def test_a_run_over_bare_questions_is_refused_with_what_to_do() -> None:
    with pytest.raises(RunRefused, match=f"{REFUSED}.*Let a strategy write answers first"):
        start(questions())
    assert not Run.objects.exists()


def test_a_strategy_answers_bare_questions_too() -> None:
    run = start(questions("It ends there."), system="extractive")
    rows = run.revisions.values_list("original_text", "context")
    assert list(rows) == [("", "Where?"), ("", "Where?")]


@pytest.mark.parametrize("system", ["post-cite", "closed-book-rarr"])
def test_a_run_that_begins_with_texts_is_refused_where_nothing_can_write_them(
    as_researcher: Client, researcher: User, system: str
) -> None:
    given = {"dataset": questions().slug, "corpus": make_corpus(state=Corpus.State.READY).slug}
    says = f"{system} begins with the passages’ texts, and the dataset"
    with pytest.raises(CommandError, match=says):
        call_command("run_system", **given, system=system)
    form = NewRunForm(user=researcher)
    begins = {name: field.initial for name, field in form.fields.items() if field.initial}
    page = as_researcher.post(reverse("pipeline:new-run"), {**begins, **given, "system": [system]})
    assert says in page.context["form"].non_field_errors()[0]
    told = api_client(researcher).post(
        "/api/runs/", {**given, "system": system}, content_type="application/json"
    )
    assert says in problem_of(told, 409)["detail"]
    assert not Run.objects.exists()


def test_a_run_revises_what_has_a_text() -> None:
    run = start(questions("It ends there."))
    assert [row.original_text for row in Revision.objects.filter(run=run)] == ["It ends there."]
    assert (run.passage_count, "1 passages" in run.versions["dataset"]) == (1, True)


def test_bare_questions_are_not_judged_as_they_are() -> None:
    with pytest.raises(RunRefused, match=REFUSED):
        run_as_it_is(questions(), created_by=None)
    run = run_as_it_is(questions("It ends there [1]."), created_by=None)
    assert [row.original_text for row in run.revisions.all()] == ["It ends there [1]."]


def test_only_datasets_with_a_text_are_offered_to_a_campaign(
    client: Client, researcher: User
) -> None:
    client.force_login(researcher)
    bare, answered = questions(), questions("It ends there.")
    found = client.get(reverse("annotation:new-campaign")).content.decode()
    assert f'value="{answered.slug}"' in found
    assert f'value="{bare.slug}"' not in found


def test_pages_say_that_there_is_no_answer_yet(client: Client, researcher: User) -> None:
    client.force_login(researcher)
    dataset = questions()
    assert "no answer yet" in client.get(dataset.get_absolute_url()).content.decode()
    address = reverse("pipeline:passage", args=[dataset.slug, dataset.passages.get().pk])
    assert "A question without an answer" in client.get(address).content.decode()


def test_an_archive_is_uploaded_looked_at_and_imported(client: Client, researcher: User) -> None:
    client.force_login(researcher)
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("s/queries.jsonl", '{"_id": "q1", "text": "Where does it end?"}\n')
        archive.writestr("s/qrels/dev.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n")
        archive.writestr("s/corpus.jsonl", '{"_id": "d1", "title": "T", "text": "There."}\n')
    file = SimpleUploadedFile("s.zip", out.getvalue())
    sent = client.post(reverse("pipeline:new-dataset"), {"file": file, "name": "Set"}, follow=True)
    assert "Where does it end?" in sent.content.decode()
    upload = Upload.objects.get()
    assert (upload.state, upload.format, upload.new_count) == ("checked", "questions", 1)
    done = client.post(reverse("pipeline:import-upload", args=[upload.pk]), follow=True)
    assert "Judge these answers as they are" not in done.content.decode()
    passage = Dataset.objects.get(name="Set").passages.get()
    assert (passage.text, passage.context) == ("", "Where does it end?")
    assert [quote["text"] for quote in passage.source["quotes"]] == ["There."]


def test_the_command_reads_a_folder_twice_and_adds_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "Where does it end?"}\n')
    for _ in range(2):
        call_command("load_passages", folder, "--dataset", "Set", verbosity=0)
    assert Dataset.objects.get().passage_count == 1


@pytest.mark.parametrize(
    ("format_", "answers"), [("hagrid", [[], ["It ends there."]]), ("contexts", ["It ends there."])]
)
def test_a_question_leaves_without_an_answer_or_not_at_all(
    format_: str, answers: list[object]
) -> None:
    file = dataset_file(questions("It ends there."), format=format_)
    lines = [json.loads(line) for line in b"".join(file.chunks()).splitlines()]
    told = [
        [each["answer"] for each in line["answers"]] if format_ == "hagrid" else line["answer"]
        for line in lines
    ]
    assert told == answers


def test_documents_of_beir_are_a_corpus(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    rows = [
        {"_id": "d1", "title": "Ribble", "text": "It runs west.", "metadata": {}},
        {"_id": "d2", "title": "Only a title", "text": ""},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call_command("load_corpus", path, "--name", "Scifact", verbosity=0)
    found = Corpus.objects.get().documents.values_list("external_id", "title", "text")
    assert list(found) == [
        ("d1", "Ribble", "It runs west."),
        ("d2", "Only a title", "Only a title"),
    ]
