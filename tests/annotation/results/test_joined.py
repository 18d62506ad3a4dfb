"""The joined table of attribution and intent, compared with another program."""

import csv
import io
from collections.abc import Mapping

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from numpy.typing import NDArray

from annotation.charts.tradeoff import tradeoff_chart
from annotation.results.joined import UNREVISED, joined_rows
from pipeline.figures.comparison import ComparedRow
from pipeline.metrics.differences import holm, paired_p
from pipeline.metrics.inference import Estimate
from pipeline.models import Revision
from tests.support.exports import adjudicate, make_campaign, make_item
from tests.support.factories import make_corpus
from tests.support.study import PASSAGES, JoinedStudy
from tests.support.table_by_numpy import interval, table

pytestmark = pytest.mark.django_db

DIGITS = 5e-13
"""Equal to twelve decimals."""


def by_numpy(study: JoinedStudy, system: int) -> Mapping[str, NDArray[np.float64]]:
    """What each passage has in each figure of one system; figures are their means."""
    result: Mapping[str, NDArray[np.float64]] = table(
        study.auto[system], study.answers[system], study.levels[system], study.lev[system]
    )
    return result


def assert_same(result: Estimate | None, values: NDArray[np.float64], what: str = "") -> None:
    assert result is not None
    assert result.n == values.size
    wanted = pytest.approx(interval(values), rel=0, abs=DIGITS)
    assert (result.value, result.low, result.high) == wanted, what


def test_a_simulated_study_has_the_figures_that_another_program_counts() -> None:
    study = JoinedStudy()
    _, *rows = joined_rows(study.campaigns)
    assert [row.run for row in rows] == study.runs
    for system, row in enumerate(rows):
        assert missing(row) == (0, 0)
        for key, values in by_numpy(study, system).items():
            assert_same(row.figures[key], values, key)


def test_systems_are_compared_passage_by_passage_with_the_reference() -> None:
    study = JoinedStudy("efec", "rarr", "rarr-no-agreement")
    parts = [by_numpy(study, system) for system in range(3)]
    _, *rows = joined_rows(study.campaigns, against=str(study.runs[1].pk))
    assert [row.is_reference for row in rows] == [False, True, False]
    assert rows[1].leads == {}
    for key in ("f1_auto", "f1_human"):
        tests = []
        for row, mine in zip(rows, parts, strict=True):
            if row.is_reference:
                continue
            differences = mine[key] - parts[1][key]
            lead, _ = row.leads[key]
            assert lead is not None
            assert lead.value == pytest.approx(differences.mean(), rel=0, abs=DIGITS)
            assert lead.low is not None
            half = lead.value - lead.low
            deviation = differences.std(ddof=1) / np.sqrt(PASSAGES)
            assert half == pytest.approx(2.0686576104190406 * deviation, rel=0, abs=DIGITS)
            tests.append(paired_p(list(differences)))
        adjusted = [row.leads[key].p for row in rows if not row.is_reference]
        assert adjusted == pytest.approx(holm(tests), rel=0, abs=DIGITS)


def test_the_unrevised_passages_keep_all_of_themselves() -> None:
    study = JoinedStudy()
    before, *rows = joined_rows(study.campaigns)
    assert before.is_unrevised
    assert [row.is_unrevised for row in rows] == [False, False]
    ais = by_numpy(study, 0)["attr_ais_before"]  # beside the reference's evidence
    assert_same(before.figures["attr_ais_after"], ais)
    for key in ("pres_intent", "pres_lev", "pres_comb"):
        assert_same(before.figures[key], np.ones(PASSAGES), key)
    f1 = before.figures["f1_human"]
    assert f1 is not None
    assert f1.value == pytest.approx(2 * ais.mean() / (1 + ais.mean()), rel=0, abs=DIGITS)
    before, *rows = joined_rows(study.campaigns, against=UNREVISED)
    assert before.is_reference
    for system, row in enumerate(rows):  # each beside its own evidence
        mine = by_numpy(study, system)
        a = mine["attr_ais_before"].mean()
        gain = mine["f1_human"].mean() - 2 * a / (1 + a)
        assert lead_of(row).value == pytest.approx(gain, rel=0, abs=DIGITS)


