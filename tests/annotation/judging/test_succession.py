"""Attribution and intent in succession: a passage's second question right after its first."""

import pytest
from django.test import Client

from annotation.campaigns.lifecycle import begin, close_campaign, make_draft
from annotation.items.selection import NothingToJudge
from annotation.judging.claims import NoTask, Reason, claim_next
from annotation.models import Assignment, Campaign
from annotation.quality_control.reference_answers import Right, use_item
from annotation.quality_control.training import finish_if_complete
from annotation.raters import consent
from annotation.raters.memberships import add_member
from pipeline.models import Run
from rarrweb.accounts.models import User
from tests.support.campaigns import hand_in, judge_everything, make_judgeable_run
from tests.support.factories import make_user
from tests.support.reference_answers import claim, set_checks

pytestmark = pytest.mark.django_db

SAME = {("intent", 0): Right(value=2, why="The same.")}


def tied(client: Client, run: Run, *raters: User, **more: object) -> tuple[Campaign, Campaign]:
    data = {"name": "Bridges", "run": run.pk, "sides": "after", "raters_per_item": 1}
    data |= {"questionnaire": ["attribution", "intent"]}
    data |= {"person": [each.pk for each in raters]}
    assert client.post("/campaigns/new/", data | more).status_code == 302
    first, second = Campaign.objects.order_by("pk")
    assert second.follows == first
    return first, second


def compare(assignment: Assignment) -> None:
    hand_in(assignment, {("intent", 0): 2})


@pytest.mark.parametrize("requests", ["first", "second", "any"])
def test_each_passage_is_asked_about_twice_in_a_row(
    as_researcher: Client, annotator: User, requests: str
) -> None:
    first, second = tied(as_researcher, make_judgeable_run(passages=3), annotator)
    campaign = {"first": first, "second": second, "any": None}[requests]
    order = []
    for _ in range(3):
        attribution = claim(annotator, campaign)
        assert attribution.campaign == first
        judge_everything(attribution)
        intent = claim(annotator, campaign)
        assert intent.campaign == second
        assert intent.item.revision == attribution.item.revision
        assert claim(annotator, campaign) == intent  # until it is submitted
        compare(intent)
        order.append(intent.item.revision_id)
    assert len(set(order)) == 3
    assert isinstance(claim_next(annotator, campaign=campaign), NoTask)


def test_the_page_of_the_second_reports_it(
    as_researcher: Client, annotator: User, client: Client
) -> None:
    first, second = tied(as_researcher, make_judgeable_run(passages=2), annotator)
    client.force_login(annotator)
    first.memberships.update(has_read_instructions=True)
    words = "second question on a passage"
    attribution = claim(annotator, first)
    assert words not in client.get(attribution.get_absolute_url()).content.decode()
    judge_everything(attribution)
    onward = client.post(f"/tasks/{attribution.pk}/submit/").headers["Location"]
    instructions = client.get(onward).headers["Location"]
    assert instructions == f"/campaigns/{second.slug}/guidelines/", "they come first"
    onward = client.post(f"/tasks/next/?campaign={second.slug}", {"read": "yes"}).headers[
        "Location"
    ]
    assert words in client.get(onward).content.decode()


def test_of_both_sides_only_the_revised_one_is_followed(
    as_researcher: Client, annotator: User
) -> None:
    first, second = tied(as_researcher, make_judgeable_run(passages=6), annotator, sides="both")
    sides = []
    for _ in range(6):  # a passage on one side only, and chance says on which
        judged = claim(annotator, first)
        assert judged.campaign == first
        judge_everything(judged)
        sides.append(judged.item.side)
        if judged.item.side == "after":
            intent = claim(annotator, first)
            assert intent.item.revision == judged.item.revision
            compare(intent)
    assert second.items.filter(done=1).count() == sides.count("after")


