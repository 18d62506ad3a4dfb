"""The model card's page, and the line about the model beside every auto-AIS figure."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.judging.claims import claim_next
from annotation.models import Assignment
from pipeline.backends.compact.text import parsing
from pipeline.backends.model_cards import card_stamp, headline_figure, shipped_card
from pipeline.engine.scorer_info import STAMP, headline
from pipeline.models import Run
from tests.support.campaigns import judge_everything, make_campaign
from tests.support.factories import make_run, make_user
from tests.support.revision_rows import make_viaduct

pytestmark = pytest.mark.django_db

PAGE = "/models/compact/"
HEADLINE = headline(shipped_card()).replace("\u00a0", " ")


def text_of(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    text = re.sub(r"<[^>]+>", " ", response.content.decode()).replace("\u00a0", " ")
    return re.sub(r" ([,.;:)])", r"\1", " ".join(text.replace("&nbsp;", " ").split()))


def make_scored_run(*, stamp: str = "", entailment: str = "compact") -> Run:
    versions = {STAMP: stamp} if stamp else {"rarrweb": "0.1.0"}
    run = make_run(config={"entailment": entailment}, versions=versions, state=Run.State.FINISHED)
    make_viaduct(run)
    return run


def pages_with_figures(run: Run) -> list[str]:
    """Every page that shows auto-AIS figures of the run."""
    rater = make_user()
    campaign = make_campaign(run=run, raters=(rater,))
    assignment = claim_next(rater, campaign=campaign)
    assert isinstance(assignment, Assignment)
    judge_everything(assignment)
    revision = run.revisions.get()
    return [
        reverse("pipeline:runs"),
        reverse("pipeline:run", args=[run.pk]),
        reverse("pipeline:run-revisions", args=[run.pk]),
        reverse("pipeline:revision", args=[revision.pk]),
        reverse("annotation:results", args=[campaign.slug]),
    ]


def test_the_page_shows_what_the_card_reports(
    as_researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    html = text_of(as_researcher, PAGE)
    for words in (
        "The compact reader 1.5",
        "AttributionBench dev A sentence of a model and what it cites.",
        "1,197 in 1,091 groups 0.79 [0.76, 0.81] 0.71 0.71 [0.68, 0.73] 0.08",
        "Far swaps restored dev, evidence near verbatim 0.83 [0.78, 0.87] 272",
        "share-alike",
        shipped_card()["facts"]["failures"][0],
        shipped_card()["weights"]["sha256"],
    ):
        assert words in html
    assert "Another parser" not in html
    monkeypatch.setattr(parsing, "is_measured", lambda: False)
    assert "Another parser" in text_of(as_researcher, PAGE)
    assert as_researcher.get("/models/palm/").status_code == 404


@pytest.mark.parametrize(
    ("made", "expected", "is_linked"),
    [
        ({"stamp": card_stamp()}, "compact", True),
        (
            {"stamp": "1.0, sha256 " + "cd" * 32},
            "compact, with other weights, or another parser, than those of the model card",
            True,
        ),
        ({"entailment": "hf:a/model"}, "hf:a/model, no figures of ours", False),
    ],
)
def test_every_auto_ais_figure_reports_which_model_made_it(
    as_researcher: Client, made: dict[str, str], expected: str, is_linked: bool
) -> None:
    for path in pages_with_figures(make_scored_run(**made)):
        html = text_of(as_researcher, path)
        assert expected in html, path
        assert HEADLINE not in html, path
        link = f'href="{PAGE}"' if is_linked else PAGE
        assert (link in as_researcher.get(path).text) is is_linked, path


def test_the_list_of_runs_has_each_model_once(as_researcher: Client) -> None:
    for _ in range(2):
        make_scored_run(stamp=card_stamp())
    runs = reverse("pipeline:runs")
    assert "by compact" not in text_of(as_researcher, runs)
    make_scored_run(entailment="hf:a/model")
    html = text_of(as_researcher, runs)
    assert html.count("by compact") == 2
    assert html.count("hf:a/model, no figures of ours") == 1


def test_a_revisions_file_holds_the_models_figure(as_researcher: Client) -> None:
    revision = make_scored_run(stamp=card_stamp()).revisions.get()
    line = as_researcher.get(reverse("pipeline:revision-json", args=[revision.pk])).json()
    assert (
        line["run"]["auto_ais"]["figure"]["auc"] == headline_figure(shipped_card())["auc"]["value"]
    )
