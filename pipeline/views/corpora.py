"""Corpora: the list, one with its documents and a search, a document, and bringing them in."""

from itertools import groupby
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.db.models.functions import Length, Substr
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pipeline import corpora, launch
from pipeline.backends.tantivy_corpus import TantivyCorpus
from pipeline.forms.corpora import AddDocumentsForm, NewCorpusForm
from pipeline.models import Corpus, Document, Run, Upload, UploadQuerySet
from pipeline.paging import search_of
from pipeline.rarr.types import RarrError
from pipeline.views.lists import page_of, researchers_only, worker_state
from pipeline.views.uploads import take_in
from rarrweb.http import UserRequest

DOCUMENTS_A_PAGE = 50
CORPORA_SHOWN = 200
HITS_SHOWN = 10
CLIP = 300
DOCUMENT_SHOWN = 200_000
"""Characters of a document that its page shows: a browser chokes on more."""


@require_safe
def corpus_list(request: UserRequest) -> HttpResponse:
    researchers_only(request)
    shown = Corpus.objects.visible_to(request.user).select_related("created_by")[:CORPORA_SHOWN]
    return render(
        request,
        "pipeline/corpora.html",
        {"corpora": shown, "uploads": _open_uploads(request).filter(corpus=None)},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def new_corpus(request: UserRequest) -> HttpResponse:
    researchers_only(request)
    form = NewCorpusForm(request.POST or None, request.FILES or None)
    values = {"kind": Upload.Kind.DOCUMENTS, "created_by": request.user}
    if upload := take_in(form, field="files", **values):
        return redirect(upload)
    return render(request, "pipeline/new_corpus.html", {"form": form, **worker_state()})


@require_http_methods(["GET", "HEAD", "POST"])
def add_documents(request: UserRequest, slug: str) -> HttpResponse:
    corpus = _corpus(request, slug)
    form = AddDocumentsForm(request.POST or None, request.FILES or None)
    values = {"kind": Upload.Kind.DOCUMENTS, "created_by": request.user}
    if upload := take_in(form, field="files", corpus=corpus, **values):
        return redirect(upload)
    context = {"form": form, "corpus": corpus, **worker_state()}
    return render(request, "pipeline/new_corpus.html", context)


@require_safe
def corpus_detail(request: UserRequest, slug: str) -> HttpResponse:
    corpus = _corpus(request, slug)
    search = search_of(request.GET)
    documents = Document.objects.filter(corpus=corpus).defer("text")
    documents = documents.annotate(beginning=Substr("text", 1, CLIP), length=Length("text"))
    context: dict[str, Any] = {
        "corpus": corpus,
        "search": search,
        "page": page_of(documents, request.GET, size=DOCUMENTS_A_PAGE),
        "run_count": Run.objects.filter(corpus=corpus).count(),
        "uploads": _open_uploads(request).filter(corpus=corpus),
        **worker_state(),
    }
    for document in context["page"].rows:
        document.beginning = _without_headings(document.beginning)
    if search:
        context |= _hits(corpus, search)
    return render(request, "pipeline/corpus.html", context)


@require_safe
def corpus_status(request: UserRequest, slug: str) -> HttpResponse:
    corpus = _corpus(request, slug)
    response = render(request, "pipeline/_corpus_status.html", {"corpus": corpus, **worker_state()})
    if corpus.state not in {Corpus.State.QUEUED, Corpus.State.INDEXING}:
        response.headers["HX-Refresh"] = "true"  # the page can be searched now
    return response


@require_POST
def index_corpus(request: UserRequest, slug: str) -> HttpResponse:
    corpus = _corpus(request, slug)
    corpora.forget_index(corpus)
    launch.queue_indexing(corpus)
    messages.success(request, "The search index is made anew from the documents.")
    return redirect(corpus)


@require_safe
def document_detail(request: UserRequest, slug: str, document_id: int) -> HttpResponse:
    corpus = _corpus(request, slug)
    document = get_object_or_404(Document, corpus=corpus, pk=document_id)
    return render(
        request,
        "pipeline/document.html",
        {
            "corpus": corpus,
            "document": document,
            "link": document.url if document.url.startswith(("http://", "https://")) else "",
            "blocks": _blocks(document.text[:DOCUMENT_SHOWN]),
            "length": len(document.text),
            "shown": min(len(document.text), DOCUMENT_SHOWN),
        },
    )


def _corpus(request: UserRequest, slug: str) -> Corpus:
    visible = Corpus.objects.visible_to(request.user).select_related("created_by")
    return get_object_or_404(visible, slug=slug)


def _open_uploads(request: UserRequest) -> UploadQuerySet:
    visible = Upload.objects.visible_to(request.user)
    return visible.open(Upload.Kind.DOCUMENTS).select_related("created_by")


def _hits(corpus: Corpus, search: str) -> dict[str, Any]:
    """What the index finds, as a run would find it, best first."""
    try:
        found = TantivyCorpus(corpora.index_path(corpus.slug)).search([search], limit=HITS_SHOWN)[0]
    except RarrError:
        return {"search_problem": "This corpus has no search index yet."}
    wanted = Q(corpus=corpus, external_id__in=[document.id for document in found])
    keys = dict(Document.objects.filter(wanted).values_list("external_id", "pk"))
    words = [word.lower() for word in search.split()]
    return {
        "hits": [(keys.get(each.id), each, _beginning(each.text, words)) for each in found],
    }


def _beginning(text: str, words: list[str]) -> str:
    """A clip of the text from a little before the first of the words in it, without headings."""
    text = _without_headings(text)
    lowered = text.lower()
    places = [place for place in (lowered.find(word) for word in words) if place >= 0]
    start = max(0, min(places, default=0) - 60)
    clip = " ".join(text[start : start + CLIP].split())
    # Whole words: the cut ones at the ends go.
    if start:
        clip = "…" + clip.partition(" ")[2]
    return clip.rpartition(" ")[0] + "…" if start + CLIP < len(text) else clip


def _without_headings(text: str) -> str:
    """What the text says below its headings; all of it where it is nothing but headings."""
    said = " ".join(block for is_heading, block in _blocks(text) if not is_heading)
    return said or text


def _blocks(text: str) -> list[tuple[bool, str]]:
    """The text in turns of (is a heading, what it says)."""
    lines = text.split("\n")
    blocks: list[tuple[bool, str]] = []
    for is_heading, group in groupby(lines, key=_is_heading):
        if is_heading:
            blocks += [(True, line.lstrip("#").strip()) for line in group]
        else:
            blocks.append((False, "\n".join(group).strip("\n")))
    return [block for block in blocks if block[1].strip()]


def _is_heading(line: str) -> bool:
    hashes = len(line) - len(line.lstrip("#"))
    return 1 <= hashes <= 6 and line[hashes : hashes + 1] == " "
