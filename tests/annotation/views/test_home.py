"""What is next for me."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.campaigns.lifecycle import close_campaign
from annotation.home.researcher_home import load_dashboard
from annotation.judging.claims import claim_next
from annotation.models import Judgment, Pause
from annotation.questions import rater_questions
from annotation.raters.memberships import add_member
from annotation.results.cached_figures import FigureCache
from pipeline.models import Corpus, Dataset, Revision, Run
from rarrweb.accounts.invitation_links import make_link
from rarrweb.accounts.models import Invitation, User
from tests.support.campaigns import judge_everything, make_campaign, make_judgeable_run
from tests.support.factories import make_corpus, make_dataset, make_revision, make_run, make_user
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


def titles(user: User) -> list[str]:
    return [each.title for each in load_dashboard(user, FigureCache())["waiting"]]


@pytest.fixture
def dataset() -> Dataset:
    return make_dataset(passage_count=2)


@pytest.fixture
def corpus(dataset: Dataset) -> Corpus:
    return make_corpus(state=Corpus.State.READY)


@pytest.fixture
def finished(corpus: Corpus, dataset: Dataset) -> Run:
    return make_judgeable_run(dataset=dataset, corpus=corpus, passages=1)


def next_step(client: Client) -> list[str]:
    """Return the address of each primary button."""
    page = client.get("/").content.decode()
    return re.findall(r'<a\s+class="button primary"\s+href="([^"]*)"', page)


def test_the_primary_button_is_the_next_step_until_something_is_exported(
    as_researcher: Client, annotator: User
) -> None:
    assert next_step(as_researcher) == ["/datasets/new/"]
    dataset = make_dataset(passage_count=1)
    assert next_step(as_researcher) == ["/corpora/new/"]
    corpus = make_corpus(state=Corpus.State.INDEXING)
    assert next_step(as_researcher) == [corpus.get_absolute_url()]
    Corpus.objects.update(state=Corpus.State.READY)
    assert next_step(as_researcher) == ["/runs/new/"]
    run = make_run(dataset=dataset, corpus=corpus)
    assert next_step(as_researcher) == [run.get_absolute_url()]
    run.delete()
    group = {"dataset": dataset, "corpus": corpus, "group": uuid4(), "passages": 1}
    runs = [make_judgeable_run(**group) for _ in range(2)]
    numbers = "&amp;".join(f"run={each.pk}" for each in reversed(runs))
    assert next_step(as_researcher) == [f"/campaigns/new/?{numbers}"]

    campaign = make_campaign(run=runs[0], raters_per_item=2)
    address = campaign.get_absolute_url()
    assert next_step(as_researcher) == [f"{address}members/"]
    other = make_user()
    for rater in (annotator, other):
        add_member(campaign, user=rater)
    assert next_step(as_researcher) == [address]
    judge_everything(claim(annotator))
    judge_everything(claim(other), False)
    adjudicate = f"/adjudicate/?campaign={campaign.slug}&amp;start=1"
    assert next_step(as_researcher) == [adjudicate]
    Judgment.objects.update(value=1)
    assert next_step(as_researcher) == [f"{address}results/"]
    page = as_researcher.get("/").content.decode()
    assert f'href="{address}export/"' in page
    assert "4 of 5 steps done" in page
    assert '<a href="/results/">Results and export</a>' in page

    as_researcher.get(f"{address}export/?format=csv")
    assert next_step(as_researcher) == ["/runs/new/"]
    page = as_researcher.get("/").content.decode()
    assert "steps done" not in page
    assert "Exported" in page
    assert f'href="{address}results/"' in page


def test_runs_that_were_started_together_wait_as_one(researcher: User, finished: Run) -> None:
    make_campaign(run=finished)
    group = {"group": uuid4(), "finished_at": timezone.now(), "dataset": finished.dataset}
    for _ in range(3):
        make_judgeable_run(**group)
    make_judgeable_run(finished_at=timezone.now(), dataset=finished.dataset)
    assert titles(researcher)[-2:] == ["A run is finished", "3 runs are finished"]


def test_what_waits_for_a_researcher(
    researcher: User, annotator: User, corpus: Corpus, dataset: Dataset
) -> None:
    run = make_run(dataset=dataset, corpus=corpus, state=Run.State.PAUSED, pause_reason="No model.")
    make_revision(run, state=Revision.State.FAILED)
    assert titles(researcher) == ["A run paused by itself"]
    Run.objects.update(state=Run.State.CANCELLED)
    assert titles(researcher) == ["1 passage failed"]
    Revision.objects.all().delete()
    Run.objects.update(state=Run.State.FINISHED, finished_at=timezone.now())
    assert titles(researcher) == []  # the steps lead on
    make_campaign(raters=(annotator,))
    assert titles(researcher) == ["A run is finished"]
    Run.objects.update(finished_at=timezone.now() - timedelta(days=8))
    assert titles(researcher) == []
    make_corpus(state=Corpus.State.FAILED, name="Torn")
    assert titles(researcher) == ["Indexing failed"]


def test_what_of_a_campaign_waits_for_a_researcher(
    researcher: User, annotator: User, finished: Run
) -> None:
    campaign = make_campaign(run=finished)
    assert titles(researcher) == ["No raters yet"]
    add_member(campaign, user=annotator)
    assert titles(researcher) == []
    claimed = claim(annotator, campaign=campaign)
    rater_questions.ask(claimed, text="Which year?")
    judge_everything(claimed)
    pause = {"since": timezone.now(), "right": 1, "judged": 4}
    Pause.objects.create(campaign=campaign, rater=annotator, **pause)
    assert titles(researcher) == [
        "1 question from raters",
        "1 rater is below the gold threshold",
        "All judgments are in",
    ]


def test_a_run_and_a_campaign_in_progress_say_how_far_they_are(
    researcher: User, annotator: User, finished: Run, dataset: Dataset, corpus: Corpus
) -> None:
    make_campaign(run=finished, raters=(annotator,))
    make_revision(make_run(dataset=dataset, corpus=corpus, passage_count=2))
    atlas = make_corpus(state=Corpus.State.INDEXING, name="Atlas")
    Corpus.objects.filter(pk=atlas.pk).update(document_count=4, indexed_count=1)
    facts = [facts for _, facts, _ in load_dashboard(researcher, FigureCache())["in_progress"]]
    assert facts == ["1 of 4 documents indexed", "0 of 2 passages", "0 of 1 submissions"]


def test_an_administrator_sees_open_invitations(
    client: Client, researcher: User, finished: Run
) -> None:
    make_campaign(run=finished)
    administrator = make_user(role=User.Role.ADMINISTRATOR)
    make_link(Invitation, created_by=administrator, days=1, role="", note="")
    client.force_login(administrator)
    assert "1 open invitation" in client.get("/").content.decode()
    client.force_login(researcher)
    assert "invitation" not in client.get("/").content.decode()


def test_a_new_person_reads_how_they_get_in(client: Client, stranger: User) -> None:
    client.force_login(stranger)
    page = client.get("/").content.decode()
    assert "Nothing to judge yet" in page
    assert "New dataset" not in page


def test_a_rater_goes_on_with_one_click(as_annotator: Client, annotator: User) -> None:
    campaign = make_campaign(raters=(annotator,))
    start = f'<form method="post" action="/tasks/next/?campaign={campaign.slug}">'
    page = as_annotator.get("/").content.decode()
    assert start in page
    assert "Start judging" in page
    claim_next(annotator)
    assert "Continue" in as_annotator.get("/").content.decode()


def test_a_campaign_that_follows_another_is_below_it(as_annotator: Client, annotator: User) -> None:
    run = make_judgeable_run()
    first = make_campaign(run=run, raters=(annotator,), name="Attribution")
    second = make_campaign(run=run, raters=(annotator,), name="Intent", questionnaire="intent")

    def listed() -> list[str]:
        return [each.campaign.name for each in as_annotator.get("/").context["own"]]

    assert listed() == ["Intent", "Attribution"]  # the newest first
    second.follows = first
    second.save()
    assert listed() == ["Attribution", "Intent"]
    close_campaign(first)
    assert listed() == ["Intent", "Attribution"]  # open ones first


@pytest.mark.parametrize("by_another", [False, True])
def test_a_finished_or_closed_campaign_asks_for_nothing(
    as_annotator: Client, researcher: User, annotator: User, *, by_another: bool
) -> None:
    other = make_user()
    campaign = make_campaign(passages=1, raters=(annotator, other))
    judge_everything(claim(other if by_another else annotator))
    page = as_annotator.get("/").content.decode()
    assert "Everything is judged" in page
    assert "up to" not in page
    again = make_campaign(passages=1, raters=(annotator, other), raters_per_item=2)
    judge_everything(claim(annotator))
    assert "All yours are done" in as_annotator.get("/").content.decode()
    judge_everything(claim(other), False)
    assert "1 item to adjudicate" in titles(researcher)
    close_campaign(again)
    close_campaign(campaign)
    page = as_annotator.get("/").content.decode()
    assert "Closed." in page
    assert "/tasks/next/" not in page


def test_the_home_page_needs_no_more_queries_for_more_campaigns(
    as_researcher: Client, researcher: User
) -> None:
    run = make_judgeable_run(
        dataset=make_dataset(passage_count=1), corpus=make_corpus(state="ready")
    )
    counts = []
    for _ in range(2):
        for _ in range(3):
            add_member(make_campaign(run=run), user=researcher)
        with CaptureQueriesContext(connection) as queries:
            assert as_researcher.get("/").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
