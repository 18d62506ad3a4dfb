"""The statistics page of a campaign that judged answers."""

import csv
import io

import pytest
from django.test import Client
from django.urls import reverse

from annotation.charts.registry import answers_of
from pipeline.metrics.answer_statistics import judged_of
from tests.support import exports
from tests.support.answers import judged_answers

pytestmark = pytest.mark.django_db


def test_labels_are_those_of_raters_by_hagrids_rules() -> None:
    first, second = answers_of(judged_answers())
    assert (first.cited, first.labels) == ((0, 1), {"informative": 1, "attributable": 1})
    assert (second.cited, second.labels) == ((1,), {"informative": 0, "attributable": 0})
    assert [each.cited for each in first.sentences] == [(0,), (1,)]
    counts = [(each.total, each.yes) for each in judged_of([first, second])]
    assert counts == [(2, 1), (3, 1), (2, 1), (3, 2)]


def test_nobody_judged_is_no_label() -> None:
    campaign = exports.make_campaign(questionnaire="answer_quality")
    exports.make_item(campaign, "It runs [1].", citations=[{"sentence": 0, "evidence": 0}])
    (answer,) = answers_of(campaign)
    assert answer.labels == {"informative": None, "attributable": None}


def test_page_tables_and_charts(as_researcher: Client) -> None:
    campaign = judged_answers()
    address = reverse("annotation:statistics", args=[campaign.slug])
    results = as_researcher.get(
        reverse("annotation:results", args=[campaign.slug])
    ).content.decode()
    assert f'href="{address}"' in results
    page = as_researcher.get(address).content.decode()
    assert "Attributable, sentences" in page
    assert 'id="copying"' in page
    text = as_researcher.get(f"{address}tables.csv").content.decode("utf-8-sig")
    rows = {row["statistic"]: row for row in csv.DictReader(io.StringIO(text))}
    assert (rows["answers"]["value"], rows["sentences"]["value"]) == ("2", "3")
    assert rows["attributable_sentences_share"]["value"] == str(2 / 3)
    assert as_researcher.get(f"{address}quotes.svg").status_code == 200


def test_other_kinds_have_none(as_researcher: Client) -> None:
    exports.make_campaign(slug="other", questionnaire="attribution")
    assert as_researcher.get(reverse("annotation:statistics", args=["other"])).status_code == 404
    page = as_researcher.get(reverse("annotation:results", args=["other"])).content.decode()
    assert "/statistics/" not in page