def test_the_second_takes_the_passages_of_the_first(as_researcher: Client, annotator: User) -> None:
    more = {"sample_size": 3, "pilot_size": 1, "sides": "both"}
    first, second = tied(as_researcher, make_judgeable_run(passages=8), annotator, **more)
    for phase in ("pilot", "production"):
        passages = [
            set(each.items.filter(phase=phase).values_list("passage", flat=True))
            for each in (first, second)
        ]
        assert passages[0] == passages[1] != set()
    assert set(second.items.values_list("inclusion", flat=True)) == {3 / 8}


def test_a_rater_of_the_first_alone_gets_no_second_question(
    as_researcher: Client, annotator: User
) -> None:
    first, _ = tied(as_researcher, make_judgeable_run(passages=2), make_user())
    add_member(first, user=annotator)
    for _ in range(2):
        attribution = claim(annotator, first)
        assert attribution.campaign == first
        judge_everything(attribution)


def test_neither_goes_on_without_the_consent_to_both(
    as_researcher: Client, annotator: User
) -> None:
    first, second = tied(as_researcher, make_judgeable_run(passages=2), annotator)
    consent.publish(second, text="Do you agree?", withdrawal="keep", by=make_user())
    outcome = claim_next(annotator, campaign=first)
    assert isinstance(outcome, NoTask)
    assert (outcome.reason, outcome.campaign) == (Reason.CONSENT, second)


def test_the_second_alone_hands_out_one_item_at_a_time(
    as_researcher: Client, annotator: User
) -> None:
    first, second = tied(as_researcher, make_judgeable_run(passages=3), annotator)
    Campaign.objects.filter(pk=second.pk).update(state="closed")
    while isinstance(claimed := claim_next(annotator, campaign=first), Assignment):
        judge_everything(claimed)
    Campaign.objects.filter(pk=second.pk).update(state="production")
    close_campaign(first)
    assert len({claim(annotator).pk for _ in range(3)}) == 1
    assert second.items.filter(assignments__isnull=False).count() == 1


def test_gold_items_come_in_the_second_too(as_researcher: Client, annotator: User) -> None:
    first, second = tied(as_researcher, make_judgeable_run(passages=12), annotator)
    for item in second.items.order_by("position")[:3]:
        use_item(item, use="gold", answers=SAME, by=second.created_by)
    set_checks(second, gold_every=2)
    second.memberships.update(has_read_instructions=True)
    purposes = []
    client = Client()
    client.force_login(annotator)
    while isinstance(claimed := claim_next(annotator), Assignment):
        if claimed.campaign == first:
            judge_everything(claimed)
        else:
            page = client.get(claimed.get_absolute_url()).content.decode()
            assert "second question on a passage" in page  # words that do not tell gold apart
            compare(claimed)
            purposes.append(claimed.purpose)
    by_turn = [purposes[at : at + 2] for at in range(0, 6, 2)]
    assert [turn.count("gold") for turn in by_turn] == [1, 1, 1]
    assert purposes.count("") == 12 - 3


def test_the_second_trains_before_its_first_item_and_follows_then(
    as_researcher: Client, annotator: User
) -> None:
    first, second = tied(as_researcher, make_judgeable_run(passages=3), annotator)
    item = second.items.order_by("position")[0]
    use_item(item, use="training", answers=SAME, by=second.created_by)
    order = []
    while isinstance(claimed := claim_next(annotator), Assignment):
        if claimed.campaign == first:
            judge_everything(claimed)
            order.append("first")
        else:
            compare(claimed)
            finish_if_complete(second, annotator)
            order.append(claimed.purpose or "second")
    assert [each for each in order if each != "first"] == ["training", "second", "second"]
    assert order[0] == "first"
    assert order[-2:] != ["second", "second"]  # each right after its first question


def test_the_second_cannot_begin_before_the_first(researcher: User) -> None:
    run = make_judgeable_run()
    chosen = {"runs": [run], "raters_per_item": 1, "created_by": researcher}
    first = make_draft(name="One", sides="after", **chosen)
    second = make_draft(name="Two", questionnaire="intent", sides="pair", follows=first, **chosen)
    with pytest.raises(NothingToJudge, match="Start “One” first"):
        begin(second)
