"""The pages of corpora and documents."""

from typing import Any

from django.contrib import messages
from django.db.models import F, Q
from django.db.models.functions import Length, Lower, Substr
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pipeline.backends.searches import open_index
from pipeline.data import corpora, deletion
from pipeline.forms.uploads import AddDocumentsForm, NewCorpusForm
from pipeline.importing.rows import title_of
from pipeline.models import Corpus, Document, Run, Upload
from pipeline.pages.document_text import blocks_of, without_headings
from pipeline.rarr.errors import MissingIndex, RarrError
from pipeline.views.lists import collection_list, researchers_only, worker_state
from pipeline.views.run_lists import listed_runs
from pipeline.views.uploads import add_page, open_uploads
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.request_checks import allow_file_upload
from rarrweb.web.deletion import deletion_page
from rarrweb.web.listing import ARCHIVED, Filter, ListColumn, Listing
from rarrweb.web.paging import search_of
from rarrweb.web.tabs import Tab, tabs_of

MAX_HITS = 10
CLIP = 300
PREVIEW_CHARACTERS = 200_000
"""Characters of a document on its page; more would overload a browser."""

TABS = {
    "pipeline:corpus": "Documents",
    "pipeline:search-corpus": "Search",
    "pipeline:corpus-runs": "Runs",
}
CORPORA = Listing(
    columns=(
        ListColumn("name", "Corpus", order=Lower("name")),
        ListColumn("state", "State", order=F("state")),
        ListColumn("documents", "Documents", order=F("document_count"), is_number=True),
        ListColumn("by", "Created by"),
        ListColumn("created", "Created", order=F("created_at"), falls=True),
    ),
    filters=(
        Filter(
            "state",
            "State",
            {
                "": ("Any", Q()),
                "ready": ("Ready", Q(state=Corpus.State.READY)),
                "indexing": (
                    "Being indexed",
                    Q(state__in=[Corpus.State.QUEUED, Corpus.State.INDEXING]),
                ),
                "failed": ("Failed", Q(state=Corpus.State.FAILED)),
                "empty": ("Empty", Q(state=Corpus.State.EMPTY)),
            },
        ),
        ARCHIVED,
    ),
    search=("name", "description", "slug"),
    search_label="Search names and descriptions",
    sort="-created",
)
DOCUMENTS = Listing(
    columns=(
        ListColumn("document", "Document"),
        ListColumn("id", "Id", order=F("external_id")),
        ListColumn("beginning", "Beginning"),
        ListColumn("length", "Characters", is_number=True),
    ),
    search=("title", "external_id", "url"),
    search_label="Search titles, ids and addresses",
)


@require_http_methods(["GET", "HEAD", "POST"])
def corpus_list(request: UserRequest) -> HttpResponse:
    """Render the list; POST archives rows."""
    researchers_only(request)
    visible = Corpus.objects.visible_to(request.user)
    uploads = open_uploads(request, Upload.Kind.DOCUMENTS, corpus=None)
    return collection_list(request, CORPORA, visible, uploads)


@allow_file_upload
@require_http_methods(["GET", "HEAD", "POST"])
def add_documents(request: UserRequest, slug: str = "") -> HttpResponse:
    researchers_only(request)
    corpus = _corpus(request, slug) if slug else None
    form_class = AddDocumentsForm if corpus else NewCorpusForm
    return add_page(request, form_class, Upload.Kind.DOCUMENTS, corpus=corpus)


@require_safe
def corpus_detail(request: UserRequest, slug: str) -> HttpResponse:
    corpus = _corpus(request, slug)
    documents = (
        Document.objects.filter(corpus=corpus)
        .defer("text")
        .annotate(beginning=Substr("text", 1, CLIP), length=Length("text"))
    )
    page = DOCUMENTS.read(documents, request.GET)
    for document in page.page.rows:
        document.beginning = without_headings(document.beginning)
    context = {
        "corpus": corpus,
        "tabs": _tabs(corpus, "corpus"),
        "list": page,
        "uploads": open_uploads(request, Upload.Kind.DOCUMENTS, corpus=corpus),
        **worker_state(),
    }
    return render(request, "pipeline/corpus.html", context)


