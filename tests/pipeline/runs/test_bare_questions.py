"""Questions without answers in datasets: nothing to revise or to judge until one is there."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from pipeline.engine.configuration import RunConfig
from pipeline.forms.runs import NewRunForm
from pipeline.models import Corpus, Dataset, Revision, Run
from pipeline.runs.imported import get_unrevised_run
from pipeline.runs.line_files import dataset_file
from pipeline.runs.start import RunRefused, start_run
from rarrweb.accounts.models import User
from tests.support.api import api_client, errors_of
from tests.support.factories import make_corpus, make_dataset, make_passage

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("state_folder")]

QUOTES = [{"idx": 1, "docid": "a", "text": "There."}]
QUOTED = {"query": "Where?", "query_id": "1", "quotes": QUOTES}
REFUSED = "holds questions without answers"


def questions(*texts: str) -> Dataset:
    """A dataset with a bare question, and a passage for each of the texts."""
    dataset = make_dataset()
    for text in ("", *texts):
        make_passage(dataset, text=text, context="Where?", source=QUOTED)
    Dataset.objects.update(passage_count=1 + len(texts))
    return dataset


def start(dataset: Dataset, *, system: str = "rarr") -> Run:
    return start_run(
        dataset=dataset,
        corpus=make_corpus(state=Corpus.State.READY),
        config=RunConfig.from_settings(system=system),
        created_by=None,
    )


def test_a_run_revises_what_has_a_text_and_a_strategy_answers_bare_questions_too() -> None:
    with pytest.raises(RunRefused, match=f"{REFUSED}.*Let a strategy write answers first"):
        start(questions())
    assert not Run.objects.exists()
    run = start(questions("It ends there."))
    assert [row.original_text for row in Revision.objects.filter(run=run)] == ["It ends there."]
    assert (run.passage_count, "1 passages" in run.versions["dataset"]) == (1, True)
    run = start(run.dataset, system="extractive")
    rows = run.revisions.values_list("original_text", "context")
    assert list(rows) == [("", "Where?"), ("", "Where?")]


@pytest.mark.parametrize("system", ["post-cite", "closed-book-rarr"])
def test_a_run_that_begins_with_texts_is_refused_where_nothing_can_write_them(
    as_researcher: Client, researcher: User, system: str
) -> None:
    given = {"dataset": questions().slug, "corpus": make_corpus(state=Corpus.State.READY).slug}
    expected = f"{system} begins with the passages’ texts, and the dataset"
    with pytest.raises(CommandError, match=expected):
        call_command("run_system", **given, system=system)
    form = NewRunForm(user=researcher)
    begins = {name: field.initial for name, field in form.fields.items() if field.initial}
    page = as_researcher.post(reverse("pipeline:new-run"), {**begins, **given, "system": [system]})
    assert expected in page.context["form"].non_field_errors()[0]
    body = {**given, "system": system}
    refused = api_client(researcher).post("/api/runs/", body, content_type="application/json")
    assert expected in errors_of(refused, 409)[0]["detail"]
    assert not Run.objects.exists()


def test_bare_questions_are_not_judged() -> None:
    with pytest.raises(RunRefused, match=REFUSED):
        get_unrevised_run(questions(), created_by=None)
    run = get_unrevised_run(questions("It ends there [1]."), created_by=None)
    assert [row.original_text for row in run.revisions.all()] == ["It ends there [1]."]


def test_campaigns_offer_datasets_with_text(as_researcher: Client) -> None:
    bare, answered = questions(), questions("It ends there.")
    page = as_researcher.get(reverse("new-campaign")).content.decode()
    assert f'value="{answered.slug}"' in page
    assert f'value="{bare.slug}"' not in page


def test_pages_show_that_there_is_no_answer_yet(as_researcher: Client) -> None:
    dataset = questions()
    assert "no answer yet" in as_researcher.get(dataset.get_absolute_url()).content.decode()
    address = reverse("pipeline:passage", args=[dataset.slug, dataset.passages.get().pk])
    assert "A question without an answer" in as_researcher.get(address).content.decode()


def test_a_question_is_exported_without_an_answer() -> None:
    file = dataset_file(questions("It ends there."))
    lines = [json.loads(line) for line in b"".join(file.chunks()).splitlines()]
    answers = [[each["answer"] for each in line["answers"]] for line in lines]
    assert answers == [[], ["It ends there."]]
