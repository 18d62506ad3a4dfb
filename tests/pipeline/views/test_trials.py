"""Try a passage: what starts one, who sees it, and what may be done with it."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from pipeline.demo_data import CORPUS
from pipeline.engine.configuration import RunConfig
from pipeline.jobs import leases
from pipeline.models import Corpus, Dataset, Trial
from pipeline.rarr.plain import to_plain
from pipeline.rarr.types import Passage, Query, Revision
from pipeline.runs.stored_revisions import columns_of
from pipeline.trials import lifecycle
from pipeline.workers import registry
from rarrweb.accounts.models import User
from tests.support.factories import make_corpus, make_dataset, make_user
from tests.support.scripted_engine import in_capitals

pytestmark = pytest.mark.django_db

URL = "/try/"


@pytest.fixture
def corpus() -> Corpus:
    return make_corpus(name=CORPUS, slug="demo", state=Corpus.State.READY, document_count=57)


@pytest.fixture
def trial(researcher: User, corpus: Corpus) -> Trial:
    return lifecycle.start_trial(
        owner=researcher,
        text="The Ribble flows into the North Sea.",
        context="Where does it end?",
        config=RunConfig.from_settings(),
        corpus=corpus,
    )


def finish(trial: Trial) -> None:
    passage = Passage(id="1", text=trial.original_text, context=trial.context)
    done = {"state": Trial.State.DONE, "finished_at": timezone.now()}
    Trial.objects.filter(pk=trial.pk).update(**done, **columns_of(in_capitals(passage)))
    trial.refresh_from_db()


def url(name: str, trial: Trial) -> str:
    return reverse(f"pipeline:{name}", args=[trial.pk])


def test_a_text_and_a_corpus_are_enough(
    as_researcher: Client, researcher: User, corpus: Corpus
) -> None:
    given = {"text": "It is\r\nlong.", "where": "corpus", "corpus": "demo"}
    answer = as_researcher.post(URL, given)
    trial = Trial.objects.get()
    assert answer["Location"] == trial.get_absolute_url()
    assert (trial.original_text, trial.corpus, trial.owner) == ("It is\nlong.", corpus, researcher)
    assert (trial.system, trial.state) == ("rarr", Trial.State.QUEUED)


def test_pasted_sources_and_files_are_documents(as_researcher: Client, corpus: Corpus) -> None:
    given: dict[str, Any] = {
        "text": "It is long.",
        "where": "sources",
        "sources": "# Ribble\r\nThe Ribble is long.\r\n---\r\nThe Wyre is short.",
        "files": [SimpleUploadedFile("lune.html", b"<title>Lune</title><p>The Lune flows.</p>")],
    }
    as_researcher.post(URL, given)
    trial = Trial.objects.get()
    told = [(each["title"], each["text"]) for each in trial.sources]
    assert told == [
        ("Ribble", "# Ribble\nThe Ribble is long."),
        ("source 2", "The Wyre is short."),
        ("Lune", "The Lune flows."),
    ]
    assert (trial.corpus, trial.config["search"]) == (None, "corpus")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"where": "corpus", "corpus": "demo"}, "Paste the text to revise."),
        ({"text": "x", "where": "corpus"}, "Choose a corpus to search in."),
        ({"text": "x", "where": "sources"}, "Paste a source"),
        ({"text": "x" * 20_001, "where": "corpus", "corpus": "demo"}, "at most 20000"),
    ],
)
def test_what_is_missing_is_said(
    as_researcher: Client, corpus: Corpus, given: dict[str, str], says: str
) -> None:
    answer = as_researcher.post(URL, given)
    assert says in answer.content.decode()
    assert 'id="form-errors"' in answer.content.decode()
    assert not Trial.objects.exists()


def test_addresses_are_taken_only_where_the_web_is_searched(
    as_researcher: Client, corpus: Corpus, settings: Any
) -> None:
    assert "Web pages" not in as_researcher.get(URL).content.decode()
    settings.RARR_SEARCH = "corpus+searxng:http://localhost:8888"
    given = {"text": "x", "where": "sources", "addresses": "ftp://a.example/"}
    assert "ftp://a.example/" in as_researcher.post(URL, given).content.decode()
    as_researcher.post(URL, given | {"addresses": "https://a.example/page"})
    assert Trial.objects.get().sources == [{"url": "https://a.example/page"}]


def test_the_example_is_one_click_with_the_demo_corpus(
    as_researcher: Client, corpus: Corpus
) -> None:
    as_researcher.post("/try/example/")
    trial = Trial.objects.get()
    assert (trial.corpus, trial.sources) == (corpus, [])
    assert trial.original_text.startswith("The Forth Bridge")


def test_the_example_brings_its_sources_where_there_is_no_demo(as_researcher: Client) -> None:
    page = as_researcher.get(URL).content.decode()
    assert "57 short documents" in page
    assert "Choose a corpus" not in page
    as_researcher.post("/try/example/")
    assert len(Trial.objects.get().sources) == 57


def test_the_page_tells_each_state(as_researcher: Client, trial: Trial) -> None:
    page = trial.get_absolute_url()
    waiting = as_researcher.get(page).content.decode()
    assert "Waiting for a worker…" in waiting
    assert "No worker is running." in waiting
    Trial.objects.update(state=Trial.State.RUNNING)
    assert "Loading models…" in as_researcher.get(page).content.decode()
    passage = Passage(id="1", text=trial.original_text)
    partial = Revision(passage=passage, text=passage.text, queries=(Query(text="Which sea?"),))
    Trial.objects.update(started_at=timezone.now(), result=to_plain(partial))
    at_work = as_researcher.get(page).content.decode()
    assert "Revising…" in at_work
    assert "Which sea?" in at_work
    finish(trial)
    done = as_researcher.get(page).content.decode()
    assert "THE RIBBLE" in done
    assert f'hx-get="{page}status/' not in done
    assert f'hx-get="{page}status/' in at_work
    failed = {"failure": "GaveUp", "failure_message": "Set aside: two workers died."}
    Trial.objects.update(state=Trial.State.FAILED, **failed)
    assert "Set aside: two workers died." in as_researcher.get(page).content.decode()


def test_a_page_is_sent_again_only_for_news(as_researcher: Client, trial: Trial) -> None:
    status = url("trial-status", trial)
    assert as_researcher.get(status).status_code == 200
    Trial.objects.update(news=3)
    assert as_researcher.get(f"{status}?seen=3&worker=False&silent=False").status_code == 204
    assert as_researcher.get(f"{status}?seen=2&worker=False&silent=False").status_code == 200
    finish(trial)
    assert as_researcher.get(f"{status}?seen=3&worker=False")["HX-Refresh"] == "true"


def test_a_silent_worker_is_told_and_the_passage_tried_again(
    as_researcher: Client, trial: Trial, settings: Settings
) -> None:
    registry.beat("another worker")
    token = leases.claim(Trial.objects.waiting(), trial.pk, state=Trial.State.RUNNING)
    status = f"{url('trial-status', trial)}?seen=0&worker=True&silent=False"
    assert as_researcher.get(status).status_code == 204
    as_researcher.post(url("retry-trial", trial))
    trial.refresh_from_db()
    assert trial.claim == token, "a worker that was heard keeps its passage"
    heard = timezone.now() - timedelta(seconds=lifecycle.SILENT_SECONDS + 1)
    Trial.objects.update(lease_until=heard + timedelta(seconds=settings.LEASE_SECONDS))
    told = as_researcher.get(status).content.decode()
    assert "Nothing was heard from the worker for 15 seconds" in told
    assert "Revising…" not in told
    assert "Try again" in told
    as_researcher.post(url("retry-trial", trial))
    trial.refresh_from_db()
    assert (trial.state, trial.lost_leases) == (Trial.State.QUEUED, 1)
    assert not leases.where_mine(Trial, trial.pk, token).exists(), (
        "the silent worker writes no more"
    )
    assert "Try again" not in as_researcher.get(status).content.decode()


def test_it_is_kept_in_a_new_and_in_an_existing_dataset(
    as_researcher: Client, trial: Trial
) -> None:
    finish(trial)
    as_researcher.post(url("keep-trial", trial), {"name": "Rivers"})
    dataset = Dataset.objects.get(name="Rivers")
    assert dataset.passage_count == 1
    passage = dataset.passages.get()
    assert (passage.text, passage.context) == (trial.original_text, "Where does it end?")
    other = make_dataset(name="Lakes")
    for _ in range(2):
        as_researcher.post(url("keep-trial", trial), {"dataset": other.slug})
    assert other.passages.count() == 1
    page = as_researcher.get(trial.get_absolute_url()).content.decode()
    assert f"/runs/new/?system=rarr&amp;corpus=demo&amp;dataset={other.slug}" in page


def test_keeping_without_a_name_says_so(as_researcher: Client, trial: Trial) -> None:
    finish(trial)
    answer = as_researcher.post(url("keep-trial", trial), {"name": ""})
    assert "Write a name for the new dataset" in answer.content.decode()


def test_whoever_is_logged_in_reads_it_by_the_link_until_it_is_revoked(
    client: Client, researcher: User, trial: Trial
) -> None:
    finish(trial)
    client.force_login(researcher)
    client.post(url("share-trial", trial))
    trial.refresh_from_db()
    link = reverse("pipeline:shared-trial", args=[trial.share_token])
    assert link in client.get(trial.get_absolute_url()).content.decode()
    reader = Client()
    assert reader.get(link).status_code == 302, "log-in is required everywhere"
    reader.force_login(make_user("anna"))
    page = reader.get(link).content.decode()
    assert "THE RIBBLE" in page
    assert "Keep it" not in page
    assert reader.get(trial.get_absolute_url()).status_code == 404
    client.post(url("unshare-trial", trial))
    assert reader.get(link).status_code == 404


NAMES = ["trial-status", "retry-trial", "keep-trial", "share-trial", "unshare-trial"]


@pytest.mark.parametrize("name", NAMES)
def test_another_researcher_finds_nothing(client: Client, trial: Trial, name: str) -> None:
    client.force_login(make_user("rob", role=User.Role.RESEARCHER))
    send = client.get if name == "trial-status" else client.post
    assert send(url(name, trial)).status_code == 404
    assert client.get(trial.get_absolute_url()).status_code == 404


def test_it_refuses_an_annotator(client: Client, annotator: User) -> None:
    client.force_login(annotator)
    assert client.get(URL).status_code == 404
    assert client.post("/try/example/").status_code == 404


def test_the_page_costs_few_queries(
    as_researcher: Client, trial: Trial, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(12):
        as_researcher.get(URL)
    finish(trial)
    with django_assert_max_num_queries(12):
        as_researcher.get(trial.get_absolute_url())
