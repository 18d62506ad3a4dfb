"""Adding a questionnaire touches nothing else: a tiny one walks the whole road."""

import csv
import io
from pathlib import Path

import pytest
from django.test import Client

from annotation import questionnaires
from annotation.assigning import claim_next
from annotation.campaigns import add_member
from annotation.exporting import Export, load_format
from annotation.models import Assignment, Campaign, Judgment
from annotation.questionnaires.types import Criterion, Level, Questionnaire, Rule, yes_or_no
from rarrweb.accounts.models import User
from tests.annotation.factories import make_judgeable_run
from tests.annotation.questionnaires.test_kinds import put
from tests.factories import make_user

pytestmark = pytest.mark.django_db

FLUENCY = Questionnaire(
    name="fluency",
    title="Fluency",
    summary="say of each sentence whether it reads well",
    question="Does each sentence read well?",
    guidelines="fluency.md",
    keys=(("1", "yes"), ("2", "no"), ("0", "take the answer back")),
    criteria=(
        Criterion(
            name="fluent", targets="sentences", noun="sentence", question="It reads",
            is_required=True, levels=yes_or_no("well", "badly"), unset="not judged",
        ),
        Criterion(
            name="style", targets="item", noun="passage", question="The whole is",
            is_required=True, is_ordinal=True, unset="not judged",
            levels=tuple(
                Level(value=value, label=label)
                for value, label in enumerate(("dull", "plain", "lively"))
            ),
        ),
    ),
    counted="fluent",
    rules=(Rule(criterion="fluent", how="all", label="fluent"),),
)  # fmt: skip


@pytest.fixture
def is_added(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One row in the table, and a file of instructions: what a programmer adds."""
    for file in questionnaires.GUIDELINES.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "fluency.md").write_text("Read it **aloud**.", encoding="utf-8")
    monkeypatch.setattr(questionnaires, "GUIDELINES", tmp_path)
    monkeypatch.setitem(questionnaires.QUESTIONNAIRES, "fluency", f"{__name__}.FLUENCY")


@pytest.mark.usefixtures("is_added")
def test_a_new_questionnaire_goes_from_the_form_to_results_reliability_and_a_file(
    as_researcher: Client, client: Client
) -> None:
    run = make_judgeable_run(passages=1)
    form = as_researcher.get("/campaigns/new/").content.decode()
    assert "Fluency — say of each sentence whether it reads well" in form
    started = as_researcher.post(
        "/campaigns/new/",
        {"name": "Reading", "run": run.pk, "questionnaire": "fluency", "sides": "after",
         "raters_per_item": 2},
    )  # fmt: skip
    assert started.status_code == 302
    campaign = Campaign.objects.get(questionnaire="fluency")

    for fluent, style in (((1, 1, 0), 2), ((1, 0, 0), 1)):
        judge_on_the_page(make_user(), campaign, fluent, style)

    client.force_login(campaign.created_by)
    page = client.get(f"/campaigns/{campaign.slug}/").content.decode()
    assert "1 of 2" in page  # the second sentence is tied
    figures = client.get(f"/campaigns/{campaign.slug}/reliability/").content.decode()
    assert "Fluent, of each sentence" in figures
    assert "Alpha, ordinal" in figures
    differences = client.get(f"/campaigns/{campaign.slug}/differences/")
    assert differences.status_code == 200
    item = campaign.items.get()
    settling = client.get(f"/adjudicate/{item.pk}/").content.decode()
    assert "Passage: The whole is" in settling

    export = Export(campaign=campaign, format=load_format("csv"))
    text = b"".join(export.chunks()).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {(row["criterion"], row["target_kind"]) for row in rows} == {
        ("fluent", "sentence"), ("style", "item"),
    }  # fmt: skip
    assert export.manifest()["campaign"]["criteria"]["style"] == {
        0: "dull",
        1: "plain",
        2: "lively",
    }


def judge_on_the_page(rater: User, campaign: Campaign, fluent: tuple[int, ...], style: int) -> None:
    """The item through its page, the interface and the form, as a browser does it."""
    add_member(campaign, user=rater)
    assignment = claim_next(rater, campaign=campaign)
    assert isinstance(assignment, Assignment)
    browser = Client()
    browser.force_login(rater)
    page = browser.get(f"/tasks/{assignment.pk}/").content.decode()
    for words in ("Does each sentence read well?", 'id="fluent-2"', 'id="style-0"', "aloud",
                  'data-rule="all"'):  # fmt: skip
        assert words in page
    answers = [
        {"criterion": "fluent", "target": target, "value": value}
        for target, value in enumerate(fluent)
    ]
    saved = put(browser, assignment, *answers)
    assert saved.status_code == 200
    missing = browser.post(f"/tasks/{assignment.pk}/submit/").content.decode()
    assert "Passage is not judged." in missing
    put(browser, assignment, {"criterion": "style", "target": 0, "value": style, "sequence": 2})
    assert browser.post(f"/tasks/{assignment.pk}/submit/").status_code == 302
    assert Judgment.objects.filter(assignment=assignment).count() == 4
