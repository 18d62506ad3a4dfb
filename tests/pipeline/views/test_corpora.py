"""The pages of corpora."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from pipeline.data import corpora
from pipeline.jobs import queue
from pipeline.models import Corpus, Document, Upload
from tests.support.factories import make_corpus
from tests.support.pages import html_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_queue")]

SEARCH = "/corpora/rivers/search/"
HOSTILE = '<script>alert("x")</script>'


def make_document(corpus: Corpus, name: str, text: str, **values: str) -> Document:
    corpus.document_count += 1
    corpus.save()
    return Document.objects.create(
        corpus=corpus, external_id=name, text=text, content_hash=name, **values
    )


@pytest.fixture
def rivers() -> Corpus:
    """A corpus that is indexed."""
    corpus = make_corpus(name="Rivers", slug="rivers")
    make_document(corpus, "ribble", "# Course\nThe Ribble runs west.", title="River Ribble")
    make_document(corpus, "tees", f"The Tees. {HOSTILE}")
    queue.mark_for_indexing(corpus)
    corpora.Indexing().run(corpus.pk)
    corpus.refresh_from_db()
    return corpus


def test_a_failed_index_is_rebuilt(as_researcher: Client, rivers: Corpus) -> None:
    Corpus.objects.update(state=Corpus.State.FAILED, lost_leases=len(corpora.COMMIT_DOCUMENTS))
    as_researcher.post(reverse("pipeline:index-corpus", args=["rivers"]))
    rivers.refresh_from_db()
    assert rivers.state == Corpus.State.QUEUED
    assert not rivers.documents.filter(is_indexed=True).exists()
    assert corpora.Indexing().run(rivers.pk)
    rivers.refresh_from_db()
    assert (rivers.state, rivers.indexed_count) == (Corpus.State.READY, 2)


def test_the_list_reports_whether_each_can_be_searched(as_researcher: Client) -> None:
    corpora_page = reverse("pipeline:corpora")
    assert "No corpus yet" in html_of(as_researcher, corpora_page)
    make_corpus(state=Corpus.State.FAILED)
    make_corpus(state=Corpus.State.READY)
    html = html_of(as_researcher, corpora_page)
    assert "ready" in html
    assert "indexing failed" in html


def test_documents_are_listed_escaped(as_researcher: Client, rivers: Corpus) -> None:
    make_document(rivers, "a", "# Ribble\nIt flows.\n## Mouth\nAt Lytham.")
    make_document(rivers, "b", "# Only a heading")
    html = html_of(as_researcher, rivers.get_absolute_url())
    for words in ("River Ribble", "It flows. At Lytham.", "# Only a heading"):
        assert words in html
    assert "<script>alert" not in html
    assert html.count("</span> ready</span>") == 1


def test_the_search_is_the_one_that_runs_use(as_researcher: Client, rivers: Corpus) -> None:
    html = html_of(as_researcher, SEARCH + "?q=Where+does+the+Ribble+run?")
    assert "Search results" in html
    assert ">tees<" not in html
    document = rivers.documents.get(external_id="ribble")
    assert reverse("pipeline:document", args=["rivers", document.pk]) in html
    assert "<script>alert" not in html_of(as_researcher, SEARCH + "?q=tees")
    assert "No document contains a word" in html_of(as_researcher, SEARCH + "?q=zeppelin")
    bare = make_corpus()
    assert "no search index yet" in html_of(as_researcher, f"/corpora/{bare.slug}/search/?q=text")


def test_a_document_links_only_web_pages(as_researcher: Client, rivers: Corpus) -> None:
    document = rivers.documents.get(external_id="ribble")
    address = reverse("pipeline:document", args=["rivers", document.pk])
    assert "<h2>Course</h2>" in html_of(as_researcher, address)
    Document.objects.update(url="https://example.org/ribble")
    assert 'href="https://example.org/ribble" rel="noopener' in html_of(as_researcher, address)
    Document.objects.update(url="javascript:alert(1)")
    assert 'href="javascript' not in html_of(as_researcher, address)
    elsewhere = reverse("pipeline:document", args=[make_corpus().slug, document.pk])
    assert as_researcher.get(elsewhere).status_code == 404


@pytest.mark.parametrize("state", Corpus.State)
def test_polling_ends_with_the_indexing(as_researcher: Client, state: Corpus.State) -> None:
    asks = state in {Corpus.State.QUEUED, Corpus.State.INDEXING}
    corpus = make_corpus(state=state, error="The disk is full.")
    response = as_researcher.get(reverse("pipeline:corpus-status", args=[corpus.slug]))
    assert ("hx-get" in response.text) == asks
    assert ("HX-Refresh" in response.headers) == (not asks)
    expected = "The disk is full." in response.text
    assert expected == (state in {Corpus.State.FAILED, Corpus.State.QUEUED})
    head = response.text.partition('id="corpus-state" hx-swap-oob="true">')[2]
    assert ("being indexed" in head) == (state == Corpus.State.INDEXING)
    if state == Corpus.State.QUEUED:
        assert "No worker is running" in html_of(as_researcher, corpus.get_absolute_url())


def test_files_through_the_form_become_a_corpus_or_are_added_to_it(as_researcher: Client) -> None:
    files = [SimpleUploadedFile("a.txt", b"One."), SimpleUploadedFile("b.html", b"<p>Two.</p>")]
    as_researcher.post(reverse("pipeline:new-corpus"), {"name": "Mine", "files": files})
    upload = Upload.objects.get()
    assert (upload.new_count, upload.error_count) == (2, 0)
    as_researcher.post(reverse("pipeline:import-upload", args=[upload.pk]))
    corpus = Corpus.objects.get(name="Mine")
    assert corpus.document_count == 2
    files = [SimpleUploadedFile("a.jsonl", b'{"id": "a", "text": "One."}')]
    as_researcher.post(reverse("pipeline:add-documents", args=[corpus.slug]), {"files": files})
    upload = Upload.objects.get(corpus=corpus, new_count=1)
    as_researcher.post(reverse("pipeline:import-upload", args=[upload.pk]))
    assert corpus.documents.count() == 3
