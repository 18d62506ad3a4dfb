"""Adding a questionnaire touches nothing else: two tiny ones are used from form to file."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation import questionnaires
from annotation.models import Campaign, Judgment
from annotation.questionnaires.types import Criterion, Level, Questionnaire, yes_or_no
from annotation.raters.memberships import add_member
from annotation.results.by_questionnaire import campaign_figures
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign, make_judgeable_run
from tests.support.exports import manifest_of, rows_of
from tests.support.factories import make_user
from tests.support.kinds import put
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db

KEYS = (("1", "yes"), ("2", "no"), ("0", "take the answer back"))
STYLES = tuple(Level(value=at, label=label) for at, label in enumerate(("dull", "plain", "lively")))


def a_criterion(name: str, question: str, levels: tuple[Level, ...], **values: Any) -> Criterion:
    about = {"targets": "item", "noun": "passage", "is_required": True, "unset": "not judged"}
    return Criterion(name=name, question=question, levels=levels, **{**about, **values})


FLUENCY = Questionnaire(
    name="fluency",
    title="Fluency",
    summary="say of each sentence whether it reads well",
    does="You say of each sentence whether it reads well.",
    question="Does each sentence read well?",
    keys=KEYS,
    criteria=(
        a_criterion(
            "fluent", "It reads", yes_or_no("well", "badly"), targets="sentences", noun="sentence"
        ),
        a_criterion("style", "The whole is", STYLES, is_ordinal=True),
    ),
    result_criterion="fluent",
)
ALONE = Questionnaire(
    name="alone",
    title="Alone",
    summary="say of each passage whether it stands alone",
    does="You say of each passage whether it stands alone.",
    question="Can the passage be understood by itself?",
    keys=KEYS,
    criteria=(a_criterion("alone", "It is", yes_or_no("clear by itself", "unclear by itself")),),
    result_criterion="alone",
    shows=(),
)


@pytest.fixture
def is_added(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A row in the table, and a file of instructions, for each: what a programmer adds."""
    for file in questionnaires.GUIDELINES.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(questionnaires, "GUIDELINES", tmp_path)
    for name in ("fluency", "alone"):
        (tmp_path / f"{name}.md").write_text("Read it **aloud**.", encoding="utf-8")
        monkeypatch.setitem(questionnaires.QUESTIONNAIRES, name, f"{__name__}.{name.upper()}")


@pytest.mark.usefixtures("is_added")
def test_a_new_questionnaire_goes_from_the_form_to_results_reliability_and_a_file(
    as_researcher: Client, client: Client
) -> None:
    run = make_judgeable_run(passages=1)
    form = as_researcher.get("/campaigns/new/").content.decode()
    assert "say of each sentence whether it reads well" in form
    data = {"name": "Reading", "run": run.pk, "questionnaire": "fluency"}
    data |= {"sides": "after", "raters_per_item": 2}
    assert as_researcher.post("/campaigns/new/", data).status_code == 302
    campaign = Campaign.objects.get(questionnaire="fluency")

    for fluent, style in (((1, 1, 0), 2), ((1, 0, 0), 1)):
        judge_on_the_page(make_user(), campaign, fluent, style)

    client.force_login(campaign.created_by)
    for address in ("", "results/"):
        displayed = client.get(f"/campaigns/{campaign.slug}/{address}").content.decode()
        assert "Well, after" in displayed
        assert "uto-AIS" not in displayed
    assert "answers that are “well”, sentence by sentence" in displayed
    [share] = campaign_figures(campaign)
    assert share.estimate.value == pytest.approx((2 / 3 + 1 / 3) / 2)
    figures = client.get(f"/campaigns/{campaign.slug}/reliability/").content.decode()
    assert "Fluent, of each sentence" in figures
    assert "Krippendorff’s alpha, ordinal" in figures
    assert client.get(f"/campaigns/{campaign.slug}/differences/").status_code == 200
    adjudication = client.get(f"/adjudicate/{campaign.items.get().pk}/").content.decode()
    assert "Passage: The whole is" in adjudication

    targets = {(row["criterion"], row["target_kind"]) for row in rows_of(campaign)}
    assert targets == {("fluent", "sentence"), ("style", "item")}
    levels = manifest_of(campaign)["campaign"]["criteria"]["style"]
    assert levels == {0: "dull", 1: "plain", 2: "lively"}


@pytest.mark.usefixtures("is_added")
def test_one_question_about_the_passage_alone_shows_nothing_next_to_it_and_counts_its_yes(
    client: Client,
) -> None:
    raters = make_user(), make_user()
    campaign = make_campaign(
        questionnaire="alone", sides="both", passages=1, raters_per_item=2, raters=raters
    )
    for rater, before in zip(raters, (1, 0), strict=True):
        client.force_login(rater)
        for _ in range(2):
            assignment = claim(rater, campaign=campaign)
            item = assignment.item
            page = client.get(f"/tasks/{assignment.pk}/").content.decode()
            assert f'<p class="prose text" dir="auto">{item.text}</p>' in page
            assert page.count('<fieldset class="question"') == 1
            assert (item.context, item.evidence) == ("", [])
            for words in ("Tell me about", "Harbour bridge", "There is no evidence", "Sentence 1"):
                assert words not in page
            for key in ("T", "J"):
                assert f"<kbd>{key}</kbd>" not in page
            value = before if item.side == "before" else 1
            answer = {"criterion": "alone", "target": 0, "value": value}
            assert put(client, assignment, answer).status_code == 200
            assert client.post(f"/tasks/{assignment.pk}/submit/").status_code == 302
    assert [
        (each.label, each.meaning, each.estimate and each.estimate.value)
        for each in campaign_figures(campaign)
    ] == [
        ("Clear by itself, before", "answers that are “clear by itself”, passage by passage", 0.5),
        ("Clear by itself, after", "answers that are “clear by itself”, passage by passage", 1.0),
    ]


def judge_on_the_page(rater: User, campaign: Campaign, fluent: tuple[int, ...], style: int) -> None:
    """The item through its page, the interface and the form, as a browser does it."""
    add_member(campaign, user=rater)
    campaign.memberships.update(has_read_instructions=True)
    assignment = claim(rater, campaign=campaign)
    browser = Client()
    browser.force_login(rater)
    page = browser.get(f"/tasks/{assignment.pk}/").content.decode()
    for words in ("Does each sentence read well?", "aloud"):
        assert words in page
    for element in ("fluent-2", "style-0"):
        assert f'id="{element}"' in page
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