@require_safe
def search_corpus(request: UserRequest, slug: str) -> HttpResponse:
    """Search it as a run would."""
    corpus = _corpus(request, slug)
    search = search_of(request.GET)
    context = {"corpus": corpus, "tabs": _tabs(corpus, "search-corpus"), "search": search}
    if search:
        try:
            context["hits"] = _hits(corpus, search)
        except MissingIndex:
            context["search_problem"] = "This corpus has no search index yet."
        except RarrError as error:
            context["search_problem"] = str(error)
    return render(request, "pipeline/corpus_search.html", context)


@require_safe
def corpus_runs(request: UserRequest, slug: str) -> HttpResponse:
    corpus = _corpus(request, slug)
    visible = Run.objects.visible_to(request.user).filter(corpus=corpus)
    context = {"corpus": corpus, "tabs": _tabs(corpus, "corpus-runs")}
    return render(request, "pipeline/corpus_runs.html", context | listed_runs(request, visible))


@require_http_methods(["GET", "HEAD", "POST"])
def delete_corpus(request: UserRequest, slug: str) -> HttpResponse:
    corpus = _corpus(request, slug)
    return deletion_page(request, corpus, deletion.corpus_deletion_preview, deletion.delete_corpus)


@require_safe
def corpus_status(request: UserRequest, slug: str) -> HttpResponse:
    corpus = _corpus(request, slug)
    context = {"corpus": corpus, "is_fragment": True, **worker_state()}
    response = render(request, "pipeline/_corpus_status.html", context)
    if corpus.state not in {Corpus.State.QUEUED, Corpus.State.INDEXING}:
        response.headers["HX-Refresh"] = "true"  # the page can be searched now
    return response


@require_POST
def index_corpus(request: UserRequest, slug: str) -> HttpResponse:
    corpus = _corpus(request, slug)
    corpora.rebuild_index(corpus)
    messages.success(request, "The search index is being rebuilt.")
    return redirect(corpus)


@require_safe
def document_detail(request: UserRequest, slug: str, document_id: int) -> HttpResponse:
    corpus = _corpus(request, slug)
    document = get_object_or_404(Document, corpus=corpus, pk=document_id)
    context = {
        "corpus": corpus,
        "document": document,
        "title": document.title or title_of(document.external_id, document.text),
        "link": document.url if document.url.startswith(("http://", "https://")) else "",
        "blocks": blocks_of(document.text[:PREVIEW_CHARACTERS]),
        "length": len(document.text),
        "shown": min(len(document.text), PREVIEW_CHARACTERS),
    }
    return render(request, "pipeline/document.html", context)


def _tabs(corpus: Corpus, current: str) -> list[Tab]:
    counts = {
        "pipeline:corpus": corpus.document_count,
        "pipeline:corpus-runs": corpus.runs.current().of_lab().count(),
    }
    return tabs_of(TABS, corpus.slug, current=f"pipeline:{current}", counts=counts)


def _corpus(request: UserRequest, slug: str) -> Corpus:
    visible = Corpus.objects.visible_to(request.user).select_related("created_by")
    return get_object_or_404(visible, slug=slug)


def _hits(corpus: Corpus, search: str) -> list[tuple[int | None, Any, str]]:
    """Return key, document and excerpt of each hit."""
    (hits,) = open_index(corpora.search_index(corpus)).search([search], limit=MAX_HITS)
    wanted = Document.objects.filter(corpus=corpus, external_id__in=[hit.id for hit in hits])
    keys = dict(wanted.values_list("external_id", "pk"))
    words = search.lower().split()
    return [(keys.get(hit.id), hit, _beginning(hit.text, words)) for hit in hits]


def _beginning(text: str, words: list[str]) -> str:
    """Clip the text, without headings, shortly before one of `words`."""
    text = without_headings(text)
    lowered = text.lower()
    start = max(0, min((lowered.find(word) for word in words if word in lowered), default=0) - 60)
    clip = " ".join(text[start : start + CLIP].split())
    if start:
        clip = "…" + clip.partition(" ")[2]
    return clip.rpartition(" ")[0] + "…" if start + CLIP < len(text) else clip
