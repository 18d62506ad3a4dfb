"""A campaign's charts: the numbers in them, their page, their files."""

import csv
import io
import re
from statistics import mean
from types import SimpleNamespace

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.charts.registry import (
    CHARTS,
    ChartInput,
    campaign_charts,
    charts_of,
    scored_pairs,
    scored_sentences,
)
from annotation.models import Campaign, Item, Judgment
from annotation.questionnaires import QUESTIONNAIRES
from annotation.results.attribution import campaign_result
from annotation.results.reliability import campaign_reliability
from pipeline.charts.intervals import Intervals
from pipeline.charts.tradeoff import Tradeoff
from pipeline.models import Revision
from pipeline.views import charts as files_of_charts
from rarrweb.accounts.models import User
from tests.support.exports import adjudicate
from tests.support.factories import make_corpus, make_user
from tests.support.study import JoinedStudy, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead() -> User:
    return make_user(role=User.Role.RESEARCHER)


@pytest.fixture
def study(lead: User) -> Campaign:
    return make_study("rarr", "efec", led_by=lead)


def files(campaign: Campaign, name: str, form: str) -> str:
    return reverse("annotation:chart", args=[campaign.slug, name, form])


def test_sentences_have_their_score_and_what_raters_say(study: Campaign) -> None:
    result = scored_sentences(study, "")
    assert len(result) == 2 * 8 * 2 * 3  # systems, passages, sides, sentences
    assert len({each.cluster for each in result}) == 8
    by_hand = []
    for item in Item.objects.filter(campaign=study).order_by("position"):
        scores = Revision.objects.get(pk=item.revision_id).sentences[item.side]
        for number in range(3):
            message = Judgment.objects.filter(
                assignment__item=item, criterion="attributable", target=number
            ).values_list("value", flat=True)
            by_hand.append((scores[number]["entailed"], mean(value or 0 for value in message)))
    assert sorted((each.score, each.human_share) for each in result) == sorted(by_hand)


def test_raters_are_compared_with_pres_lev_pair_by_pair() -> None:
    study = JoinedStudy("rarr")
    for item in study.intent.items.order_by("pk"):
        item.second_text = item.text[: item.pk % 7 * 5]
        item.save(update_fields=["second_text"])
    pairs = scored_pairs(study.intent, "")
    shares = (study.levels[0] == 2).mean(axis=1)
    assert sorted(each.human_share for each in pairs) == sorted(shares)
    r = np.corrcoef([each.score for each in pairs], [each.human_share for each in pairs])[0, 1]
    chart = campaign_charts(study.intent, "")["preservation"]
    assert chart is not None
    assert chart.finding.startswith(f"Pearson’s r {'−' if r < 0 else ''}{abs(r):.2f}")
    assert "n = 24 pairs of 24 passages" in chart.finding


def test_an_adjudicated_answer_replaces_the_raters(study: Campaign) -> None:
    item = Item.objects.filter(campaign=study, side="after").first()
    assert item is not None
    adjudicate(item, 1, 0)
    score = Revision.objects.get(pk=item.revision_id).sentences["after"][1]["entailed"]
    assert [each.human_share for each in scored_sentences(study, "") if each.score == score] == [
        0.0
    ]


def test_the_trade_off_has_the_campaign_s_own_figures(study: Campaign) -> None:
    chart = campaign_charts(study, "")["tradeoff"]
    assert isinstance(chart, Tradeoff)
    of_system = {
        group.group.label: group.sides
        for group in campaign_result(study).groups
        if group.group.kind == "system"
    }
    for point in chart.points:
        before, after = of_system[point.series]
        assert after.attribution is not None
        assert before.attribution is not None
        assert point.before is not None
        across = after.attribution
        assert point.across.cells == (across.value, across.low, across.high)
        assert point.before.value == before.attribution.value


def test_two_runs_of_one_system_are_distinguished() -> None:
    campaign = make_study("rarr", "efec", "rarr")
    first, _, third = campaign.runs.order_by("pk").values_list("pk", flat=True)
    campaign.runs.filter(pk=third).update(corpus=make_corpus())
    names = {f"rarr, run {first}", "efec", f"rarr, run {third}"}
    points = campaign_charts(campaign, "")["tradeoff"]
    assert isinstance(points, Tradeoff)
    assert {point.name for point in points.points} == names


def test_reliability_is_the_page_s(client: Client, study: Campaign, lead: User) -> None:
    chart = campaign_charts(study, "")["reliability"]
    assert isinstance(chart, Intervals)
    result = campaign_reliability(study)
    rows = [(each, group) for each in result.criteria for group in each.groups]
    assert len(chart.rows) == len(rows)
    for row, (_, group) in zip(chart.rows, rows, strict=True):
        raw, alpha, ac1 = row.entries
        figures = (group.report.raw, group.report.alpha_nominal, group.report.gwet_ac1)
        for entry, figure in zip((raw, alpha, ac1), figures, strict=True):
            assert entry.span is not None
            assert entry.span.cells == (figure.value, figure.low, figure.high)
            assert entry.n == figure.targets
    client.force_login(lead)
    page = client.get(reverse("annotation:charts", args=[study.slug])).content.decode()
    assert f"{study.slug}/results/figures/reliability.svg" in page


