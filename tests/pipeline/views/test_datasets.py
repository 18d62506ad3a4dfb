"""The pages of datasets and passages, notes and tags, archiving and deleting."""

import re
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from pipeline.models import Dataset, Passage, PassageNote, Run, Upload
from pipeline.views.datasets import PASSAGES
from rarrweb.accounts.models import User
from tests.support.factories import (
    make_corpus,
    make_dataset,
    make_passage,
    make_revision,
    make_run,
    make_user,
)
from tests.support.pages import html_of

pytestmark = pytest.mark.django_db
DATASETS = reverse("pipeline:datasets")

HOSTILE = '<script>alert("x")</script><b>bold</b>'


@pytest.fixture(autouse=True)
def uploads_in(tmp_path: Path, settings) -> None:  # type: ignore[no-untyped-def]
    settings.UPLOAD_DIR = tmp_path


def test_the_list_reports_how_much_is_in_each(as_researcher: Client) -> None:
    html = html_of(as_researcher, reverse("pipeline:datasets"))
    assert "No dataset yet" in html
    assert "&quot;text&quot;" in html or '"text"' in html
    assert reverse("pipeline:new-dataset") in html
    dataset = make_dataset(name=HOSTILE, passage_count=1234)
    make_run(dataset=dataset)
    make_run(dataset=dataset)
    make_run()
    html = html_of(as_researcher, reverse("pipeline:datasets"))
    assert "<script>alert" not in html
    assert '<td class="n" data-label="Passages">1,234</td>' in html
    assert '<td class="n" data-label="Runs">2</td>' in html


@pytest.mark.parametrize("text", ["The lamp\n was lit by Ada Lindqvist. " * 3, ""])
def test_a_passage_without_an_id_is_named_by_its_first_words(
    as_researcher: Client, text: str
) -> None:
    dataset = make_dataset()
    passage = make_passage(dataset, external_id="sha-0123", text=text, context="Who lit it?")
    revision = make_revision(make_run(dataset=dataset), passage=passage)
    title = "The lamp was lit by Ada Lindqvist. The lamp was lit by Ada…" if text else "Who lit it?"
    pages = (
        dataset.get_absolute_url(),
        reverse("pipeline:passage", args=[dataset.slug, passage.pk]),
        revision.get_absolute_url(),
        reverse("pipeline:run-revisions", args=[revision.run_id]),
        reverse("compare-passage", args=[passage.pk]),
    )
    for page in pages:
        html = html_of(as_researcher, page)
        assert title in html
        assert "sha-0123" not in html


def test_passages_are_paged_by_key(as_researcher: Client) -> None:
    dataset = make_dataset()
    made = [make_passage(dataset) for _ in range(PASSAGES.size + 3)]
    first = html_of(as_researcher, dataset.get_absolute_url())
    assert made[PASSAGES.size - 1].external_id in first
    assert f">{made[PASSAGES.size].external_id}<" not in first
    following = f"?after={made[PASSAGES.size - 1].pk}"
    assert following in first
    second = html_of(as_researcher, dataset.get_absolute_url() + following)
    assert f">{made[-1].external_id}<" in second
    assert f"?before={made[PASSAGES.size].pk}" in second
    back = html_of(as_researcher, dataset.get_absolute_url() + f"?before={made[PASSAGES.size].pk}")
    assert f">{made[0].external_id}<" in back


def test_nonsense_in_the_address_is_harmless(as_researcher: Client) -> None:
    dataset = make_dataset(passage_count=1)
    last = make_passage(dataset, external_id="only")
    for query in ("?after=x", "?after=99999999999999999999", "?before=-1"):
        assert ">only<" in html_of(as_researcher, dataset.get_absolute_url() + query)
    html = html_of(as_researcher, dataset.get_absolute_url() + f"?after={last.pk}")
    assert "The list ends before this page" in html


def test_passages_are_searched_in_text_context_and_id(as_researcher: Client) -> None:
    dataset = make_dataset(passage_count=4)
    make_passage(dataset, external_id="one", text="The Ribble.")
    make_passage(dataset, external_id="two", text="x", context="About the ribble")
    make_passage(dataset, external_id="ribble-3", text="x")
    make_passage(dataset, external_id="four", text="x")
    html = html_of(as_researcher, dataset.get_absolute_url() + "?q=ribble")
    assert all(f">{name}<" in html for name in ("one", "two", "ribble-3"))
    assert ">four<" not in html
    nothing = html_of(as_researcher, dataset.get_absolute_url() + "?q=%3Cb%3Eno")
    assert "No results for “&lt;b&gt;no”" in nothing
    assert "<b>no" not in nothing


