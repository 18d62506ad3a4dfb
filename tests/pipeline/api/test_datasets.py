"""Datasets and corpora over the API: made, filled whole or not at all, read, deleted."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from pipeline.data import uploads
from pipeline.data.corpora import Indexing
from pipeline.models import Corpus, Dataset, Document, Passage, PassageNote, Upload
from rarrweb.accounts.models import User
from rarrweb.accounts.request_checks import MAX_FORM_BODY
from tests.support.api import errors_of
from tests.support.factories import make_corpus, make_dataset, make_passage, make_run

pytestmark = pytest.mark.django_db
JSON = {"content_type": "application/json"}
TWO = [
    {"id": "a", "text": "The Ribble flows west.", "context": "Where does it flow?"},
    {"text": "Canberra is a capital.", "model": "tiny"},
]


def add(program: Client, slug: str, passages: Any) -> Any:
    return program.post(f"/api/datasets/{slug}/passages/", {"passages": passages}, **JSON)


def send(program: Client, slug: str, lines: str, name: str = "p.jsonl", **more: str) -> Any:
    file = SimpleUploadedFile(name, lines.encode())
    return program.post(f"/api/datasets/{slug}/passages/", {"file": file, **more})


def test_a_dataset_is_made_once_under_a_name(program: Client, researcher: User) -> None:
    made = program.post("/api/datasets/", {"name": "Rivers"}, **JSON)
    assert made.status_code == 201
    assert made.json()["slug"] == "rivers"
    assert made.json()["created_by"] == researcher.username
    assert program.get("/api/datasets/rivers/").json() == made.json()
    errors_of(program.post("/api/datasets/", {"name": "Rivers"}, **JSON), 409)
    errors_of(program.post("/api/datasets/", {"name": " "}, **JSON), 400)


def test_a_batch_is_written_and_the_same_again_adds_nothing(program: Client) -> None:
    slug = make_dataset().slug
    answer = add(program, slug, TWO)
    assert (answer.status_code, answer.json()["new_count"]) == (201, 2)
    again = add(program, slug, TWO)
    assert (again.status_code, again.json()["same_count"]) == (200, 2)
    other = {"passages": [{**TWO[0], "text": "It flows east."}]}
    refused = program.post(f"/api/datasets/{slug}/passages/", other, **JSON)
    assert "other content is stored under this id (a)" in errors_of(refused, 400)[1]["detail"]
    changed = program.post(f"/api/datasets/{slug}/passages/", {**other, "update": True}, **JSON)
    assert (changed.status_code, changed.json()["changed_count"]) == (201, 1)
    rows = program.get(f"/api/datasets/{slug}/passages/").json()["results"]
    assert [row["text"] for row in rows] == ["It flows east.", "Canberra is a capital."]
    equal = add(program, slug, [{"text": "New."}] * 3)
    assert (equal.json()["new_count"], equal.json()["repeated_count"]) == (1, 2)
    assert rows[1]["source"]["model"] == "tiny"
    assert program.get(f"/api/datasets/{slug}/").json()["passage_count"] == 3
    assert not Upload.objects.exclude(state="done").exists(), "none stays open"


def test_json_may_name_its_character_set_and_is_no_larger_than_a_form(program: Client) -> None:
    address = f"/api/datasets/{make_dataset().slug}/passages/"
    body = json.dumps({"passages": TWO})
    named = "application/json; charset=utf-8"
    assert program.post(address, body, content_type=named).status_code == 201
    errors_of(program.post(address, body + " " * MAX_FORM_BODY, **JSON), 413)


def test_one_wrong_row_refuses_the_batch(program: Client) -> None:
    slug = make_dataset().slug
    result = errors_of(add(program, slug, [TWO[0], {"text": ""}]), 400)
    assert [each["attr"] for each in result] == ["passages.1.text"]
    twice = errors_of(add(program, slug, [TWO[0], {**TWO[0], "text": "Another."}]), 400)
    assert [each["attr"] for each in twice] == ["non_field_errors", "id"]
    assert "passages.jsonl, line 2:" in twice[1]["detail"]
    errors_of(add(program, slug, []), 400)
    errors_of(add(program, slug, [TWO[0]] * 501), 400)
    assert not Passage.objects.exists()
    assert not Upload.objects.exists()


def test_a_file_in_any_format_is_checked_whole(program: Client) -> None:
    slug = make_dataset().slug
    good = json.dumps({"input_info": {"claim": "It flows.", "context": "How?"}})
    answer = send(program, slug, good)
    assert (answer.status_code, answer.json()["format"]) == (201, "rarr")
    assert send(program, slug, "text,context\nA,b\n", "p.csv", format="csv").status_code == 201
    bad = errors_of(send(program, slug, good + "\n{broken\n" + '{"text": 3}'), 400)
    assert "2 lines are wrong" in bad[0]["detail"]
    assert ["p.jsonl, line 2:" in str(bad), "p.jsonl, line 3:" in str(bad)] == [True, True]
    errors_of(send(program, slug, good, format="alce"), 400)
    errors_of(send(program, slug, good, format="word"), 400)
    errors_of(program.post(f"/api/datasets/{slug}/passages/", {"format": "csv"}), 400)
    assert Passage.objects.count() == 2
    assert not Upload.objects.exclude(state="done").exists()


def test_a_mapping_is_sent_where_it_cannot_be_guessed(program: Client) -> None:
    slug = make_dataset().slug
    lines = '{"reply": "It flows west, they say.", "asked": "Where?", "note": "x"}'
    refused = errors_of(send(program, slug, lines), 400)
    assert refused[0]["attr"] == "mapping"
    assert '{"reply": "text"}' in refused[0]["detail"]
    for wrong in ('{"reply"', '["reply"]', '{"reply": "answer"}'):
        assert errors_of(send(program, slug, lines, mapping=wrong), 400)[0]["attr"] == "mapping"
    mapping = json.dumps({"reply": "text", "asked": "context", "note": "ignored"})
    answer = send(program, slug, lines, mapping=mapping).json()
    assert (answer["state"], answer["mapping"]) == ("done", json.loads(mapping))
    assert answer["columns"][0]["samples"] == ["It flows west, they say."]
    passage = Passage.objects.get()
    assert (passage.text, passage.context, passage.source.extra) == (
        "It flows west, they say.",
        "Where?",
        {},
    )


def test_a_files_shape_is_sent_where_it_cannot_be_detected(program: Client) -> None:
    slug = make_dataset().slug
    table = "r1|The Ribble ends at Lytham.\nr2|The Tees rises on Cross Fell.\n"
    refused = errors_of(send(program, slug, table, "p.csv"), 400)
    assert [each["attr"] for each in refused] == ["has_header"]
    two = {"delimiter": "|", "mapping": '{"column 2": "text"}'}
    answer = send(program, slug, table, "p.csv", has_header="false", **two)
    assert answer.json()["reading"]["delimiter"] == "|"
    assert set(Passage.objects.values_list("text", flat=True)) == {
        "The Ribble ends at Lytham.",
        "The Tees rises on Cross Fell.",
    }
    errors_of(send(program, slug, table, "p.csv", encoding="none"), 400)


def test_valid_rows_are_imported_and_the_others_listed(program: Client) -> None:
    slug = make_dataset().slug
    lines = '{"text": "A."}\n{"text": 3}\n{"text": "B."}'
    refused = errors_of(send(program, slug, lines), 400)
    assert "Send skip_invalid=true to import the valid rows (2)." in refused[0]["detail"]
    checked = send(program, slug, lines, preview="true").json()
    assert (checked["state"], checked["new_count"], checked["error_count"]) == ("checked", 2, 1)
    assert not Passage.objects.exists()
    upload = f"/api/uploads/{checked['id']}/"
    table = b"".join(program.get(f"{upload}errors/").streaming_content).decode("utf-8-sig")
    assert table.splitlines()[0] == "file,line,field,value,problem,fix"
    assert table.splitlines()[1].startswith("p.jsonl,2,text,3,")
    errors_of(program.post(f"{upload}import/"), 409)
    assert (
        program.post(f"{upload}import/", {"skip_invalid": True}, **JSON).json()["error_count"] == 1
    )
    address = f"/api/datasets/{slug}/passages/"
    rows = [{"text": "C."}, {"text": ""}, "D."]
    answer = program.post(address, {"passages": rows, "skip_invalid": True}, **JSON)
    assert (answer.status_code, answer.json()["error_count"]) == (201, 2)
    assert set(Passage.objects.values_list("text", flat=True)) == {"A.", "B.", "C."}
    only_wrong = program.post(address, {"passages": ["D."], "skip_invalid": True}, **JSON)
    assert "skip_invalid" not in errors_of(only_wrong, 400)[0]["detail"]
    sound = send(program, slug, '{"text": "E."}', preview="true").json()
    table = program.get(f"/api/uploads/{sound['id']}/errors/")
    assert b"".join(table.streaming_content) == b"file,line,field,value,problem,fix"


def test_a_large_file_waits_for_a_worker_and_a_yes(
    program: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "SMALL_BYTES", 10)
    slug = make_dataset().slug
    answer = send(program, slug, '{"text": "A."}\n{"text": "B."}')
    assert (answer.status_code, answer.json()["state"]) == (202, "checking")
    upload = f"/api/uploads/{answer.json()['id']}/"
    errors_of(program.post(f"{upload}import/"), 409)
    uploads.Reading().run(answer.json()["id"])
    assert program.get(upload).json()["new_count"] == 2
    assert program.post(f"{upload}import/").json()["state"] == "importing"
    uploads.Reading().run(answer.json()["id"])
    assert program.get(upload).json()["state"] == "done"
    assert Passage.objects.count() == 2
    assert program.delete(upload).status_code == 204


def test_a_failed_upload_can_be_tried_again_here_and_on_its_page(
    program: Client, as_researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "SMALL_BYTES", 10)
    answer = send(program, make_dataset().slug, '{"text": "A."}').json()
    upload = Upload.objects.filter(pk=answer["id"])
    page = f"/uploads/{answer['id']}/"
    errors_of(program.post(f"/api{page}retry/"), 409)
    upload.update(state="failed", failure="No space left.")
    assert f'action="{page}retry/"' in as_researcher.get(page).content.decode()
    assert program.post(f"/api{page}retry/").json()["state"] == "checking"
    upload.update(state="failed")
    as_researcher.post(f"{page}retry/")
    assert (upload.get().state, upload.get().failure) == ("checking", "")


def test_the_download_is_the_pages(program: Client, as_researcher: Client) -> None:
    dataset = make_passage().dataset
    file = b"".join(program.get(f"/api/datasets/{dataset.slug}/download/").streaming_content)
    page = b"".join(as_researcher.get(f"/datasets/{dataset.slug}/download/").streaming_content)
    assert file == page
    assert json.loads(file)


def test_a_dataset_that_a_run_needs_stays(program: Client) -> None:
    needed, free = make_run().dataset, make_dataset()
    errors_of(program.delete(f"/api/datasets/{needed.slug}/"), 409)
    note = PassageNote.objects.create(passage=make_passage(free), text="Look at the date.")
    result = errors_of(program.delete(f"/api/datasets/{free.slug}/"), 409)
    assert "by its name" in result[0]["detail"], "as on its page"
    note.delete()
    assert program.delete(f"/api/datasets/{free.slug}/").status_code == 204
    assert list(Dataset.objects.all()) == [needed]


@pytest.fixture
def corpus(program: Client) -> Any:
    return program.post("/api/corpora/", {"name": "Atlas"}, **JSON).json()


def test_documents_come_in_and_are_indexed(program: Client, corpus: Any) -> None:
    assert (corpus["slug"], corpus["state"]) == ("atlas", "empty")
    documents = [{"id": "r", "title": "Ribble", "url": "https://a.test/r", "text": "It flows."}]
    added = program.post("/api/corpora/atlas/documents/", {"documents": documents}, **JSON)
    assert (added.status_code, added.json()["new_count"]) == (201, 1)
    assert program.get("/api/corpora/atlas/").json()["state"] == "queued"
    Indexing().run(Corpus.objects.get().pk)
    ready = program.get("/api/corpora/atlas/").json()
    assert (ready["state"], ready["document_count"], ready["indexed_count"]) == ("ready", 1, 1)
    rows = program.get("/api/corpora/atlas/documents/?is_indexed=true").json()["results"]
    assert [(row["external_id"], row["title"]) for row in rows] == [("r", "Ribble")]
    again = program.post("/api/corpora/atlas/index/")
    assert (again.status_code, again.json()["state"]) == (202, "queued")


def test_several_texts_come_in_as_files(program: Client, corpus: Any) -> None:
    files = [SimpleUploadedFile(f"{name}.md", f"# {name}\nText.".encode()) for name in "ab"]
    assert program.post("/api/corpora/atlas/documents/", {"files": files}).status_code == 201
    assert Document.objects.count() == 2


def test_a_wrong_document_refuses_them_all(program: Client, corpus: Any) -> None:
    documents = [{"text": "Good."}, {"title": "No text"}]
    sent = program.post("/api/corpora/atlas/documents/", {"documents": documents}, **JSON)
    assert [each["attr"] for each in errors_of(sent, 400)] == ["documents.1.text"]
    assert not Document.objects.exists()


def test_lists_narrow_by_state(program: Client) -> None:
    make_corpus(state=Corpus.State.READY), make_corpus()
    rows = program.get("/api/corpora/?state=ready").json()["results"]
    assert [row["state"] for row in rows] == ["ready"]
    errors_of(program.get("/api/corpora/?state=unknown"), 400)
