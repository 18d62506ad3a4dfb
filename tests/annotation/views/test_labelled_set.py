"""The page from questions to a labelled set: what it says at each stage, and where it leads."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotation.campaigns.labelled_set import labelled_set
from pipeline.models import Corpus, Dataset, Run
from rarrweb.accounts.models import User
from tests.support.factories import make_corpus, make_dataset, make_passage, make_user
from tests.support.written_answers import campaign_of, label, make_answer_run, make_questions

pytestmark = pytest.mark.django_db

GOOD, BROKEN = "It opened in 1904 [1].", "It opened in 1904."


@pytest.fixture
def ruth(client: Client) -> User:
    person = make_user(role=User.Role.RESEARCHER)
    client.force_login(person)
    return person


def address(dataset: Dataset) -> str:
    return reverse("annotation:labelled-set", args=[dataset.slug])


def now(dataset: Dataset, ruth: User) -> str:
    (stage,) = [name for name, mark in labelled_set(dataset, ruth).marks.items() if mark == "now"]
    return stage


def test_each_stage_is_next_once_the_ones_before_are_done(ruth: User) -> None:
    dataset = make_dataset()
    make_passage(dataset)
    assert now(dataset, ruth) == "questions"
    questions = make_questions(2)
    assert now(questions, ruth) == "sources"
    corpus = make_corpus(state=Corpus.State.READY)
    assert now(questions, ruth) == "answers"
    run = make_answer_run([GOOD, BROKEN], dataset=questions, corpus=corpus)
    assert now(questions, ruth) == "format"
    Run.objects.update(state=Run.State.RUNNING)
    assert now(questions, ruth) == "answers"
    Run.objects.update(state=Run.State.FINISHED)
    campaign = campaign_of(run, leaves_out_problems=["uncited"])
    assert now(questions, ruth) == "labels"
    label(campaign.items.get(), informative=[1], attributable=[1])
    campaign.items.update(done=1)
    marks = labelled_set(questions, ruth).marks
    assert (marks["labels"], marks["statistics"], marks["export"]) == ("done", "done", "now")


def test_questions_with_quotes_need_no_corpus(client: Client, ruth: User) -> None:
    dataset = make_dataset()
    make_passage(dataset, context="When?", source={"quotes": [{"idx": 1, "text": "In 1904."}]})
    assert now(dataset, ruth) == "answers"
    assert "&amp;search=sources" in client.get(address(dataset)).content.decode()


def test_the_campaign_form_is_filled_in(client: Client, ruth: User) -> None:
    questions = make_questions(2)
    runs = [
        make_answer_run([GOOD, BROKEN], dataset=questions),
        make_answer_run([GOOD, GOOD + " It is loved."], dataset=questions, system="vanilla"),
    ]
    page = client.get(address(questions)).content.decode()
    assert 'It cites nothing. <span class="muted">1 answer</span>' in page
    # As the browser would send the form: what is hidden and what is ticked.
    sent = [
        (name, value)
        for box in re.findall(r"<input[^>]*>", page)
        if 'type="hidden"' in box or " checked" in box
        for name, value in re.findall(r'name="(\w+)" value="([\w-]+)"', box)
    ]
    assert [value for name, value in sent if name == "run"] == [str(run.pk) for run in runs]
    assert [value for name, value in sent if name == "leaves_out_problems"] == ["uncited"]
    form = client.get(reverse("annotation:new-campaign"), sent).context["form"]
    assert form["questionnaire"].value() == ["answer_quality"]
    assert form["sides"].value() == "before"
    assert form["may_repeat_passages"].value() == "on"
    assert form["leaves_out_problems"].value() == ["uncited"]
    assert form.is_unfolded()


def test_write_answers_leads_to_a_form_with_the_dataset_and_a_strategy(
    client: Client, ruth: User, settings: Any
) -> None:
    questions = make_questions(1)
    page = client.get(address(questions)).content.decode()
    link = re.search(r'href="(/runs/new/[^"]*)">Write answers', page)
    assert link
    leads_to = unescape(link[1])
    asked = parse_qs(urlsplit(leads_to).query)
    assert asked == {"dataset": [questions.slug], "system": ["extractive"]}
    form = client.get(leads_to).context["form"]
    assert (form["dataset"].value(), form["system"].value()) == (questions.slug, ["extractive"])


def test_the_tab_stands_where_there_are_questions(client: Client, ruth: User) -> None:
    with_questions, without = make_questions(1), make_dataset()
    make_passage(without)
    for dataset, is_there in ((with_questions, True), (without, False)):
        page = client.get(reverse("pipeline:dataset", args=[dataset.slug])).content.decode()
        assert (address(dataset) in page) is is_there
    assert "No passage here has a question" in client.get(address(without)).content.decode()


def test_who_leads_nothing_sees_nothing(client: Client) -> None:
    client.force_login(make_user())
    assert client.get(address(make_questions(1))).status_code == 404


@pytest.mark.parametrize("runs", [1, 4])
def test_it_takes_twelve_queries_at_most(
    client: Client, ruth: User, runs: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    questions = make_questions(2)
    for _ in range(runs):
        campaign_of(make_answer_run([GOOD, GOOD], dataset=questions))
    client.get(address(questions))
    with django_assert_max_num_queries(12):
        client.get(address(questions))


def test_with_a_language_model_a_question_gets_several_answers(
    client: Client, ruth: User, settings: Any
) -> None:
    settings.RARR_LLM = "openai:stub"
    settings.RARR_LLM_BASE_URL = "http://127.0.0.1:1/v1"
    questions = make_questions(1)
    page = client.get(address(questions)).content.decode()
    link = re.search(r'href="(/runs/new/[^"]*)">Write answers', page)
    assert link
    form = client.get(unescape(link[1])).context["form"]
    assert form["system"].value() == ["hagrid"]
    assert form["answer_types"].value() == ["short", "long"]
    corpus = make_corpus(state=Corpus.State.READY)
    sent = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    sent |= {"corpus": corpus.slug, "answers_per_question": 2, "system": ["hagrid", "vanilla"]}
    assert client.post(reverse("pipeline:new-run"), sent).status_code == 302
    made = [
        (
            run.system,
            run.config["generation"]["answer_type"],
            run.config["generation"]["answer_number"],
        )
        for run in Run.objects.order_by("pk")
    ]
    assert made == [
        ("hagrid", "short", 1),
        ("hagrid", "short", 2),
        ("hagrid", "long", 1),
        ("hagrid", "long", 2),
        ("vanilla", "short", 1),
        ("vanilla", "short", 2),
    ]
    assert len(set(Run.objects.values_list("group", flat=True))) == 1
    labels = [each.label for each in labelled_set(questions, ruth).answerings]
    assert labels == [
        "hagrid, short",
        "hagrid, short, answer 2",
        "hagrid, long",
        "hagrid, long, answer 2",
        "vanilla",
        "vanilla, answer 2",
    ]