def test_the_joined_table_has_its_chart(client: Client, study: Campaign, lead: User) -> None:
    client.force_login(lead)
    page = client.get("/results/", {"campaign": study.slug}).content.decode()
    source = re.search(r'img src="([^"]+)"', page)
    assert source is not None
    answer = client.get(source[1].replace("&amp;", "&"))
    assert answer["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert b">efec</text>" in answer.content
    assert b", run " not in answer.content  # one run of each system
    rows = client.get("/results/tradeoff.csv", {"campaign": study.slug}).content.decode()
    assert len(rows.splitlines()) == 3


def test_the_page_shows_each_chart_with_its_finding_its_numbers_and_its_files(
    client: Client, study: Campaign, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(lead)
    page = client.get(reverse("annotation:charts", args=[study.slug])).content.decode()
    for plan in charts_of(study):
        chart = plan.make(ChartInput(study, ""))
        assert chart is not None
        assert page.count(f'id="{plan.name}"') == 1
        for form in ("svg", "png", "pdf", "csv"):
            assert f"{plan.name}.{form}?download" in page
    # Every picture that the page names can be had; one of each chart is drawn.
    for attribute in ("src", "srcset"):
        for address in re.findall(rf' {attribute}="(/[^"]+)"', page.split("<main")[1]):
            answer = client.get(address.replace("&amp;", "&"))
            assert answer["Content-Type"] == "image/svg+xml; charset=utf-8"
            assert "sandbox" in answer["Content-Security-Policy"]
        uncached = SimpleNamespace(get_or_set=lambda *_: b"")
        monkeypatch.setattr(files_of_charts, "cache", uncached)


def test_the_csv_has_the_chart_s_numbers_unrounded(
    client: Client, study: Campaign, lead: User
) -> None:
    client.force_login(lead)
    for plan in charts_of(study):
        chart = plan.make(ChartInput(study, ""))
        assert chart is not None
        text = client.get(files(study, plan.name, "csv")).content.decode("utf-8-sig")
        head, *rows = csv.reader(io.StringIO(text))
        assert tuple(head) == chart.head
        assert rows == [["" if cell is None else str(cell) for cell in row] for row in chart.cells]


def test_a_theme_that_a_person_chose_is_the_pictures_too(
    client: Client, study: Campaign, lead: User
) -> None:
    client.force_login(lead)
    address = reverse("annotation:charts", args=[study.slug])
    assert "prefers-color-scheme" in client.get(address).content.decode()
    client.cookies["theme"] = "dark"
    page = client.get(address).content.decode()
    assert "scheme=dark" in page
    assert "scheme=light" not in page
    assert "prefers-color-scheme" not in page


def test_files_for_paper_and_their_types(client: Client, study: Campaign, lead: User) -> None:
    client.force_login(lead)
    for form, kind, begins in (
        ("svg", "image/svg+xml; charset=utf-8", b"<?xml"),
        ("png", "image/png", b"\x89PNG"),
        ("pdf", "application/pdf", b"%PDF"),
    ):
        answer = client.get(files(study, "tradeoff", form), {"download": ""})
        assert answer["Content-Type"] == kind
        assert answer.content.startswith(begins)
        assert f"attribution-tradeoff.{form}" in answer["Content-Disposition"]


def test_wrong_names_get_404(client: Client, study: Campaign, lead: User) -> None:
    client.force_login(lead)
    picture = files(study, "tradeoff", "svg")
    wrong = files(study, "nothing", "svg"), files(study, "tradeoff", "exe")
    for address in (*wrong, f"{picture}?scheme=pink", f"{picture}?width=100000"):
        assert client.get(address).status_code == 404


@pytest.mark.parametrize("kind", sorted(QUESTIONNAIRES))
def test_without_answers_each_chart_reports_what_will_stand_there(
    client: Client, lead: User, kind: str
) -> None:
    sides = "pair" if kind == "intent" else "after"
    names = {"slug": "new", "name": "New", "state": "production", "created_by": lead}
    campaign = Campaign.objects.create(**names, questionnaire=kind, sides=sides)
    client.force_login(lead)
    page = client.get(reverse("annotation:charts", args=["new"])).content.decode()
    for plan in CHARTS:
        fits = plan.fits(ChartInput(campaign, ""))
        assert (f'id="{plan.name}"' in page) is fits
        if fits:
            assert plan.make(ChartInput(campaign, "")) is None
            assert str(plan.empty_text) in page.replace("&#x27;", "'")
            assert client.get(files(campaign, plan.name, "svg")).status_code == 404
