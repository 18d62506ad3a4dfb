"""One method for one figure: the pages that show the same passages show the same number."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from annotation.results.by_questionnaire import campaign_figures
from pipeline.figures.comparison import ComparedRow
from pipeline.metrics.inference import Estimate
from pipeline.metrics.preservation import preservation_levenshtein
from pipeline.models import Run
from rarrweb.accounts.models import User
from tests.support.factories import make_user
from tests.support.study import PASSAGES, JoinedStudy

LABELS = {"pres_intent": "Pres_intent", "pres_lev": "Pres_Lev", "pres_comb": "Pres_comb"}
pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> JoinedStudy:
    """Two systems, all of whose revisions keep as much as the judged pairs of texts say."""
    made = JoinedStudy()
    for number, item in enumerate(made.intent.items.select_related("revision").order_by("pk")):
        item.second_text = item.text[: len(item.text) - number % 7]
        item.save()
        item.revision.preservation = preservation_levenshtein(item.text, item.second_text)
        item.revision.save()
    return made


@pytest.fixture
def client() -> Client:
    cache.clear()  # figures of other tests' campaigns, which had the same keys
    matches = Client()
    matches.force_login(make_user(role=User.Role.RESEARCHER))
    return matches


def context(client: Client, address: str) -> Any:
    return client.get(address).context


def digits(estimate: Estimate | None) -> tuple[float | None, ...]:
    """A figure with n and interval, to twelve decimals."""
    assert estimate is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return (estimate.n, *(round(v, 12) for v in (estimate.value, estimate.low, estimate.high)))


def table(client: Client, study: JoinedStudy) -> dict[Run, ComparedRow]:
    address = f"/results/?{'&'.join(f'run={run.pk}' for run in study.runs)}"
    rows = context(client, address)["rows"]
    return {row.run: row for row in rows if not row.is_unrevised}


def test_what_models_say_is_the_same_in_the_table_on_the_runs_page_and_compared(
    client: Client, study: JoinedStudy
) -> None:
    rows = table(client, study)
    address = f"/compare/?run={study.runs[0].pk}&run={study.runs[1].pk}"
    compared = {each.run: each for each in context(client, address)["comparison"].rows}
    for run, row in rows.items():
        alone = context(client, run.get_absolute_url())["results"]
        column = compared[run].figures
        for key, of_run, of_column in (
            ("attr_auto_before", alone.attribution_before, column["attribution_before"]),
            ("attr_auto_after", alone.attribution_after, column["attribution"]),
            ("pres_lev", alone.preservation, column["preservation"]),
            ("f1_auto", alone.f1_ap, column["f1_ap"]),
        ):
            assert digits(row.figures[key]) == digits(of_run) == digits(of_column), key
    second = study.runs[1]
    lead, p = rows[second].leads["f1_auto"]
    assert digits(lead) == digits(compared[second].leads["f1_ap"].estimate)
    assert p == pytest.approx(compared[second].leads["f1_ap"].p, rel=0, abs=5e-13)


@pytest.mark.parametrize("inclusion", [1.0, 0.25])
def test_what_raters_say_is_the_same_in_the_table_and_on_each_campaigns_page(
    client: Client, study: JoinedStudy, inclusion: float
) -> None:
    rare = study.passages[: PASSAGES // 2]
    for campaign in study.campaigns:
        campaign.items.filter(passage__in=rare).update(inclusion=inclusion)
    rows = table(client, study)
    result = context(client, "/campaigns/attribution/results/")["result"]
    by_system = {each.group.label: each.sides for each in result.groups}
    # Its page reads them in the template.
    figures = {each.label: each.groups for each in campaign_figures(study.intent)}
    for run, row in rows.items():
        before, after = by_system[run.system]
        assert digits(row.figures["attr_ais_before"]) == digits(before.attribution)
        assert digits(row.figures["attr_ais_after"]) == digits(after.attribution)
        # Pres_Lev needs no rater, so the table has it of every revision, drawn or not.
        keys = ("pres_intent", "pres_comb", *(["pres_lev"] if inclusion == 1 else []))
        for key in keys:
            of_run = {group.label: matches for group, matches in figures[LABELS[key]]}
            assert digits(row.figures[key]) == digits(of_run[run.system]), key
