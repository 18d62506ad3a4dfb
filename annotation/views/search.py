"""The palette: jump to any dataset, corpus, run, campaign or page that the person may see."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from annotation.models import Campaign
from pipeline.models import Corpus, Dataset, Run
from rarrweb.accounts.models import User
from rarrweb.http import UserRequest

MOST_OF_A_KIND = 6

PAGES = {
    "home": gettext_noop("Home"),
    "annotation:campaigns": gettext_noop("Campaigns"),
    "annotation:own-items": gettext_noop("Your items"),
    "accounts:account": gettext_noop("Account"),
    "help": gettext_noop("Help"),
}
RESEARCHERS_PAGES = {
    "pipeline:try": gettext_noop("Try a passage"),
    "pipeline:datasets": gettext_noop("Datasets"),
    "pipeline:new-dataset": gettext_noop("New dataset"),
    "pipeline:corpora": gettext_noop("Corpora"),
    "pipeline:new-corpus": gettext_noop("New corpus"),
    "pipeline:runs": gettext_noop("Runs"),
    "pipeline:new-run": gettext_noop("New run"),
    "pipeline:compare": gettext_noop("Compare runs"),
    "pipeline:prompts": gettext_noop("Prompts"),
    "annotation:new-campaign": gettext_noop("New campaign"),
    "annotation:adjudications": gettext_noop("Adjudicate"),
}
ADMINISTRATORS_PAGES = {
    "accounts:people": gettext_noop("People"),
    "accounts:invite": gettext_noop("Invite a person"),
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
    return [
        Place(label=_(label), kind=_("Page"), url=reverse(name)) for name, label in pages.items()
    ]


def _objects(user: User, words: Sequence[str]) -> Iterator[Place]:
    by_name = Q()
    for word in words:
        by_name &= Q(name__icontains=word)
    datasets = Dataset.objects.visible_to(user).current().filter(by_name)[:MOST_OF_A_KIND]
    yield from (_place(each, each.name, _("Dataset")) for each in datasets)
    corpora = Corpus.objects.visible_to(user).current().filter(by_name)[:MOST_OF_A_KIND]
    yield from (_place(each, each.name, _("Corpus")) for each in corpora)
    of_run = Q()
    for word in words:
        number = word.removeprefix("#")
        is_it = Q(pk=int(number)) if number.isdecimal() and len(number) < 10 else Q()
        named = Q(system__icontains=word) | Q(dataset__name__icontains=word) | is_it
        of_run &= named if word.casefold() not in ("run", _("run")) else Q()
    runs = (
        Run.objects.of_systems().visible_to(user).current().select_related("dataset").filter(of_run)
    )
    yield from (_place(each, str(each), _("Run")) for each in runs[:MOST_OF_A_KIND])
    campaigns = Campaign.objects.visible_to(user).current().filter(by_name)[:MOST_OF_A_KIND]
    yield from (_place(each, each.name, _("Campaign")) for each in campaigns)


def _place(row: Dataset | Corpus | Run | Campaign, label: str, kind: str) -> Place:
    return Place(label=label, kind=kind, url=row.get_absolute_url())


def _holds(label: str, words: Sequence[str]) -> bool:
    return all(word.casefold() in label.casefold() for word in words)