def test_passages_that_were_attributed_before_and_not_edited_are_counted(
    as_researcher: Client,
) -> None:
    study = JoinedStudy("rarr")
    revisions = study.runs[0].revisions
    Revision.objects.update(attribution_before=0.9)
    ids = revisions.order_by("pk").values_list("pk", flat=True)
    revisions.filter(pk__in=ids[:8]).update(attribution_before=0.95)
    revisions.filter(pk__in=ids[:6]).update(is_changed=False)
    before, row = joined_rows(study.campaigns)
    auto, ais = (row.figures[key] for key in ("unedited_auto", "unedited_ais"))
    assert auto is not None
    assert (auto.value, auto.n) == (0.75, 8)
    attributed = study.answers[0, :, 0].mean(axis=(1, 2)) > 0.9
    assert (ais.n if ais else 0) == attributed.sum()
    assert "unedited_auto" not in row.best
    assert before.figures["unedited_auto"] is None
    page = as_researcher.get("/results/?campaign=attribution")
    assert "75.0\xa0% of 8 by Attr" in page.content.decode()
    [_, line] = csv.DictReader(io.StringIO(page.context["files"]["csv"]))
    assert (line["unedited_auto"], line["unedited_auto_n"]) == ("0.75", "8")


def test_repeated_runs_are_one_row_whose_passages_are_one_draw_each() -> None:
    study = JoinedStudy("rarr", "efec", "rarr", "rarr")
    _, *rows = joined_rows(study.campaigns)
    first, efec, *others = study.runs
    assert [list(row.runs) for row in rows] == [[first, *others], [efec]]
    merged, alone = rows
    assert alone.repeats == ()
    parts = [by_numpy(study, system) for system in (0, 2, 3)]
    for key in ("attr_auto_after", "attr_ais_after", "pres_intent", "pres_lev", "pres_comb"):
        assert_same(merged.figures[key], np.mean([each[key] for each in parts], axis=0), key)
        means = [each[key].mean() for each in parts]
        assert merged.deviation(key) == pytest.approx(np.std(means, ddof=1), rel=0, abs=DIGITS)
    f1 = merged.figures["f1_human"]
    a, p = (np.mean([each[key] for each in parts]) for key in ("attr_ais_after", "pres_comb"))
    assert f1 is not None
    assert (f1.n, f1.value) == (PASSAGES, pytest.approx(2 * a * p / (a + p), rel=0, abs=DIGITS))
    other = alone.figures["f1_human"]
    assert other is not None
    assert lead_of(alone).n == PASSAGES
    assert lead_of(alone).value == pytest.approx(other.value - f1.value, rel=0, abs=DIGITS)


def test_other_settings_or_another_corpus_make_no_repeat_and_budgets_do_not_matter() -> None:
    study = JoinedStudy(
        "rarr", "rarr", "rarr", "rarr", config={"budget_calls": 5, "llm": "compact"}
    )
    study.runs[1].config = {"budget_calls": 9, "llm": "compact"}
    study.runs[2].config = {"budget_calls": 5, "llm": "openai:M"}
    study.runs[3].corpus = make_corpus()
    for run in study.runs:
        run.save()
    _, *rows = joined_rows(study.campaigns)
    assert [len(row.runs) for row in rows] == [2, 1, 1]


def test_the_best_do_not_differ_from_the_highest() -> None:
    study = JoinedStudy("efec", "rarr", "none")
    study.runs[0].revisions.update(attribution_after=0.9)
    for revision in study.runs[1].revisions.all():
        revision.attribution_after = 0.8 + revision.passage_id % 2 * 0.19
        revision.save()
    study.runs[2].revisions.update(attribution_after=0.1)
    _, *rows = joined_rows(study.campaigns)
    assert [("attr_auto_after" in row.best) for row in rows] == [True, True, False]


def test_a_run_without_a_campaign_has_what_models_say() -> None:
    study = JoinedStudy()
    _, row = joined_rows([], runs=study.runs[:1])
    mine = by_numpy(study, 0)
    for key in ("attr_auto_before", "attr_auto_after", "pres_lev", "f1_auto"):
        assert_same(row.figures[key], mine[key], key)
    assert missing(row) == (PASSAGES, PASSAGES)
    assert [row.figures[key] for key in ("attr_ais_after", "pres_intent", "f1_human")] == [None] * 3


def test_what_nobody_judged_is_counted_and_excluded_and_late_work_is_no_judgment() -> None:
    study = JoinedStudy()
    one = study.intent.items.filter(revision__run=study.runs[0]).order_by("pk")[:3]
    for item in one:
        item.assignments.update(slot=None, is_late=True)
    study.attribution.items.filter(revision=one[0].revision_id, side="after").delete()
    _, first, second = joined_rows([study.attribution, study.intent])
    assert missing(first) == (1, 3)
    assert ns(first) == (PASSAGES - 1, PASSAGES - 3, PASSAGES - 3)
    assert lead_of(second).n == PASSAGES - 3  # passages that both systems have
    alone = joined_rows([study.attribution])
    assert ns(alone[1]) == (PASSAGES - 1, 0, 0)


