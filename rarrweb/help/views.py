"""Help pages."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from rarrweb.accounts.http import UserRequest
from rarrweb.help.documents import (
    INDEX,
    RATERS_INDEX,
    documents,
    documents_for,
    screenshots,
    search,
)


@require_safe
def help_document(request: UserRequest, name: str = INDEX) -> HttpResponse:
    """Show a document, or with `?q=` the sections of all documents with these words."""
    if name == INDEX and not request.user.is_researcher:
        name = RATERS_INDEX
    document = documents().get(name)
    if document is None:
        raise Http404("There is no such document.")
    words = request.GET.get("q", "").strip()
    context = {
        "document": document,
        "words": words,
        "results": search(words, documents_for(request.user).values()) if words else [],
        "is_index": name == INDEX,
    }
    return render(request, "help/document.html", context)


@require_safe
def help_screenshot(request: HttpRequest, name: str) -> FileResponse:
    if (path := screenshots().get(name)) is None:
        raise Http404("There is no such picture.")
    return FileResponse(path.open("rb"), content_type="image/png")
