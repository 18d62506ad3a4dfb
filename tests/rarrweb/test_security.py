"""Nobody is in by default: who gets which page, and who is told that there is none."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.resolvers import LocalePrefixPattern, RegexPattern, RoutePattern

from pipeline.models import Document, PassageNote, Revision, Trial, Upload
from pipeline.urls import urlpatterns as pipeline_urls
from rarrweb.accounts.models import User
from tests.browser.every_page import visits
from tests.support.exports import make_campaign
from tests.support.factories import make_corpus, make_dataset, make_revision, make_run, make_user

OPEN = {
    "accounts:log-in",
    "accounts:accept-invitation",
    "accounts:new-password",
    "annotation:join",
    "annotation:enter",
    "annotation:shared-revision",
    "healthz",
}
"""The whole list of what answers without a log-in."""
SAMPLES = {"int": "1", "slug": "some-slug", "str": "some-text", "path": "a/b", "uuid": "0" * 32}


def all_patterns(
    resolver: URLResolver, prefix: str = "", namespace: str = ""
) -> Iterator[tuple[str, str]]:
    """Name and a sample address of every pattern of the site."""
    for entry in resolver.url_patterns:
        here = prefix + sample_of(entry.pattern)
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from all_patterns(entry, here, inner)
        elif isinstance(entry, URLPattern):
            yield f"{namespace}{entry.name or here}", here


def sample_of(pattern: RoutePattern | RegexPattern | LocalePrefixPattern) -> str:
    """An address that fits the pattern."""
    if isinstance(pattern, RoutePattern):
        return re.sub(r"<(?:(\w+):)?\w+>", lambda found: SAMPLES[found[1] or "str"], str(pattern))
    text = str(pattern).removeprefix("^").removesuffix("$").removesuffix("\\Z")
    text = re.sub(r"\(\?P<\w+>[^()]*\)", "some-text", text)
    return re.sub(r"\([^()|]*\|?[^()]*\)", "some-text", text)


ADDRESSES = sorted(set(all_patterns(get_resolver())))


def test_the_walk_finds_every_room() -> None:
    names = {name for name, _ in ADDRESSES}
    assert {"home", "healthz", "accounts:people", "annotation:campaigns", "admin:index"} <= names
    assert {"pipeline:datasets", "pipeline:runs", "annotation:join"} <= names
    assert names >= OPEN


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize(
    ("name", "address"), [pytest.param(*pair, id=pair[0]) for pair in ADDRESSES]
)
def test_without_a_log_in_nothing_else_answers(
    client: Client, db: None, name: str, address: str, method: str
) -> None:
    response = getattr(client, method)(f"/{address}")
    to_log_in = response.status_code == 302 and response["Location"].startswith(
        ("/log-in/?next=", "/admin/login/?next=")
    )
    # A program that calls the API gets a status, not a page.
    refused = address.startswith("api/") and response.status_code in {401, 403}
    if name in OPEN:
        assert not to_log_in
    else:
        assert to_log_in or refused, (response.status_code, response.headers.get("Location"))


@pytest.mark.parametrize("path", ["/admin/", "/admin/accounts/user/", "/admin/login/"])
def test_the_admin_sends_a_stranger_to_the_one_log_in(client: Client, db: None, path: str) -> None:
    response = client.get(path, follow=True)
    assert response.redirect_chain[-1][0].startswith("/log-in/?next=")


def test_healthz_tells_nothing_but_health(client: Client, db: None) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


@pytest.fixture
def lab(db: None) -> dict[str, object]:
    """One of everything that the lab owns: the value of every argument of its addresses."""
    dataset, corpus = make_dataset(slug="lab"), make_corpus(slug="lab")
    run = make_run(dataset=dataset, corpus=corpus)
    revision = make_revision(run, state=Revision.State.DONE)
    document = Document.objects.create(corpus=corpus, external_id="d", text="-", content_hash="-")
    return {
        "slug": "lab",
        "run_id": run.pk,
        "revision_id": revision.pk,
        "passage_id": revision.passage_id,
        "document_id": document.pk,
        "upload_id": Upload.objects.create(
            kind=Upload.Kind.PASSAGES, dataset=dataset, file_name="p.jsonl", stored_name="p"
        ).pk,
        "note_id": PassageNote.objects.create(passage=revision.passage, text="-").pk,
        "trial_id": Trial.objects.create(owner=make_user(), config={}).pk,
        "token": "of-nobody",
        "name": "edit",  # a prompt's
        "form": "svg",
    }


EVERYBODYS = {"model"}
"""Pages that show nothing of the lab's: whoever is logged in may read a model card."""
ARGUMENTS = {
    str(entry.name): list(entry.pattern.converters)
    for entry in pipeline_urls
    if entry.name not in EVERYBODYS
}


def address_of(name: str, lab: dict[str, object]) -> str:
    return reverse(f"pipeline:{name}", kwargs={key: lab[key] for key in ARGUMENTS[name]})


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_the_labs_pages_are_not_there_for_members(
    client: Client, stranger: User, lab: dict[str, object], name: str
) -> None:
    address = address_of(name, lab)
    client.force_login(stranger)
    answers = {client.get(address).status_code, client.post(address).status_code}
    assert answers <= {404, 405}
    assert 404 in answers


OWN = {
    "home", "accounts:account", "annotation:campaigns", "annotation:adjudications",
    "annotation:own-items", "annotation:next-task", "pipeline:model",
    "pipeline:shared-trial", "help", "help-document", "search",
}  # fmt: skip
"""What an account alone opens: pages of one's own work, empty here, and the model cards."""
OF_CAMPAIGNS = [
    pytest.param(address, id=name)
    for name, address in ADDRESSES
    if address.startswith("campaigns/some-slug/")
]


@pytest.mark.parametrize("address", OF_CAMPAIGNS)
def test_a_campaigns_addresses_are_not_there_for_others(
    client: Client, stranger: User, address: str
) -> None:
    make_campaign(slug="some-slug")
    client.force_login(stranger)
    answers = {client.get(f"/{address}").status_code, client.post(f"/{address}").status_code}
    assert answers <= {404, 405}
    assert 404 in answers


def test_an_account_alone_opens_no_page_of_anybody_elses(client: Client, stranger: User) -> None:
    client.force_login(stranger)
    opened = {
        visit.path: visit.name
        for visit in visits()
        if visit.name not in OPEN | OWN and client.get(visit.path).status_code != 404
    }
    assert opened == {}


SHOWN = [
    "datasets", "dataset", "new-dataset", "passage", "corpora", "corpus", "document", "upload",
    "runs", "run", "run-status", "run-revisions", "compare", "prompts", "prompt",
]  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_and_are_there_for_researchers(
    as_researcher: Client, lab: dict[str, object], name: str
) -> None:
    assert as_researcher.get(address_of(name, lab)).status_code == 200
