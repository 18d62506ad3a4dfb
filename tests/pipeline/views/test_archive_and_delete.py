"""Archiving and deleting from the pages: who may, what it asks first, and the way back."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from pipeline.models import Dataset, Run
from tests.support.factories import make_corpus, make_dataset, make_passage, make_run
from tests.support.pages import html_of

pytestmark = pytest.mark.django_db
DATASETS = reverse("pipeline:datasets")


def test_selected_rows_leave_the_list_and_return_by_undo(as_researcher: Client) -> None:
    stored, first, second = (make_dataset(name=name) for name in ("Kept", "First", "Second"))
    page = as_researcher.post(DATASETS, {"action": "archive"}, follow=True).content.decode()
    assert "Tick the rows first" in page
    data = {"action": "archive", "row": [first.pk, second.pk]}
    page = as_researcher.post(f"{DATASETS}?sort=name", data, follow=True).content.decode()
    assert "2 are archived." in page
    assert stored.get_absolute_url() in page
    assert first.get_absolute_url() not in page
    archived = html_of(as_researcher, f"{DATASETS}?archived=yes")
    assert first.get_absolute_url() in archived
    assert stored.get_absolute_url() not in archived
    keys = re.findall(r'<input type="hidden" name="row" value="(\d+)">', page)
    assert sorted(map(int, keys)) == [first.pk, second.pk]
    as_researcher.post(DATASETS, {"action": "unarchive", "row": keys})
    assert not Dataset.objects.exclude(archived_at=None).exists()


def test_a_running_run_is_not_archived_and_the_page_gives_the_reason(as_researcher: Client) -> None:
    going, over = make_run(state=Run.State.RUNNING), make_run(state=Run.State.FINISHED)
    data = {"action": "archive", "row": [going.pk, over.pk]}
    page = as_researcher.post(reverse("pipeline:runs"), data, follow=True).content.decode()
    assert "not archived: it is still running." in page
    assert list(Run.objects.current()) == [going]


def test_what_is_archived_is_not_offered_to_new_runs(as_researcher: Client) -> None:
    make_passage(make_dataset(name="Old", archived_at="2026-01-01T00:00Z"))
    make_corpus(name="Dusty", archived_at="2026-01-01T00:00Z")
    page = html_of(as_researcher, reverse("pipeline:new-run"))
    assert "Old (" not in page
    assert "Dusty (" not in page


def test_a_second_page_shows_what_is_lost_and_deletes(as_researcher: Client) -> None:
    passage = make_passage()
    address = reverse("pipeline:delete-dataset", args=[passage.dataset.slug])
    page = html_of(as_researcher, address)
    assert "What will be lost" in page
    assert '<dt>Passages</dt><dd class="num">1</dd>' in page
    assert Dataset.objects.exists()
    response = as_researcher.post(address, follow=True)
    assert "is deleted" in response.content.decode()
    assert not Dataset.objects.exists()


def test_what_is_in_the_way_is_linked(as_researcher: Client) -> None:
    run = make_run()
    for name, row in (("dataset", run.dataset), ("corpus", run.corpus)):
        address = reverse(f"pipeline:delete-{name}", args=[row.slug])  # type: ignore[union-attr]
        page = html_of(as_researcher, address)
        assert f'href="{run.get_absolute_url()}"' in page
        assert "Delete for good" not in page
        as_researcher.post(address)
    assert Dataset.objects.exists()
