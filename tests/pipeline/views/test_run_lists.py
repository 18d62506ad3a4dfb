"""The list of runs."""

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.asserts import assertContains

from pipeline.models import Revision, Run
from pipeline.views import run_lists
from tests.support.factories import make_corpus, make_dataset, make_revision, make_run

pytestmark = pytest.mark.django_db


def page(name: str, *args: object) -> str:
    return reverse(f"pipeline:{name}", args=args)


def test_an_empty_list_says_what_a_run_is(as_researcher: Client) -> None:
    assertContains(as_researcher.get(page("runs")), "No run yet")


def test_the_list_shows_how_far_a_run_is_and_what_it_gained(as_researcher: Client) -> None:
    run = make_run(state=Run.State.FINISHED, passage_count=2)
    done = {"attribution_before": 0.4, "attribution_after": 0.9}
    make_revision(run, state=Revision.State.DONE, **done)
    make_revision(run, state=Revision.State.FAILED)
    response = as_researcher.get(page("runs"))
    for text in ("finished", "2 of 2", "1 failed", "0.40 → 0.90", "+0.50, n&nbsp;=&nbsp;1"):
        assertContains(response, text)
    assertContains(response, "no interval: fewer than 5 passages")


def test_the_list_is_paged_and_shows_every_run_once(
    as_researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lists, "RUNS", replace(run_lists.RUNS, size=2))
    dataset, corpus = make_dataset(), make_corpus()
    made = [make_run(dataset=dataset, corpus=corpus).pk for _ in range(5)]
    seen: list[int] = []
    following = "?"
    while following:
        response = as_researcher.get(page("runs") + following)
        seen += [run.pk for run, *_ in response.context["rows"]]
        following = response.context["list"].page.next
    assert seen == made[::-1]


def test_imported_runs_are_found_whatever_their_system_is_called(as_researcher: Client) -> None:
    make_run()
    imported = make_run(system="another lab's")
    response = as_researcher.get(page("runs"), {"system": "imported"})
    assert [run.pk for run, *_ in response.context["rows"]] == [imported.pk]


@pytest.mark.parametrize("before", ["x", "-1", "²", "9" * 30, "0"])
def test_a_nonsense_page_key_is_no_error(as_researcher: Client, before: str) -> None:
    make_run()
    assert as_researcher.get(page("runs"), {"before": before}).status_code == 200


def test_the_list_asks_few_questions_however_many_runs(
    as_researcher: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(5):
        make_revision(make_run(passage_count=1))
    with django_assert_max_num_queries(8):
        as_researcher.get(page("runs"))