def test_a_dataset_in_the_middle_of_an_import_reports_it(as_researcher: Client) -> None:
    dataset = make_dataset(is_complete=False, passage_count=3)
    html = html_of(as_researcher, dataset.get_absolute_url())
    assert "An import is not finished" in html
    assert "Start a run" not in html


def test_a_passage_shows_all_of_its_line_escaped(as_researcher: Client) -> None:
    passage = make_passage(text=HOSTILE, context=HOSTILE, source={HOSTILE: {"k": HOSTILE}})
    revision = make_revision(make_run(dataset=passage.dataset), passage=passage)
    html = html_of(
        as_researcher, reverse("pipeline:passage", args=[passage.dataset.slug, passage.pk])
    )
    assert "<script>alert" not in html
    assert html.count("&lt;script&gt;") == 4
    assert revision.get_absolute_url() in html
    elsewhere = reverse("pipeline:passage", args=[make_dataset().slug, passage.pk])
    assert as_researcher.get(elsewhere).status_code == 404


def test_a_file_through_the_form_becomes_a_dataset_or_is_added_to_it(as_researcher: Client) -> None:
    file = SimpleUploadedFile("in.csv", b"id,text\na,One.\nb,Two.\n")
    response = as_researcher.post(reverse("pipeline:new-dataset"), {"name": "Rivers", "file": file})
    upload = Upload.objects.get()
    assert response.headers["Location"] == upload.get_absolute_url()
    assert not Dataset.objects.exists()
    as_researcher.post(reverse("pipeline:import-upload", args=[upload.pk]))
    dataset = Dataset.objects.get(name="Rivers")
    assert dataset.passage_count == 2
    file = SimpleUploadedFile("in.jsonl", b'{"text": "Three."}')
    as_researcher.post(reverse("pipeline:add-passages", args=[dataset.slug]), {"file": file})
    upload = Upload.objects.get(dataset=dataset, new_count=1)
    as_researcher.post(reverse("pipeline:import-upload", args=[upload.pk]))
    assert dataset.passages.count() == 3


@pytest.mark.parametrize(
    ("form", "name", "contents", "words"),
    [
        ("new-dataset", "x", [], "This field is required"),
        ("new-dataset", "Taken", [b"x"], "This name is taken"),
        ("new-dataset", "x", [b""], "The submitted file is empty"),
        ("new-corpus", "x", [], "This field is required"),
        ("new-corpus", "Taken", [b"x"], "This name is taken"),
        ("new-corpus", "x", [b"x", b""], "The submitted file is empty"),
        ("new-corpus", "x", [b"x", b"y"], "Two files are called"),
    ],
)
def test_a_form_that_is_not_right_reports_it_and_keeps_nothing(
    as_researcher: Client, form: str, name: str, contents: list[bytes], words: str
) -> None:
    make_dataset(name="Taken"), make_corpus(name="Taken")
    files = [SimpleUploadedFile("a.txt", content) for content in contents]
    field = "files" if form == "new-corpus" else "file"
    response = as_researcher.post(reverse(f"pipeline:{form}"), {"name": name, field: files})
    assert response.status_code == 200
    assert words in response.content.decode()
    assert not Upload.objects.exists()


def test_a_file_over_the_limit_is_reported_in_the_form(as_researcher: Client, settings) -> None:  # type: ignore[no-untyped-def]
    settings.UPLOAD_LIMIT_MB = 0
    file = SimpleUploadedFile("a.jsonl", b'{"text": "a"}')
    response = as_researcher.post(reverse("pipeline:new-dataset"), {"name": "x", "file": file})
    assert "the limit is 0 MB" in response.content.decode()


@pytest.fixture
def passage() -> Passage:
    return make_passage(make_dataset(slug="viaducts"))


def address(name: str, passage: Passage) -> str:
    return reverse(f"pipeline:{name}", args=[passage.dataset.slug, passage.pk])


def test_a_note_is_written_and_changed_by_its_author(
    as_researcher: Client, researcher: User, passage: Passage
) -> None:
    page = address("passage", passage)
    other = make_user(role=User.Role.RESEARCHER)
    PassageNote.objects.create(passage=passage, author=other, text="Mine.")
    html = as_researcher.get(page).content.decode()
    assert "Mine." in html
    assert "Delete note" not in html
    refused = as_researcher.post(address("add-note", passage), {"text": " "}, follow=True)
    assert "The note is empty" in refused.content.decode()
    sent = as_researcher.post(address("add-note", passage), {"text": " <b>Odd</b> date. "})
    assert sent["Location"] == f"{page}#notes"
    note = PassageNote.objects.get(author=researcher)
    assert (note.text, note.edited_at) == ("<b>Odd</b> date.", None)
    assert "&lt;b&gt;Odd&lt;/b&gt; date." in as_researcher.get(page).content.decode()
    as_researcher.post(reverse("pipeline:edit-note", args=[note.pk]), {"text": "An odd date."})
    note.refresh_from_db()
    assert note.text == "An odd date."
    assert note.edited_at is not None
    as_researcher.post(reverse("pipeline:delete-note", args=[note.pk]))
    assert PassageNote.objects.get().author == other


