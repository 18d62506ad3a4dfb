"""The palette: jump to any dataset, corpus, run, campaign or page that the person may see."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.models import Campaign
from pipeline.models import Corpus, Dataset, Run
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.models import User

MOST_OF_A_KIND = 6

PAGES = {
    "home": "Home",
    "annotation:campaigns": "Campaigns",
    "annotation:own-items": "Your items",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one can go."""

    label: str
    kind: str
    url: str


@require_safe
def search(request: UserRequest) -> HttpResponse:
    """The places that hold all the words; a whole page, or for the palette its list alone."""
    words = request.GET.get("q", "").split()[:8]
    context = {"words": " ".join(words), "places": places_of(request.user, words)}
    name = "annotation/search/_places.html" if request.htmx else "annotation/search/search.html"
    return render(request, name, context)


def places_of(user: User, words: Sequence[str]) -> list[Place]:
    """Pages, and at most `MOST_OF_A_KIND` of each kind of object, newest first; without words
    the pages alone."""
    found = [each for each in _pages(user) if _holds(each.label, words)]
    return found + list(_objects(user, words)) if words else found


def _pages(user: User) -> list[Place]:
    pages = {
        **PAGES,
        **(RESEARCHERS_PAGES if user.is_researcher else {}),
        **(ADMINISTRATORS_PAGES if user.is_administrator else {}),
    }
    return [Place(label=label, kind="Page", url=reverse(name)) for name, label in pages.items()]


def _objects(user: User, words: Sequence[str]) -> Iterator[Place]:
    by_name = Q()
    for word in words:
        by_name &= Q(name__icontains=word)
    datasets = Dataset.objects.visible_to(user).current().filter(by_name)[:MOST_OF_A_KIND]
    yield from (_place(each, each.name, "Dataset") for each in datasets)
    corpora = Corpus.objects.visible_to(user).current().filter(by_name)[:MOST_OF_A_KIND]
    yield from (_place(each, each.name, "Corpus") for each in corpora)
    of_run = Q()
    for word in words:
        number = word.removeprefix("#")
        is_it = Q(pk=int(number)) if number.isdecimal() and len(number) < 10 else Q()
        named = Q(system__icontains=word) | Q(dataset__name__icontains=word) | is_it
        of_run &= named if word.casefold() != "run" else Q()
    runs = (
        Run.objects.of_systems().visible_to(user).current().select_related("dataset").filter(of_run)
    )
    yield from (_place(each, str(each), "Run") for each in runs[:MOST_OF_A_KIND])
    campaigns = Campaign.objects.visible_to(user).current().filter(by_name)[:MOST_OF_A_KIND]
    yield from (_place(each, each.name, "Campaign") for each in campaigns)


def _place(row: Dataset | Corpus | Run | Campaign, label: str, kind: str) -> Place:
    return Place(label=label, kind=kind, url=row.get_absolute_url())


def _holds(label: str, words: Sequence[str]) -> bool:
    return all(word.casefold() in label.casefold() for word in words)
