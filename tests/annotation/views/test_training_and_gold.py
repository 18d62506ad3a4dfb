"""The pages of training and gold, and their permissions."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains

from annotation.adjudication.cases import AdjudicatedAnswer, open_case, save_adjudication
from annotation.campaigns.lifecycle import close_campaign
from annotation.models import Assignment, Campaign, CheckSettings, Pause, TrainingAttempt
from annotation.quality_control.reference_answers import Right, answers_of, checkable, use_item
from rarrweb.accounts.models import User
from tests.support.adjudication import make_outvoted
from tests.support.campaigns import hand_in, make_campaign, make_judgeable_run
from tests.support.kinds import make_citing_run, put
from tests.support.reference_answers import RIGHT, claim, judge_next, put_in_use, set_checks

pytestmark = pytest.mark.django_db

WRONG = (0, 0, 1)


@pytest.fixture
def campaign(annotator: User) -> Campaign:
    """Six items, the first for training, the second gold, every second item a gold one."""
    made = make_campaign(passages=6, raters=(annotator,))
    put_in_use(made, 1, "training")
    put_in_use(made, 2, "gold")
    set_checks(made, gold_every=2)
    return made


def address(name: str, campaign: Campaign, *more: object) -> str:
    return reverse(f"annotation:{name}", args=[campaign.slug, *more])


def test_a_training_item_tells_after_it_is_handed_in_and_not_before(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    assignment = claim(annotator, campaign)
    feedback = reverse("annotation:feedback", args=[assignment.pk])
    page = as_annotator.get(assignment.get_absolute_url()).content.decode()
    assert "Why 1." not in page
    assert 'id="training"' in page
    assert "item 1 of 1" in re.sub(r"\s+", " ", page)
    assert as_annotator.get(feedback).status_code == 404
    judge_next(annotator, campaign, (1, 0, 0))
    reported = as_annotator.get(assignment.get_absolute_url(), follow=True)
    assert reported.redirect_chain[-1][0] == feedback
    page = reported.content.decode()
    assert "2 of 3 right" in page
    assert page.count("Right answer<") == 1
    assert "Why 2." in page
    for displayed in (assignment.item.context, assignment.item.evidence[0]["text"]):
        assert displayed in page.partition("<details")[0]


def test_submitting_a_training_item_shows_what_is_right_and_then_the_result(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    assignment = claim(annotator, campaign)
    answer = {"criterion": "attributable"}
    for target, value in enumerate(RIGHT):
        put(as_annotator, assignment, answer | {"target": target, "value": value})
    submitted = as_annotator.post(
        reverse("annotation:submit-task", args=[assignment.pk]), follow=True
    )
    page = submitted.content.decode()
    assert "All right" in page
    assert address("training", campaign) in page
    assert TrainingAttempt.objects.get().has_passed
    assert "Training passed" in as_annotator.get(address("training", campaign)).content.decode()


def test_who_has_not_passed_is_led_to_the_training_page_and_tries_again(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    for position in (4, 5, 6):
        put_in_use(campaign, position, "training")
    done = judge_next(annotator, campaign, WRONG)
    judge_next(annotator, campaign, WRONG)
    judge_next(annotator, campaign, WRONG)
    answer = {"criterion": "attributable", "target": 0, "value": 1, "sequence": 50}
    response = put(as_annotator, done, answer)
    assert response.status_code == 409
    assert "seen the right answers" in response.json()["errors"][0]["detail"]
    next_task = reverse("annotation:next-task") + f"?campaign={campaign.slug}"
    led = as_annotator.post(next_task, follow=True)
    assert led.redirect_chain[-1][0] == address("training", campaign)
    assert "0 of 9 answers were right" in led.content.decode()
    again = as_annotator.post(address("try-again", campaign), follow=True)
    assert 'id="training"' in again.content.decode()
    assert again.redirect_chain[-1][0] != done.get_absolute_url()
    assert TrainingAttempt.objects.count() == 2
    close_campaign(campaign)
    assert as_annotator.get(reverse("annotation:feedback", args=[done.pk])).status_code == 200
    assert as_annotator.get(address("training", campaign)).status_code == 200


def html_of(client: Client, assignment: Assignment) -> str:
    return client.get(assignment.get_absolute_url()).content.decode()


def alike(page: str) -> str:
    """Remove what differs between items: numbers, times, tokens, navigation buttons."""
    page = re.sub(r'(csrfmiddlewaretoken" value="|CSRFToken": ")[^"]+', r"\1", page)
    page = re.sub(r', <span title="By the median.*?</span>', "", page)  # after a few items
    page = re.sub(r"<(a|button)[^>]*(data-previous|disabled|data-next)[^>]*>.*?</\1>", "", page)
    return re.sub(r"\s+", " ", re.sub(r"\d+", "#", page)).replace("> ", ">\n")


def test_a_gold_page_is_as_any_other_and_reports_nothing(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    put_in_use(campaign, 3, "gold")
    judge_next(annotator, campaign)  # training
    pages: dict[str, list[list[str]]] = {"": [], "gold": []}
    for turn in range(4):
        assignment = claim(annotator, campaign)
        fresh = html_of(as_annotator, assignment)
        answer = {"criterion": "attributable", "target": 0, "value": 1, "sequence": 1}
        response = put(as_annotator, assignment, answer).json()
        begun = html_of(as_annotator, assignment)
        judge_next(annotator, campaign)
        submitted_count = html_of(as_annotator, assignment)
        seen = [fresh, json.dumps(response, sort_keys=True), begun, submitted_count]
        if turn:  # the very first has a word of welcome, whichever it is
            pages[assignment.purpose].append([alike(each) for each in seen])
    golds, plains = pages["gold"], pages[""]
    for gold_page, plain_page in zip(golds[-1], plains[-1], strict=True):
        assert gold_page.splitlines() == plain_page.splitlines()
    for page in golds[-1]:
        assert "gold" not in page.lower()
        assert "training" not in page.lower()
    page = as_annotator.get(reverse("annotation:my-items")).content.decode().lower()
    for words in ("gold", "marked as late", "another has it"):
        assert words not in page


def test_a_paused_rater_reads_a_kind_sentence_and_the_researcher_lets_them_on(
    client: Client, campaign: Campaign, annotator: User, researcher: User
) -> None:
    set_checks(campaign, pause_percent=50, pause_targets=3)
    judge_next(annotator, campaign)  # training
    while not Assignment.objects.filter(purpose="gold").submitted().exists():
        judge_next(annotator, campaign, WRONG)
    client.force_login(annotator)
    next_task = reverse("annotation:next-task") + f"?campaign={campaign.slug}"
    page = client.post(next_task, follow=True).content.decode()
    assert "A short break" in page
    assert "all of it is kept" in page
    assert "gold" not in page.lower()
    client.force_login(researcher)
    waits = "1 rater below the gold threshold"
    assert waits in client.get(campaign.get_absolute_url()).content.decode()
    page = client.get(address("checks", campaign)).content.decode()
    assert "0 of the last 3 gold answers were right" in page
    client.post(address("resume-rater", campaign, annotator.pk))
    assert Pause.objects.get().ended_by == researcher
    assert waits not in client.get(campaign.get_absolute_url()).content.decode()
    client.force_login(annotator)
    assert client.post(next_task).headers["Location"].startswith("/tasks/")


def test_the_researcher_answers_an_item_as_it_should_be(
    as_researcher: Client, campaign: Campaign
) -> None:
    item = campaign.items.get(position=5)
    page = address("reference-answers", campaign, item.pk)
    assert as_researcher.get(page).status_code == 200
    refused = as_researcher.post(page, {"use": "gold"})
    assert "Give the right answer to at least one question" in refused.content.decode()
    right = {"right-attributable-0": "1", "why-attributable-0": "It is in it."}
    as_researcher.post(page, {"use": "gold", **right, "right-attributable-1": ""})
    item.refresh_from_db()
    assert item.use == "gold"
    assert {key: (right.value, right.why) for key, right in answers_of(item).items()} == {
        ("attributable", 0): (1, "It is in it.")
    }
    as_researcher.post(address("withdraw-item", campaign, item.pk))
    item.refresh_from_db()
    assert item.use == ""
    as_researcher.post(address("use-item", campaign, item.pk), {"use": "training"})
    item.refresh_from_db()
    assert item.use == "training"


def test_one_click_uses_an_adjudicated_item(as_researcher: Client, researcher: User) -> None:
    campaign = make_outvoted((1, 1, 0), (1, 1, 1), passages=1)
    item = campaign.items.get()
    answers = {("attributable", 2): AdjudicatedAnswer(value=0, reason="No.")}
    save_adjudication(item, by=researcher, answers=answers, seen=open_case(item).seen)
    page = as_researcher.get(address("checks", campaign)).content.decode()
    assert "Use item 1 as gold" in page
    as_researcher.post(address("use-item", campaign, item.pk), {"use": "gold"})
    values = {key: right.value for key, right in answers_of(item).items()}
    assert values == {("attributable", target): value for target, value in enumerate((1, 1, 0))}


def test_settings_are_saved_and_nonsense_is_refused(
    as_researcher: Client, campaign: Campaign
) -> None:
    page = address("check-settings", campaign)
    values = {"pass_percent": 90, "attempts": 2, "gold_every": 5}
    values |= {"pause_percent": 70, "pause_targets": 10}
    as_researcher.post(page, values)
    held = CheckSettings.objects.get(campaign=campaign)
    assert {name: getattr(held, name) for name in values} == values
    for name, wrong in (("pass_percent", 101), ("gold_every", 1), ("attempts", 0)):
        refused = as_researcher.post(page, values | {name: wrong})
        assert refused.status_code == 200
        assert "errorlist" in refused.content.decode()
    as_researcher.post(page, values | {"pause_percent": ""})
    held.refresh_from_db()
    assert held.pause_percent is None


def test_the_raters_report_has_gold_accuracy(
    as_researcher: Client, campaign: Campaign, annotator: User
) -> None:
    for _ in range(4):
        judge_next(annotator, campaign)
    page = as_researcher.get(address("reliability", campaign)).content.decode()
    assert "Gold accuracy" in page
    overview = as_researcher.get(address("checks", campaign)).content.decode()
    assert "<polyline" in overview
    assert "passed" in overview


def test_a_questionnaire_of_texts_reports_that_nothing_can_be_right(as_researcher: Client) -> None:
    campaign = make_campaign(questionnaire="manual_revision", passages=1)
    page = as_researcher.get(address("checks", campaign)).content.decode()
    assert "asks only for texts" in page
    item = campaign.items.get()
    assert as_researcher.get(address("reference-answers", campaign, item.pk)).status_code == 200


@pytest.mark.parametrize(
    ("kind", "sides"), [("intent", "pair"), ("answer_quality", "after"), ("citation", "after")]
)
def test_every_questionnaire_with_levels_trains_and_tells(
    client: Client, annotator: User, researcher: User, kind: str, sides: str
) -> None:
    run = make_judgeable_run(passages=2) if kind == "intent" else make_citing_run()
    campaign = make_campaign(run=run, questionnaire=kind, sides=sides, raters=(annotator,))
    item = campaign.items.get(position=1)
    requests = {
        (criterion.name, target): criterion.levels
        for criterion in checkable(campaign)
        for target in criterion.displayed_targets(item)
    }
    assert requests
    right = {key: Right(value=levels[-1].value, why="So.") for key, levels in requests.items()}
    use_item(item, use="training", answers=right, by=researcher)
    client.force_login(researcher)
    assert client.get(address("reference-answers", campaign, item.pk)).status_code == 200
    assignment = claim(annotator, campaign)
    values = {key: levels[-1].value for key, levels in requests.items()}
    wrong, levels = next(iter(requests.items()))
    hand_in(assignment, values | {wrong: levels[0].value})
    client.force_login(annotator)
    page = client.get(reverse("annotation:feedback", args=[assignment.pk])).content.decode()
    assert f"{len(requests) - 1} of {len(requests)} right" in page
    assert page.count("Right answer<") == 1


def test_the_form_gives_the_training_items_of_an_attempt(
    as_researcher: Client, campaign: Campaign
) -> None:
    page = as_researcher.get(address("checks", campaign))
    assertContains(page, "Too few training items for other ones each time: 1 of 9.")
    set_checks(campaign, attempts=2)
    for position in (2, 3, 4, 5, 6):
        put_in_use(campaign, position, "training")
    page = as_researcher.get(address("checks", campaign))
    assertContains(page, "Each has other items: 3 of the 6 training items.")
