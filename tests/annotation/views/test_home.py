"""What is next for me."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from annotation.campaigns.lifecycle import close_campaign
from annotation.campaigns.next_steps import next_step
from annotation.judging.claims import claim_next
from annotation.models import Assignment
from annotation.raters.memberships import add_member
from pipeline.models import Corpus, Dataset, Run
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign, make_judgeable_run
from tests.support.factories import make_corpus, make_dataset, make_revision, make_run, make_user

pytestmark = pytest.mark.django_db


def label(user: User) -> str:
    return next_step(user).label


@pytest.fixture
def dataset() -> Dataset:
    return make_dataset(passage_count=2)


@pytest.fixture
def corpus(dataset: Dataset) -> Corpus:
    return make_corpus(state=Corpus.State.READY)


@pytest.fixture
def finished(corpus: Corpus, dataset: Dataset) -> Run:
    return make_judgeable_run(dataset=dataset, corpus=corpus, passages=1)


def test_first_a_dataset(researcher: User) -> None:
    assert label(researcher) == "New dataset"


def test_an_empty_dataset_is_none(researcher: User) -> None:
    make_dataset(passage_count=0)
    assert label(researcher) == "New dataset"


def test_then_a_corpus(researcher: User, dataset: Dataset) -> None:
    assert label(researcher) == "New corpus"


def test_where_the_web_is_searched_no_corpus_is_wanted(
    researcher: User, dataset: Dataset, settings: Settings
) -> None:
    settings.RARR_SEARCH = "searxng:https://searx.example.org"
    assert label(researcher) == "Start a run"


def test_then_the_corpus_has_to_be_ready(researcher: User, dataset: Dataset) -> None:
    make_corpus(state=Corpus.State.INDEXING, name="Atlas")
    step = next_step(researcher)
    assert step.label == "Look at the corpus"
    assert "“Atlas” is being indexed" in step.text


def test_then_a_run(researcher: User, corpus: Corpus) -> None:
    assert label(researcher) == "Start a run"


def test_then_the_run_goes(researcher: User, corpus: Corpus, dataset: Dataset) -> None:
    make_revision(make_run(dataset=dataset, corpus=corpus))
    assert label(researcher) == "Watch it"


def test_then_a_campaign(researcher: User, finished: Run) -> None:
    step = next_step(researcher)
    assert step.label == "Start a campaign"
    assert step.url == f"/campaigns/new/?run={finished.pk}"


def test_a_cancelled_run_leads_to_itself(
    researcher: User, corpus: Corpus, dataset: Dataset
) -> None:
    make_run(dataset=dataset, corpus=corpus, state=Run.State.CANCELLED)
    assert label(researcher) == "Look at the run"


def test_then_raters(researcher: User, finished: Run) -> None:
    make_campaign(run=finished)
    assert label(researcher) == "Invite raters"


def test_then_progress_and_then_the_export(
    researcher: User, annotator: User, finished: Run
) -> None:
    campaign = make_campaign(run=finished, raters=(annotator,))
    assert label(researcher) == "See the progress"
    claimed = claim_next(annotator, campaign=campaign)
    assert isinstance(claimed, Assignment)
    judge_everything(claimed)
    assert label(researcher) == "Export the dataset"


def test_a_new_person_is_told_how_they_get_in(client: Client, stranger: User) -> None:
    client.force_login(stranger)
    page = client.get("/").content.decode()
    assert "Nothing to judge yet" in page
    assert "New dataset" not in page


def test_a_rater_goes_on_with_one_click(client: Client, annotator: User) -> None:
    campaign = make_campaign(raters=(annotator,))
    client.force_login(annotator)
    start = f'<form method="post" action="/tasks/next/?campaign={campaign.slug}">'
    page = client.get("/").content.decode()
    assert start in page
    assert "Start annotating" in page
    claim_next(annotator)
    assert "Continue" in client.get("/").content.decode()


def test_a_finished_or_closed_campaign_asks_for_nothing(client: Client, annotator: User) -> None:
    campaign = make_campaign(passages=1, raters=(annotator,))
    client.force_login(annotator)
    claimed = claim_next(annotator)
    assert isinstance(claimed, Assignment)
    judge_everything(claimed)
    assert "Everything is judged" in client.get("/").content.decode()
    close_campaign(campaign)
    page = client.get("/").content.decode()
    assert "Closed." in page
    assert "/tasks/next/" not in page


def test_who_has_judged_every_item_waits_for_the_others(client: Client, annotator: User) -> None:
    make_campaign(passages=1, raters=(annotator,), raters_per_item=2)
    claimed = claim_next(annotator)
    assert isinstance(claimed, Assignment)
    judge_everything(claimed)
    client.force_login(annotator)
    assert "All yours are done" in client.get("/").content.decode()


def test_what_others_have_finished_is_not_left_for_me(client: Client, annotator: User) -> None:
    quick = make_user()
    make_campaign(passages=1, raters=(annotator, quick))
    claimed = claim_next(quick)
    assert isinstance(claimed, Assignment)
    judge_everything(claimed)
    client.force_login(annotator)
    page = client.get("/").content.decode()
    assert "Everything is judged" in page
    assert "left for you" not in page


def test_the_home_page_needs_no_more_queries_for_more_campaigns(
    client: Client, researcher: User
) -> None:
    run = make_judgeable_run(
        dataset=make_dataset(passage_count=1), corpus=make_corpus(state="ready")
    )
    client.force_login(researcher)
    counts = []
    for _ in range(2):
        for _ in range(3):
            add_member(make_campaign(run=run), user=researcher)
        with CaptureQueriesContext(connection) as queries:
            assert client.get("/").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