def test_tags_come_and_go(as_researcher: Client, passage: Passage) -> None:
    as_researcher.post(address("tag-passage", passage), {"tags": "Wrong Date, long"})
    assert [tag.name for tag in passage.tags.all()] == ["long", "wrong date"]
    as_researcher.post(address("untag-passage", passage), {"tag": "long"})
    assert [tag.name for tag in passage.tags.all()] == ["wrong date"]
    response = as_researcher.post(address("tag-passage", passage), {"tags": ","}, follow=True)
    assert "Write a tag" in response.content.decode()


def test_it_returns_to_its_own_pages(as_researcher: Client, passage: Passage) -> None:
    here = f"{reverse('compare-passage', args=[passage.pk])}?show=noted"
    for wanted, result in ((here, here), ("https://evil.example/", address("passage", passage))):
        values = {"tags": "a", "next": wanted}
        sent = as_researcher.post(address("tag-passage", passage), values)
        assert sent["Location"] == f"{result}#notes"


def test_selected_rows_leave_the_list_and_return_by_undo(as_researcher: Client) -> None:
    stored, first, second = (make_dataset(name=name) for name in ("Kept", "First", "Second"))
    page = as_researcher.post(DATASETS, {"action": "archive"}, follow=True).content.decode()
    assert "Select rows first" in page
    data = {"action": "archive", "row": [first.pk, second.pk]}
    page = as_researcher.post(f"{DATASETS}?sort=name", data, follow=True).content.decode()
    assert "2 are archived." in page
    assert stored.get_absolute_url() in page
    assert first.get_absolute_url() not in page
    archived = html_of(as_researcher, f"{DATASETS}?archived=yes")
    assert first.get_absolute_url() in archived
    assert stored.get_absolute_url() not in archived
    keys = re.findall(r'<input type="hidden" name="row" value="(\d+)">', page)
    assert sorted(map(int, keys)) == [first.pk, second.pk]
    as_researcher.post(DATASETS, {"action": "unarchive", "row": keys})
    assert not Dataset.objects.exclude(archived_at=None).exists()


def test_a_running_run_is_not_archived_and_the_page_gives_the_reason(as_researcher: Client) -> None:
    going, over = make_run(state=Run.State.RUNNING), make_run(state=Run.State.FINISHED)
    data = {"action": "archive", "row": [going.pk, over.pk]}
    page = as_researcher.post(reverse("pipeline:runs"), data, follow=True).content.decode()
    assert "not archived: it is still running." in page
    assert list(Run.objects.current()) == [going]


def test_what_is_archived_is_not_offered_to_new_runs(as_researcher: Client) -> None:
    make_passage(make_dataset(name="Old", archived_at="2026-01-01T00:00Z"))
    make_corpus(name="Dusty", archived_at="2026-01-01T00:00Z")
    page = html_of(as_researcher, reverse("pipeline:new-run"))
    assert "Old (" not in page
    assert "Dusty (" not in page


def test_a_second_page_shows_what_is_lost_and_deletes(as_researcher: Client) -> None:
    passage = make_passage()
    address = reverse("pipeline:delete-dataset", args=[passage.dataset.slug])
    page = html_of(as_researcher, address)
    assert "What will be lost" in page
    assert '<dt>Passages</dt><dd class="num">1</dd>' in page
    assert Dataset.objects.exists()
    response = as_researcher.post(address, follow=True)
    assert "is deleted" in response.content.decode()
    assert not Dataset.objects.exists()


def test_what_is_in_the_way_is_linked(as_researcher: Client) -> None:
    run = make_run()
    for name, row in (("dataset", run.dataset), ("corpus", run.corpus)):
        address = reverse(f"pipeline:delete-{name}", args=[row.slug])  # type: ignore[union-attr]
        page = html_of(as_researcher, address)
        assert f'href="{run.get_absolute_url()}"' in page
        assert "Delete for good" not in page
        as_researcher.post(address)
    assert Dataset.objects.exists()
