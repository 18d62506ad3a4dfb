"""The palette finds what the person may see, and nothing else."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.views.search import search_results
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign, make_judgeable_run
from tests.support.factories import make_corpus, make_dataset

pytestmark = pytest.mark.django_db


def results_of(user: User, words: str) -> set[tuple[str, str]]:
    return {(each.kind, each.label) for each in search_results(user, words.split())}


@pytest.fixture
def harbour(annotator: User) -> None:
    dataset = make_dataset(name="Harbour passages", passage_count=1)
    corpus = make_corpus(name="Harbour archive", state="ready")
    run = make_judgeable_run(dataset=dataset, corpus=corpus, passages=1)
    make_campaign(run=run, name="Harbour study", raters=(annotator,))
    make_campaign(run=run, name="Harbour pilot")


@pytest.mark.usefixtures("harbour")
def test_a_researcher_finds_every_kind_by_words_in_any_order(researcher: User) -> None:
    kinds = {kind for kind, _ in results_of(researcher, "HARBOUR")}
    assert kinds == {"Dataset", "Corpus", "Run", "Campaign"}
    assert results_of(researcher, "archive harbour") == {("Corpus", "Harbour archive")}
    assert {kind for kind, _ in results_of(researcher, "run harbour")} == {"Run"}
    assert ("Page", "New dataset") in results_of(researcher, "new")


@pytest.mark.usefixtures("harbour")
def test_a_rater_finds_their_campaigns_alone(annotator: User, stranger: User) -> None:
    assert results_of(annotator, "harbour") == {("Campaign", "Harbour study")}
    assert results_of(stranger, "harbour") == set()
    assert {"New dataset", "People"} & {label for _, label in results_of(annotator, "")} == set()


@pytest.mark.usefixtures("harbour")
def test_it_is_a_page_without_scripts_and_a_list_for_the_palette(as_researcher: Client) -> None:
    page = as_researcher.get("/search/?q=archive").content.decode()
    assert "<h1>Search</h1>" in page
    with CaptureQueriesContext(connection) as queries:
        part = as_researcher.get("/search/?q=archive", headers={"HX-Request": "true"})
    assert len(queries) <= 6
    assert "<h1" not in part.content.decode()
    assert re.findall('href="/corpora/[^"]+"', part.content.decode())
    assert "No results for" in as_researcher.get("/search/?q=xyzzy").content.decode()


@pytest.mark.usefixtures("harbour")
@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("results", "Results"),
        ("table", "Results"),
        ("latex", "Results"),
        ("latex", "Results: Harbour study"),
        ("export", "Export: Harbour study"),
        ("export pilot", "Export: Harbour pilot"),
        ("raters", "Raters: Harbour study"),
        ("invite", "Add raters: Harbour study"),
        ("api", "API reference"),
        ("token", "API tokens"),
        ("password", "Account"),
        ("second factor", "Second factor"),
        ("corpus", "Corpora"),
        ("documents", "New corpus"),
        ("upload", "New dataset"),
        ("systems", "Systems and strategies"),
    ],
)
def test_the_words_people_use_find_pages_and_actions(
    researcher: User, words: str, label: str
) -> None:
    assert label in {label for _, label in results_of(researcher, words)}


@pytest.mark.usefixtures("harbour")
def test_labels_come_before_other_words(researcher: User) -> None:
    labels = [each.label for each in search_results(researcher, ["results"])]
    assert labels[:3] == ["Results", "Results: Harbour pilot", "Results: Harbour study"]


@pytest.mark.usefixtures("harbour")
def test_a_rater_finds_no_page_of_researchers(annotator: User) -> None:
    for words in ("results", "export", "token", "invite", "upload"):
        assert {kind for kind, _ in results_of(annotator, words)} <= {"Campaign"}, words
    assert results_of(annotator, "password") == {("Page", "Account")}
