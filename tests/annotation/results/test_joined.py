"""Attribution and intent joined: a simulated study, and the same figures by another program."""

import csv
import io
from itertools import product

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Campaign, Judgment
from annotation.results.joined import Row, joined_rows, runs_of
from annotation.results.joined_files import csv_lines, latex
from annotation.results.joined_revisions import fields_of
from pipeline.models import Run
from rarrweb.accounts.models import User
from tests.support.exports import judge, make_campaign, make_item
from tests.support.factories import make_dataset, make_passage, make_revision, make_run, make_user

pytestmark = pytest.mark.django_db

PASSAGES = 24
T_23 = 2.0686576104190406
"""Student's t at 0.975 with 23 degrees of freedom, from a table."""


class Study:
    """Two systems over one dataset; what was drawn, and the campaigns made of it."""

    def __init__(self) -> None:
        chance = np.random.default_rng(11)
        shape = (2, PASSAGES)
        self.auto = chance.random((*shape, 2)).round(6)  # before, after
        self.lev = chance.random(shape).round(6)
        self.said = chance.random((*shape, 2, 3, 2)) < 0.6  # side, sentence, rater
        self.levels = chance.integers(0, 3, size=(*shape, 2))  # rater
        raters = [make_user(), make_user()]
        dataset = make_dataset(name="Facts & dates")
        passages = [
            make_passage(dataset, source={"model": "PaLM" if number % 2 else "LaMDA"})
            for number in range(PASSAGES)
        ]
        self.runs = [
            make_run(dataset=dataset, system=system, state=Run.State.FINISHED)
            for system in ("efec", "rarr")
        ]
        self.attribution, self.intent = (
            Campaign.objects.create(slug=kind, name=kind, questionnaire=kind, sides=sides,
                                    state=Campaign.State.PRODUCTION)
            for kind, sides in (("attribution", "both"), ("intent", "pair"))
        )  # fmt: skip
        for campaign in (self.attribution, self.intent):
            campaign.runs.set(self.runs)
        sentences = ("One.", "Two.", "Three.")
        for system, number in product(range(2), range(PASSAGES)):
            revision = make_revision(
                self.runs[system], passage=passages[number], state="done", text="One. Two. Three.",
                attribution_before=self.auto[system, number, 0],
                attribution_after=self.auto[system, number, 1],
                preservation=self.lev[system, number],
            )  # fmt: skip
            for side, name in enumerate(("before", "after")):
                item = make_item(self.attribution, *sentences, side=name, revision=revision)
                for slot, rater in enumerate(raters):
                    said = self.said[system, number, side, :, slot]
                    judge(item, rater, *map(bool, said), slot=slot + 1)
            pair = make_item(self.intent, *sentences, side="pair", revision=revision)
            for slot, rater in enumerate(raters):
                given = judge(pair, rater, slot=slot + 1)
                Judgment.objects.create(
                    assignment=given, criterion="intent", target=0,
                    value=int(self.levels[system, number, slot]), updated_at=given.submitted_at,
                )  # fmt: skip


def by_numpy(study: Study, system: int) -> dict[str, tuple[float, float, float]]:
    """Every figure of one system with its interval, from what was drawn: nothing of the product."""

    def interval(values: np.ndarray) -> tuple[float, float, float]:  # type: ignore[type-arg]
        mean, half = values.mean(), T_23 * values.std(ddof=1) / np.sqrt(values.size)
        return mean, mean - half, mean + half

    def f1(attribution: np.ndarray, kept: np.ndarray) -> tuple[float, float, float]:  # type: ignore[type-arg]
        a, p = attribution.mean(), kept.mean()
        of_a, of_p = 2 * p**2 / (a + p) ** 2, 2 * a**2 / (a + p) ** 2
        _, low, high = interval(of_a * (attribution - a) + of_p * (kept - p))
        return 2 * a * p / (a + p), low + 2 * a * p / (a + p), high + 2 * a * p / (a + p)

    auto, lev = study.auto[system], study.lev[system]
    ais = study.said[system].mean(axis=(2, 3))
    intent = (study.levels[system] == 2).mean(axis=1)
    return {
        "attr_auto_before": interval(auto[:, 0]),
        "attr_auto_after": interval(auto[:, 1]),
        "attr_ais_before": interval(ais[:, 0]),
        "attr_ais_after": interval(ais[:, 1]),
        "pres_intent": interval(intent),
        "pres_lev": interval(lev),
        "pres_comb": interval(intent * lev),
        "f1_auto": f1(auto[:, 1], lev),
        "f1_human": f1(ais[:, 1], intent * lev),
    }


def test_a_simulated_study_has_the_figures_that_another_program_counts() -> None:
    study = Study()
    rows = joined_rows([study.attribution, study.intent])
    assert [row.run for row in rows] == study.runs
    for system, row in enumerate(rows):
        assert row.without_attribution == row.without_intent == 0
        for key, wanted in by_numpy(study, system).items():
            found = row.figures[key]
            assert found is not None
            assert found.n == PASSAGES
            assert (found.value, found.low, found.high) == pytest.approx(wanted, rel=1e-12), key
    lead = rows[1].lead
    assert rows[0].lead is None
    assert lead is not None
    f1 = [by_numpy(study, system)["f1_human"][0] for system in range(2)]
    assert lead.value == pytest.approx(f1[1] - f1[0], rel=1e-9)


