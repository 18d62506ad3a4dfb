"""Search over pages and objects that the user may see."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.models import Campaign
from pipeline.models import Corpus, Dataset, Run
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.models import User

MAX_PER_KIND = 6

PAGES = {
    "home": "Home",
    "annotation:campaigns": "Campaigns",
    "annotation:my-items": "Your items",
    "accounts:account": "Account",
    "help": "Help",
}
RESEARCHERS_PAGES = {
    "pipeline:try": "Try a passage",
    "pipeline:datasets": "Datasets",
    "pipeline:new-dataset": "New dataset",
    "pipeline:corpora": "Corpora",
    "pipeline:new-corpus": "New corpus",
    "pipeline:runs": "Runs",
    "pipeline:new-run": "New run",
    "pipeline:compare": "Compare runs",
    "new-campaign": "New campaign",
    "annotation:adjudications": "Adjudicate",
}
ADMINISTRATORS_PAGES = {
    "accounts:people": "People",
    "accounts:invite": "Invite a person",
}


class SearchResult(NamedTuple):
    label: str
    kind: str
    url: str


@require_safe
def search(request: UserRequest) -> HttpResponse:
    words = request.GET.get("q", "").split()[:8]
    context = {"words": " ".join(words), "results": search_results(request.user, words)}
    name = "annotation/search/_results.html" if request.htmx else "annotation/search/search.html"
    return render(request, name, context)


def search_results(user: User, words: Sequence[str]) -> list[SearchResult]:
    """Return pages, and up to `MAX_PER_KIND` objects of each kind, newest first.

    Without words, only pages.
    """
    pages = {
        **PAGES,
        **(RESEARCHERS_PAGES if user.is_researcher else {}),
        **(ADMINISTRATORS_PAGES if user.is_administrator else {}),
    }
    matches = [
        SearchResult(label=label, kind="Page", url=reverse(name))
        for name, label in pages.items()
        if all(word.casefold() in label.casefold() for word in words)
    ]
    return [*matches, *_objects(user, words)] if words else matches


def _objects(user: User, words: Sequence[str]) -> Iterator[SearchResult]:
    by_name, of_run = Q(), Q()
    for word in words:
        by_name &= Q(name__icontains=word)
        number = word.removeprefix("#")
        by_id = Q(pk=int(number)) if number.isdecimal() and len(number) < 10 else Q()
        if word.casefold() != "run":
            of_run &= Q(system__icontains=word) | Q(dataset__name__icontains=word) | by_id
    kinds: dict[str, Any] = {
        "Dataset": Dataset.objects.visible_to(user).filter(by_name),
        "Corpus": Corpus.objects.visible_to(user).filter(by_name),
        "Run": Run.objects.of_systems().visible_to(user).select_related("dataset").filter(of_run),
        "Campaign": Campaign.objects.visible_to(user).filter(by_name),
    }
    for kind, rows in kinds.items():
        for row in rows.current()[:MAX_PER_KIND]:
            yield SearchResult(label=str(row), kind=kind, url=row.get_absolute_url())
