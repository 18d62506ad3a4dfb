"""Try a passage: what starts one, who sees it, and what may be done with it."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pipeline.demo_data import CORPUS
from pipeline.engine.configuration import RunConfig
from pipeline.models import Corpus, Dataset, Revision, SharedRevision
from pipeline.rarr import types as rarr
from pipeline.rarr.serialization import to_plain
from pipeline.rarr.types import Passage, Query
from pipeline.runs.stored_revisions import columns_of
from pipeline.trials import lifecycle
from rarrweb.accounts.models import User
from tests.support.factories import make_corpus, make_dataset, make_user
from tests.support.pages import url_of
from tests.support.scripted_engine import in_capitals

pytestmark = pytest.mark.django_db

URL = "/try/"


@pytest.fixture
def corpus() -> Corpus:
    return make_corpus(name=CORPUS, slug="demo", state=Corpus.State.READY, document_count=57)


@pytest.fixture
def trial(researcher: User, corpus: Corpus) -> Revision:
    return lifecycle.start_trial(
        owner=researcher,
        text="The Ribble flows into the North Sea.",
        context="Where does it end?",
        config=RunConfig.from_settings(),
        corpus=corpus,
    )


def finish(trial: Revision) -> None:
    passage = Passage(id="1", text=trial.original_text, context=trial.context)
    done = {"state": Revision.State.DONE, "finished_at": timezone.now()}
    Revision.objects.filter(pk=trial.pk).update(**done, **columns_of(in_capitals(passage)))
    trial.refresh_from_db()


def test_a_trial_searches_a_corpus_or_pasted_sources_and_files(
    as_researcher: Client, researcher: User, corpus: Corpus
) -> None:
    given: dict[str, Any] = {"text": "It is\r\nlong.", "where": "corpus", "corpus": "demo"}
    answer = as_researcher.post(URL, given)
    trial = Revision.objects.get()
    assert answer["Location"] == url_of("trial", trial.pk)
    assert (trial.original_text, trial.run.corpus) == ("It is\nlong.", corpus)
    assert trial.run.dataset.trial_owner == researcher
    assert (trial.run.system, trial.state) == ("rarr", Revision.State.QUEUED)
    sources = {
        "text": "It is long.",
        "where": "sources",
        "sources": "# Ribble\r\nThe Ribble is long.\r\n---\r\nThe Wyre is short.",
        "files": [SimpleUploadedFile("lune.html", b"<title>Lune</title><p>The Lune flows.</p>")],
    }
    as_researcher.post(URL, sources)
    trial = Revision.objects.latest("pk")
    reported = [(each["title"], each["text"]) for each in trial.passage.source.extra["sources"]]
    assert reported == [
        ("Ribble", "# Ribble\nThe Ribble is long."),
        ("source 2", "The Wyre is short."),
        ("Lune", "The Lune flows."),
    ]
    assert (trial.run.corpus, trial.run.config["search"]) == (None, "sources")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"where": "corpus", "corpus": "demo"}, "Paste the text to revise."),
        ({"text": "x", "where": "corpus"}, "Choose a corpus to search in."),
        ({"text": "x", "where": "sources"}, "Paste a source"),
        ({"text": "x" * 20_001, "where": "corpus", "corpus": "demo"}, "at most 20000"),
    ],
)
def test_what_is_missing_is_reported(
    as_researcher: Client, corpus: Corpus, given: dict[str, str], expected: str
) -> None:
    answer = as_researcher.post(URL, given)
    assert expected in answer.content.decode()
    assert 'id="form-errors"' in answer.content.decode()
    assert not Revision.objects.exists()


def test_addresses_are_taken_only_where_the_web_is_searched(
    as_researcher: Client, corpus: Corpus, settings: Any
) -> None:
    assert "Web pages" not in as_researcher.get(URL).content.decode()
    settings.RARR_SEARCH = "corpus+searxng:http://localhost:8888"
    given = {"text": "x", "where": "sources", "addresses": "ftp://a.example/"}
    assert "ftp://a.example/" in as_researcher.post(URL, given).content.decode()
    as_researcher.post(URL, given | {"addresses": "https://a.example/page"})
    assert Revision.objects.get().passage.source.extra["sources"] == [
        {"url": "https://a.example/page"}
    ]


def test_the_example_brings_its_sources_or_uses_the_demo_corpus(as_researcher: Client) -> None:
    page = as_researcher.get(URL).text
    assert "57 short documents" in page
    assert "Choose a corpus" not in page
    as_researcher.post("/try/example/")
    assert len(Revision.objects.get().passage.source.extra["sources"]) == 57
    demo = make_corpus(name=CORPUS, slug="demo", state=Corpus.State.READY, document_count=57)
    as_researcher.post("/try/example/")
    trial = Revision.objects.latest("pk")
    assert (trial.run.corpus, trial.passage.source.extra) == (demo, {})
    assert trial.original_text.startswith("The Forth Bridge")


def test_the_page_tells_each_state(as_researcher: Client, trial: Revision) -> None:
    page = url_of("trial", trial.pk)
    waiting = as_researcher.get(page).content.decode()
    assert "Waiting for a worker…" in waiting
    assert "No worker is running." in waiting
    Revision.objects.update(state=Revision.State.RUNNING)
    assert "Loading models…" in as_researcher.get(page).content.decode()
    passage = Passage(id="1", text=trial.original_text)
    partial = rarr.Revision(passage=passage, text=passage.text, queries=(Query(text="Which sea?"),))
    Revision.objects.update(started_at=timezone.now(), result=to_plain(partial))
    at_work = as_researcher.get(page).content.decode()
    assert "Revising…" in at_work
    assert "Which sea?" in at_work
    finish(trial)
    done = as_researcher.get(page).content.decode()
    assert "THE RIBBLE" in done
    assert f'hx-get="{page}status/' not in done
    assert f'hx-get="{page}status/' in at_work
    failed = {"failure": "WorkerCrashed", "failure_message": "Skipped: two workers crashed."}
    Revision.objects.update(state=Revision.State.FAILED, **failed)
    assert "Skipped: two workers crashed." in as_researcher.get(page).content.decode()


def test_a_page_is_sent_again_only_for_news(as_researcher: Client, trial: Revision) -> None:
    status = url_of("trial-status", trial.pk)
    assert as_researcher.get(status).status_code == 200
    seen = f"{status}?seen={as_researcher.get(status).context['seen']}"
    assert as_researcher.get(seen).status_code == 204
    Revision.objects.update(state=Revision.State.RUNNING)
    assert as_researcher.get(seen).status_code == 200
    finish(trial)
    assert as_researcher.get(seen)["HX-Refresh"] == "true"


def test_it_is_added_to_a_dataset(as_researcher: Client, trial: Revision) -> None:
    finish(trial)
    as_researcher.post(url_of("keep-trial", trial.pk), {"name": "Rivers"})
    dataset = Dataset.objects.get(name="Rivers")
    assert dataset.passage_count == 1
    passage = dataset.passages.get()
    assert (passage.text, passage.context) == (trial.original_text, "Where does it end?")
    other = make_dataset(name="Lakes")
    for _ in range(2):
        as_researcher.post(url_of("keep-trial", trial.pk), {"dataset": other.slug})
    assert other.passages.count() == 1
    assert (
        "/runs/new/?system=rarr&amp;corpus=demo"
        in as_researcher.get(url_of("trial", trial.pk)).text
    )
    answer = as_researcher.post(url_of("keep-trial", trial.pk), {"name": ""})
    assert "Write a name for the new dataset" in answer.text


def test_its_owner_alone_shares_it(as_researcher: Client, trial: Revision) -> None:
    finish(trial)
    answer = as_researcher.post(url_of("share-revision", trial.pk), follow=True)
    link = reverse("shared-revision", args=[SharedRevision.objects.get().token])
    assert link in answer.content.decode()
    assert "THE RIBBLE" in Client().get(link).content.decode()
    other = Client()
    other.force_login(make_user("rob", role=User.Role.RESEARCHER))
    for name in ("share-revision", "unshare-revision"):
        assert other.post(url_of(name, trial.pk)).status_code == 404
    as_researcher.post(url_of("unshare-revision", trial.pk))
    assert Client().get(link).status_code == 404