def test_what_was_settled_in_a_pilot_is_no_figure_of_production() -> None:
    study = JoinedStudy()
    before = joined_rows(study.campaigns)[1].figures
    pilot = make_campaign(slug="pilot", runs=study.runs[:1])
    for revision in study.runs[0].revisions.all():
        item = make_item(pilot, "One.", side="after", revision=revision, phase="pilot")
        adjudicate(item, 0, 1)
    after = joined_rows([*study.campaigns, pilot])[1].figures
    assert after["attr_ais_after"] == before["attr_ais_after"]


def test_the_trade_off_counts_the_passages_that_its_f1_rests_on() -> None:
    study = JoinedStudy()
    ids = list(study.runs[0].revisions.order_by("pk").values_list("pk", flat=True))
    study.attribution.items.filter(revision__in=ids[:6]).delete()
    study.intent.items.filter(revision__in=ids[6:10]).delete()
    chart = tradeoff_chart(joined_rows(study.campaigns))
    assert chart is not None
    assert [point.n for point in chart.points] == [PASSAGES - 10, PASSAGES]


def missing(row: ComparedRow) -> tuple[int, int]:
    return row.counts["without_attribution"], row.counts["without_intent"]


def lead_of(row: ComparedRow) -> Estimate:
    result = row.leads["f1_human"].estimate
    assert result is not None
    return result


def ns(row: ComparedRow) -> tuple[int, ...]:
    keys = ("attr_ais_after", "pres_intent", "f1_human")
    return tuple(result.n if (result := row.figures[key]) else 0 for key in keys)


def test_passages_that_were_drawn_less_readily_count_more() -> None:
    study = JoinedStudy()
    rare = [each.pk for each in study.attribution.items.all() if each.revision_id % 3 == 0]
    study.attribution.items.filter(pk__in=rare).update(inclusion=0.25)
    row = joined_rows([study.attribution, study.intent])[1]
    ais = study.answers[0, :, 1].mean(axis=(1, 2))
    ids = study.runs[0].revisions.order_by("passage_id").values_list("pk", flat=True)
    weights = np.array([4.0 if pk % 3 == 0 else 1.0 for pk in ids])
    stored = (study.levels[0] == 2).mean(axis=1) * study.lev[0]
    result, f1 = row.figures["attr_ais_after"], row.figures["f1_human"]
    assert result is not None
    assert result.value == pytest.approx(np.average(ais, weights=weights), rel=1e-12)
    a, p = np.average(ais, weights=weights), np.average(stored, weights=weights)
    assert f1 is not None
    assert f1.value == pytest.approx(2 * a * p / (a + p), rel=1e-12)


def test_the_page_shows_the_table_and_its_files_say_the_same(as_researcher: Client) -> None:
    study = JoinedStudy()
    address = "/results/?campaign=attribution&campaign=intent"
    with CaptureQueriesContext(connection) as queries:
        page = as_researcher.get(address)
    assert len(queries) <= 12
    rows = joined_rows([study.attribution, study.intent])
    f1 = rows[-1].figures["f1_human"]
    assert f1 is not None
    assert f"{f1.value:.2f}" in page.content.decode()
    files = page.context["files"]
    assert sorted(files) == ["csv", "latex", "narrow"]
    for form, text in files.items():
        assert as_researcher.get(f"{address}&format={form}").content.decode() == text
    before = rows[-1].figures["attr_ais_before"]
    assert before is not None
    for form in ("latex", "narrow"):
        assert f"{f1.value:.2f}" in files[form]
        assert rf"\caption{{Facts \& dates. Means over $n = {PASSAGES}$ passages" in files[form]
    assert rf"{before.value:.2f} $\to$ " in files["latex"]
    assert r"\scriptsize [" in files["latex"]
    assert r"$\to$" not in files["narrow"]
    assert r"\scriptsize" not in files["narrow"]
    last = list(csv.DictReader(io.StringIO(files["csv"])))[-1]
    assert (last["dataset"], last["system"]) == ("Facts & dates", "rarr")
    assert float(last["f1_human"]) == f1.value
    assert int(last["f1_human_n"]) == PASSAGES


def test_a_campaigns_link_joins_it_with_the_one_that_is_tied_to_it(
    as_researcher: Client,
) -> None:
    study = JoinedStudy()
    other = make_campaign(slug="other", name="Other", sides="both")
    study.intent.follows = study.attribution
    study.intent.save()
    for slug in ("attribution", "intent"):
        chosen = as_researcher.get(f"/results/?with={slug}").context["choice"].campaigns
        assert {each.slug for each in chosen} == {"attribution", "intent"}
    assert as_researcher.get(f"/results/?with={other.slug}").context["choice"].campaigns == [other]
