"""The list of runs."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains

from pipeline.models import Revision, Run
from tests.support.factories import make_revision, make_run

pytestmark = pytest.mark.django_db

PAGE = reverse("pipeline:runs")


def test_the_list_shows_how_far_a_run_is_and_what_it_gained(as_researcher: Client) -> None:
    assertContains(as_researcher.get(PAGE), "No run yet")
    run = make_run(state=Run.State.FINISHED, passage_count=2)
    done = {"attribution_before": 0.4, "attribution_after": 0.9}
    make_revision(run, state=Revision.State.DONE, **done)
    make_revision(run, state=Revision.State.FAILED)
    response = as_researcher.get(PAGE)
    for text in ("finished", "2 of 2", "1 failed", "0.40 → 0.90", "+0.50, n&nbsp;=&nbsp;1"):
        assertContains(response, text)
    assertContains(response, "no interval: fewer than 5 passages")


def test_imported_runs_are_found_whatever_their_system_is_called(as_researcher: Client) -> None:
    make_run()
    imported = make_run(system="another lab's")
    response = as_researcher.get(PAGE, {"system": "imported"})
    assert [run.pk for run, *_ in response.context["rows"]] == [imported.pk]