def test_what_nobody_judged_is_counted_and_left_out_and_late_work_is_no_judgment() -> None:
    study = Study()
    one = study.intent.items.filter(revision__run=study.runs[0]).order_by("pk")[:3]
    for item in one:
        item.assignments.update(slot=None, is_late=True)
    study.attribution.items.filter(revision=one[0].revision_id, side="after").delete()
    first, second = joined_rows([study.attribution, study.intent])
    assert (first.without_attribution, first.without_intent) == (1, 3)
    assert ns(first) == (PASSAGES - 1, PASSAGES - 3, PASSAGES - 3)
    assert second.lead is not None
    assert second.lead.n == PASSAGES - 3  # passages that both systems have
    alone = joined_rows([study.attribution])
    assert ns(alone[0]) == (PASSAGES - 1, 0, 0)


def ns(row: Row) -> tuple[int, ...]:
    keys = ("attr_ais_after", "pres_intent", "f1_human")
    return tuple(found.n if (found := row.figures[key]) else 0 for key in keys)


def test_passages_that_were_drawn_less_readily_count_more() -> None:
    study = Study()
    rare = [each.pk for each in study.attribution.items.all() if each.revision_id % 3 == 0]
    study.attribution.items.filter(pk__in=rare).update(inclusion=0.25)
    row = joined_rows([study.attribution, study.intent])[0]
    ais = study.said[0, :, 1].mean(axis=(1, 2))
    ids = study.runs[0].revisions.order_by("passage_id").values_list("pk", flat=True)
    weights = np.array([4.0 if pk % 3 == 0 else 1.0 for pk in ids])
    kept = (study.levels[0] == 2).mean(axis=1) * study.lev[0]
    found, f1 = row.figures["attr_ais_after"], row.figures["f1_human"]
    assert found is not None
    assert found.value == pytest.approx(np.average(ais, weights=weights), rel=1e-12)
    a, p = np.average(ais, weights=weights), np.average(kept, weights=weights)
    assert f1 is not None
    assert f1.value == pytest.approx(2 * a * p / (a + p), rel=1e-12)


def test_a_field_of_the_passages_parts_the_rows() -> None:
    study = Study()
    campaigns = [study.attribution, study.intent]
    assert fields_of(runs_of(campaigns)) == ["model"]
    rows = joined_rows(campaigns, by="model")
    assert [(row.part, row.run.system, row.revised) for row in rows] == [
        ("LaMDA", "efec", 12), ("LaMDA", "rarr", 12), ("PaLM", "efec", 12), ("PaLM", "rarr", 12),
    ]  # fmt: skip
    assert [row.lead is None for row in rows] == [True, False, True, False]


def test_the_page_shows_the_table_and_its_files_say_the_same() -> None:
    study = Study()
    client = Client()
    client.force_login(make_user(role=User.Role.RESEARCHER))
    address = "/results/?campaign=attribution&campaign=intent&by=model"
    with CaptureQueriesContext(connection) as queries:
        page = client.get(address)
    assert len(queries) <= 12
    rows = joined_rows([study.attribution, study.intent], by="model")
    f1 = rows[3].figures["f1_human"]
    assert f1 is not None
    assert f"{f1.value:.2f}" in page.content.decode()
    assert (
        page.context["latex"]
        == latex(rows)
        == client.get(f"{address}&format=latex").content.decode()
    )
    assert f"{100 * f1.value:.1f} {{\\scriptsize [" in latex(rows)
    assert r"\emph{Facts \& dates}" in latex(rows)
    sent = client.get(f"{address}&format=csv")
    assert sent.streaming
    text = b"".join(sent.streaming_content).decode()  # type: ignore[attr-defined]
    assert text == "".join(csv_lines(rows))
    last = list(csv.DictReader(io.StringIO(text)))[-1]
    assert (last["dataset"], last["part"], last["system"]) == ("Facts & dates", "PaLM", "rarr")
    assert float(last["f1_human"]) == f1.value
    assert int(last["f1_human_n"]) == 12


def test_a_campaigns_link_joins_it_with_the_one_that_is_tied_to_it() -> None:
    study = Study()
    other = make_campaign(slug="other", name="Other", sides="both")
    study.intent.follows = study.attribution
    study.intent.save()
    client = Client()
    client.force_login(make_user(role=User.Role.RESEARCHER))
    for slug in ("attribution", "intent"):
        chosen = client.get(f"/results/?with={slug}").context["chosen"]
        assert {each.slug for each in chosen} == {"attribution", "intent"}
    assert client.get(f"/results/?with={other.slug}").context["chosen"] == [other]


def test_only_researchers_see_it() -> None:
    client = Client()
    client.force_login(make_user())
    assert client.get("/results/").status_code == 404
