"""The joined table of large runs: kept, with the runs as they are now."""

import pytest
from django.test import Client

from annotation.models import Campaign, KeptFigure
from annotation.results import kept_joined
from annotation.results.joined import joined_rows
from annotation.results.kept_figures import process_figure
from annotation.results.kept_joined import shown_rows
from pipeline.models import Run
from rarrweb.accounts.models import User
from tests.support.study import make_study

pytestmark = pytest.mark.django_db


def test_a_kept_table_is_the_one_that_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    make_study("rarr", "efec")
    runs = list(Run.objects.select_related("dataset", "corpus").order_by("pk"))
    campaigns = list(Campaign.objects.filter(questionnaire__in=("attribution", "intent")))
    expected = joined_rows(campaigns, runs=runs)
    assert len(expected) > 1
    monkeypatch.setattr(kept_joined, "LIVE_SUBMISSIONS", -1)
    assert shown_rows(campaigns, runs).is_counting
    assert process_figure(KeptFigure.objects.get().pk)
    found = shown_rows(campaigns, runs)
    assert found.value == expected
    assert found.counted_at is not None
    assert shown_rows(campaigns, runs, against="unrevised").is_counting, (
        "with other options another"
    )


def test_the_page_and_its_files_say_of_when_they_are(
    client: Client, researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_study("rarr", "efec")
    monkeypatch.setattr(kept_joined, "LIVE_SUBMISSIONS", -1)
    client.force_login(researcher)
    assert "Counting …" in client.get("/results/").content.decode()
    file = client.get("/results/?format=csv")
    assert (file.status_code, file.headers["Retry-After"]) == (503, "5")
    for row in KeptFigure.objects.all():
        process_figure(row.pk)
    page = client.get("/results/").content.decode()
    assert "As of " in page
    assert "Counting …" not in page
    assert "results-as-of-2" in client.get("/results/?format=csv").headers["Content-Disposition"]
