"""Search over pages, actions and objects that the user may see."""

from collections.abc import Iterator, Sequence
from itertools import islice
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
from rarrweb.help.documents import documents_for

MAX_PER_KIND = 6

# URL name: label, and other words that find it.
PAGES = {
    "home": ("Home", "start overview"),
    "annotation:campaigns": ("Campaigns", "studies annotation raters judgments"),
    "annotation:my-items": ("Your items", "annotate judge tasks"),
    "accounts:account": ("Account", "profile change password sessions log out"),
    "mfa_index": ("Second factor", "two-factor 2fa authenticator codes security"),
    "my-data": ("Your data", "erase delete account privacy"),
    "help": ("Help", "documentation guide manual"),
}
RESEARCHERS_PAGES = {
    "pipeline:try": ("Try a passage", "demo example revise"),
    "pipeline:datasets": ("Datasets", "passages data download"),
    "pipeline:new-dataset": ("New dataset", "upload import passages file csv jsonl"),
    "pipeline:corpora": ("Corpora", "corpus documents evidence sources index"),
    "pipeline:new-corpus": ("New corpus", "upload import documents evidence"),
    "pipeline:runs": ("Runs", "systems experiments"),
    "pipeline:new-run": ("New run", "start system revise"),
    "pipeline:compare": ("Compare runs", "systems"),
    "joined-results": ("Results", "table latex csv figures paper"),
    "new-campaign": ("New campaign", "start study annotation raters"),
    "annotation:adjudications": ("Adjudicate", "disagreements split answers"),
    "accounts:tokens": ("API tokens", "key programs scripts"),
    "api:docs": ("API reference", "rest openapi swagger programs"),
}
ADMINISTRATORS_PAGES = {
    "accounts:people": ("People", "users accounts roles reset password second factor"),
    "accounts:invite": ("Invite a person", "invitation link user account"),
}
CAMPAIGNS_PAGES = {
    "annotation:results": ("Results", "table latex csv figures agreement"),
    "annotation:export": ("Export", "download package hagrid jsonl csv"),
    "annotation:add-raters": ("Add raters", "invite link people"),
    "annotation:raters": ("Raters", "people progress"),
    "annotation:guidelines": ("Instructions", "guidelines"),
    "annotation:campaign-settings": ("Settings", "configuration"),
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
    """Return pages, and the newest objects and campaigns' pages, matches by label first.

    Without words, only pages.
    """
    pages = {
        **PAGES,
        **(RESEARCHERS_PAGES if user.is_researcher else {}),
        **(ADMINISTRATORS_PAGES if user.is_administrator else {}),
    }
    results = [
        SearchResult(label=label, kind="Page", url=reverse(name))
        for name, (label, more) in pages.items()
        if _has_all(words, f"{label} {more}")
    ]
    if words:
        results += [*_objects(user, words), *_campaign_pages(user, words), *_help(user, words)]
    return sorted(results, key=lambda each: not _has_all(words, each.label))


def _has_all(words: Sequence[str], text: str) -> bool:
    return all(word.casefold() in text.casefold() for word in words)


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


def _campaign_pages(user: User, words: Sequence[str]) -> Iterator[SearchResult]:
    pages = [
        (name, label, f"{label} {more}")
        for name, (label, more) in CAMPAIGNS_PAGES.items()
        if any(_has_all([word], f"{label} {more}") for word in words)
    ]
    if not pages:
        return
    campaigns = Campaign.objects.led_by(user).current().exclude(state=Campaign.State.DRAFT)
    for campaign in campaigns[:MAX_PER_KIND]:
        for name, label, text in pages:
            if _has_all(words, f"{text} {campaign.name}"):
                url = reverse(name, args=[campaign.slug])
                yield SearchResult(label=f"{label}: {campaign.name}", kind="Page", url=url)


def _help(user: User, words: Sequence[str]) -> Iterator[SearchResult]:
    matches = (each for each in documents_for(user).values() if _has_all(words, each.title))
    for document in islice(matches, MAX_PER_KIND):
        yield SearchResult(label=document.title, kind="Help", url=document.url)
