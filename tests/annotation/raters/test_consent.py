"""Consent: no item without it, a new version asks again, a withdrawal does what it said."""

import uuid

import pytest
from django.http import Http404
from django.test import Client
from django.utils.timezone import now
from pytest_django.asserts import assertContains, assertRedirects

from annotation.campaigns.lifecycle import copy_campaign
from annotation.judging import skips
from annotation.judging.answers import submit
from annotation.judging.claims import NoTask, Reason, claim_next
from annotation.judging.releases import release
from annotation.models import (
    Assignment,
    Campaign,
    ConsentAnswer,
    Item,
    Judgment,
    Membership,
    Pause,
    TrainingAttempt,
)
from annotation.quality_control import claim_rules, training
from annotation.raters import consent
from annotation.raters.forms import consent_draft
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign, save_judgment
from tests.support.factories import make_user
from tests.support.reference_answers import claim, judge_next, put_in_use, set_checks

pytestmark = pytest.mark.django_db

TEXT = "## Why\n\nWe *study* reading."


@pytest.fixture
def campaign(annotator: User) -> Campaign:
    return make_campaign(raters=(annotator,), passages=3)


def publish(campaign: Campaign, text: str = TEXT, withdrawal: str = "delete") -> None:
    by = make_user(role=User.Role.RESEARCHER)
    assert consent.publish(campaign, text=text, withdrawal=withdrawal, by=by) is not None


def agree(user: User, campaign: Campaign, answer: str = "agreed") -> None:
    text = consent.current_text(campaign)
    assert text is not None
    consent.answer(text, user=user, answer=answer)


def test_another_campaign_without_a_text_goes_on(campaign: Campaign, annotator: User) -> None:
    publish(campaign)
    other = make_campaign(raters=(annotator,), name="Other")
    found = claim(annotator)
    assert found.item.campaign == other


def test_a_rater_agrees_and_gets_an_item(as_annotator: Client, campaign: Campaign) -> None:
    publish(campaign)
    response = as_annotator.get("/tasks/next/", follow=True)
    assert response.redirect_chain[-1][0] == "/campaigns/bridges/consent/"
    assertContains(response, "<em>study</em>")
    response = as_annotator.post(
        "/campaigns/bridges/consent/", {"answer": "agreed", "version": "1"}, follow=True
    )
    assert response.redirect_chain[-1][0] == "/campaigns/bridges/guidelines/"
    assert Assignment.objects.exists()
    assertContains(as_annotator.get("/campaigns/bridges/"), "withdraw your consent")
    row = ConsentAnswer.objects.get()
    assert (row.answer, row.text.version) == ("agreed", 1)
    assert row.at is not None


def test_who_does_not_agree_gets_none_and_can_change_their_mind(
    as_annotator: Client, campaign: Campaign
) -> None:
    publish(campaign)
    as_annotator.post("/campaigns/bridges/consent/", {"answer": "declined", "version": "1"})
    assert as_annotator.post("/tasks/next/").headers["Location"] == "/campaigns/bridges/consent/"
    assert not Assignment.objects.exists()
    assertContains(as_annotator.get("/campaigns/bridges/consent/"), "You can change your mind here")
    as_annotator.post("/campaigns/bridges/consent/", {"answer": "agreed", "version": "1"})
    started = as_annotator.post("/tasks/next/", {"read": "yes"})
    assert started.headers["Location"].startswith("/tasks/")
    assert list(ConsentAnswer.objects.values_list("answer", flat=True)) == ["declined", "agreed"]


def test_an_item_in_hand_is_not_shown_before_the_answer_either(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    claimed = claim(annotator)
    publish(campaign)
    response = as_annotator.get(f"/tasks/{claimed.pk}/")
    assertRedirects(response, "/campaigns/bridges/consent/")
    assert (
        "Nobody painted it" not in as_annotator.get("/campaigns/bridges/consent/").content.decode()
    )


def test_a_new_version_asks_again_and_keeps_the_first_answer(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    agree(annotator, campaign)
    publish(campaign, text="Other words.")
    page = as_annotator.get("/campaigns/bridges/consent/").content.decode()
    assert "You agreed to version 1" in page
    assert consent.is_missing(annotator, campaign)
    agree(annotator, campaign)
    answers = ConsentAnswer.objects.filter(rater=annotator)
    assert list(answers.values_list("text__version", flat=True)) == [1, 2]
    assert not consent.is_missing(annotator, campaign)


def test_an_answer_to_words_that_have_changed_is_not_taken(
    as_annotator: Client, campaign: Campaign
) -> None:
    publish(campaign)
    publish(campaign, text="Other words.")
    response = as_annotator.post(
        "/campaigns/bridges/consent/", {"answer": "agreed", "version": "1"}, follow=True
    )
    assertContains(response, "The text has changed since you opened the page")
    assert not ConsentAnswer.objects.exists()


def test_a_text_that_changes_at_the_same_moment_is_noticed(
    campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    read = consent.current_text(campaign)
    assert read is not None
    publish(campaign, text="Other words.")
    with pytest.raises(consent.TextChanged):
        consent.answer(read, user=annotator, answer="agreed")


def test_the_same_answer_twice_is_recorded_once(campaign: Campaign, annotator: User) -> None:
    publish(campaign)
    agree(annotator, campaign)
    agree(annotator, campaign)
    assert ConsentAnswer.objects.count() == 1


@pytest.mark.parametrize("answer", ["", "maybe", "withdrawn"])
def test_another_answer_is_refused(as_annotator: Client, campaign: Campaign, answer: str) -> None:
    publish(campaign)
    response = as_annotator.post(
        "/campaigns/bridges/consent/", {"answer": answer, "version": "1"}, follow=True
    )
    assertContains(response, "Choose “I agree” or “I do not agree”")
    assert not ConsentAnswer.objects.exists()


def test_what_one_agreed_to_can_be_read_when_nothing_is_asked_any_more(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    assert as_annotator.get("/campaigns/bridges/consent/").status_code == 200
    agree(annotator, campaign)
    publish(campaign, text="")
    page = as_annotator.get("/campaigns/bridges/consent/")
    assertContains(page, "<em>study</em>")
    assertContains(page, "Withdraw my consent")


def test_a_withdrawal_that_deletes_leaves_nothing_and_frees_the_places(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign, withdrawal="delete")
    agree(annotator, campaign)
    for _ in range(2):
        judge_everything(claim(annotator))
    assert Item.objects.filter(done=1).count() == 2
    assertContains(as_annotator.get("/campaigns/bridges/consent/withdraw/"), "is deleted,")
    as_annotator.post("/campaigns/bridges/consent/withdraw/")
    assert not Assignment.objects.filter(rater=annotator).exists()
    assert not Judgment.objects.exists()
    assert not Item.objects.filter(done=1).exists()
    assert not Membership.objects.filter(user=annotator).exists()
    last = ConsentAnswer.objects.last()
    assert last is not None
    assert last.answer == "withdrawn"


def test_a_withdrawal_that_keeps_keeps_what_was_handed_in(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign, withdrawal="keep")
    agree(annotator, campaign)
    claimed = claim(annotator)
    judge_everything(claimed)
    begun = claim(annotator)
    as_annotator.post("/campaigns/bridges/consent/withdraw/")
    begun.refresh_from_db()
    claimed.refresh_from_db()
    assert begun.slot is None
    assert claimed.slot is not None
    assert not Membership.objects.filter(user=annotator).exists()
    assert as_annotator.get(f"/tasks/{claimed.pk}/").status_code == 404


def test_what_the_text_promised_holds_and_not_what_a_later_one_says(
    campaign: Campaign, annotator: User
) -> None:
    publish(campaign, withdrawal="delete")
    agree(annotator, campaign)
    judge_everything(claim(annotator))
    publish(campaign, withdrawal="keep")
    consent.withdraw(annotator, campaign)
    assert not Assignment.objects.exists()


def test_who_has_not_agreed_has_nothing_to_take_back(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    assert as_annotator.get("/campaigns/bridges/consent/withdraw/").status_code == 404
    agree(annotator, campaign, "declined")
    assert as_annotator.post("/campaigns/bridges/consent/withdraw/").status_code == 404
    assert Membership.objects.filter(user=annotator).exists()


def test_who_declines_a_newer_text_can_still_withdraw_from_the_first(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign, withdrawal="delete")
    agree(annotator, campaign)
    judge_next(annotator, campaign)
    publish(campaign, text="Other words.", withdrawal="keep")
    as_annotator.post("/campaigns/bridges/consent/", {"answer": "declined", "version": "2"})
    withdraw = "/campaigns/bridges/consent/withdraw/"
    assertContains(as_annotator.get("/campaigns/bridges/"), withdraw)
    assertContains(as_annotator.get("/campaigns/bridges/consent/"), withdraw)
    assertContains(as_annotator.get(withdraw), "is deleted,")
    as_annotator.post(withdraw)
    assert not Assignment.objects.exists()
    assert not Membership.objects.filter(user=annotator).exists()
    last = ConsentAnswer.objects.latest("pk")
    assert (last.answer, last.text.version) == ("withdrawn", 1)
    assert as_annotator.get(withdraw).status_code == 404


def test_who_declined_agrees_again_and_withdraws_from_what_they_agreed_to_last(
    campaign: Campaign, annotator: User
) -> None:
    publish(campaign, withdrawal="delete")
    agree(annotator, campaign)
    publish(campaign, text="Other words.", withdrawal="keep")
    agree(annotator, campaign, "declined")
    agree(annotator, campaign)
    assert consent.withdraw(annotator, campaign).version == 2


@pytest.fixture
def declined(as_annotator: Client, campaign: Campaign, annotator: User) -> Assignment:
    """An item that was judged to its end, and not submitted before its rater declined."""
    publish(campaign)
    agree(annotator, campaign)
    item = claim(annotator, campaign)
    for target in range(3):
        save_judgment(item, criterion="attributable", target=target, value=1, sequence=1)
    as_annotator.post("/campaigns/bridges/consent/", {"answer": "declined", "version": "1"})
    item.refresh_from_db()
    return item


def test_after_a_decline_the_page_submits_and_skips_nothing(
    as_annotator: Client, declined: Assignment
) -> None:
    for path, data in (("submit/", {}), ("skip/", {"reason": "unclear"})):
        response = as_annotator.post(f"/tasks/{declined.pk}/{path}", data, follow=True)
        assert response.redirect_chain[-1][0] == "/campaigns/bridges/consent/"
        assertContains(response, "You have not agreed to take part")
    declined.refresh_from_db()
    assert (declined.submitted_at, declined.skipped_at) == (None, None)
    assert not Item.objects.filter(done=1).exists()


def test_after_a_decline_the_api_saves_nothing(as_annotator: Client, declined: Assignment) -> None:
    answer = {"criterion": "attributable", "target": 0, "value": 0, "sequence": 2}
    comment = {"text": "A word", "sequence": 2}
    for path, data in (("judgments/", {"answers": [answer]}), ("comment/", comment)):
        response = as_annotator.put(
            f"/api/tasks/{declined.pk}/{path}", data, content_type="application/json"
        )
        assert response.status_code == 409, path
        assert response.json()["errors"][0]["code"] == "NotAgreed"
    declined.refresh_from_db()
    assert declined.comment == ""
    assert not Judgment.objects.filter(value=0).exists()


def test_after_a_decline_an_open_page_is_not_counted_and_takes_no_slot(
    as_annotator: Client, declined: Assignment
) -> None:
    visit = {
        "id": str(uuid.uuid4()), "active_ms": 5_000,
        "idle_ms": 0, "clicks": 1, "keys": 0, "is_active": True,
    }  # fmt: skip
    path = f"/api/tasks/{declined.pk}/visit/"
    assert as_annotator.put(path, visit, content_type="application/json").status_code == 200
    declined.refresh_from_db()
    assert (declined.slot, declined.active_ms) == (None, 0)


def test_after_a_decline_a_skip_is_not_taken_back(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    agree(annotator, campaign)
    item = claim(annotator, campaign)
    skips.skip(item, reason="unclear")
    agree(annotator, campaign, "declined")
    as_annotator.post(f"/tasks/{item.pk}/undo-skip/")
    item.refresh_from_db()
    assert item.skipped_at is not None


def test_after_a_decline_no_try_of_the_training_begins(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    put_in_use(campaign, 1, "training")
    publish(campaign)
    agree(annotator, campaign)
    judge_next(annotator, campaign, (0, 0, 1))
    agree(annotator, campaign, "declined")
    as_annotator.post("/campaigns/bridges/training/again/")
    assert TrainingAttempt.objects.count() == 1
    assert Assignment.objects.filter(submitted_at=None).count() == 0


def test_a_decline_gives_the_place_back_and_an_agreement_takes_it_again(
    as_annotator: Client, campaign: Campaign, annotator: User, declined: Assignment
) -> None:
    assert declined.slot is None
    agree(annotator, campaign)
    response = as_annotator.post(f"/tasks/{declined.pk}/submit/")
    assert response.headers["Location"] != f"/tasks/{declined.pk}/"
    declined.refresh_from_db()
    assert (declined.slot, declined.is_late) == (1, False)
    assert declined.submitted_at is not None


def test_a_newer_text_lets_the_item_in_hand_be_submitted_until_it_is_declined(
    campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    agree(annotator, campaign)
    item = claim(annotator, campaign)
    publish(campaign, text="Other words.")
    judge_everything(item)
    assert item.submitted_at is not None


def test_who_declined_is_asked_for_nothing_any_more_and_goes_on(
    campaign: Campaign, annotator: User, declined: Assignment
) -> None:
    publish(campaign, text="")
    assert submit(declined) == []
    assert declined.submitted_at is not None


def test_a_researcher_releases_the_item_of_a_rater_who_declined(
    declined: Assignment, researcher: User
) -> None:
    release(declined, by=researcher)
    assert declined.released_at is not None


def test_a_decline_between_a_claims_look_and_its_lock_gives_no_item(
    campaign: Campaign, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(campaign)
    agree(annotator, campaign)
    stops = claim_rules.stops

    def decline_meanwhile(*looked: object) -> object:
        agree(annotator, campaign, "declined")
        return stops(*looked)  # type: ignore[arg-type]

    monkeypatch.setattr(claim_rules, "stops", decline_meanwhile)
    assert isinstance(claim_next(annotator, campaign=campaign), NoTask)
    assert not Assignment.objects.exists()


def test_work_on_an_item_that_a_withdrawal_has_deleted_is_not_found(
    campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    agree(annotator, campaign)
    item = claim(annotator, campaign)
    consent.withdraw(annotator, campaign)
    with pytest.raises(Http404):
        submit(item)


def test_a_withdrawal_clears_no_pause_and_no_training_result(
    campaign: Campaign, annotator: User
) -> None:
    put_in_use(campaign, 1, "training")
    set_checks(campaign, attempts=1)
    publish(campaign)
    agree(annotator, campaign)
    judge_next(annotator, campaign, (0, 0, 1))
    Pause.objects.create(campaign=campaign, rater=annotator, since=now(), right=1, judged=9)
    consent.withdraw(annotator, campaign)
    add_member(campaign, user=annotator)
    agree(annotator, campaign)
    assert Pause.objects.filter(rater=annotator, ended_at=None).exists()
    assert training.standing(campaign, annotator).stage == training.Stage.STOPPED
    found = claim_next(annotator, campaign=campaign)
    assert isinstance(found, NoTask)
    assert found.reason in {Reason.PAUSED, Reason.NOT_PASSED}
    kept = TrainingAttempt.objects.get()
    assert (kept.right, kept.judged, kept.answers) == (0, 3, [])  # no judgment is left


def test_a_withdrawal_in_the_middle_of_the_training_uses_up_the_try(
    campaign: Campaign, annotator: User
) -> None:
    put_in_use(campaign, 1, "training")
    put_in_use(campaign, 2, "training")
    publish(campaign)
    agree(annotator, campaign)
    judge_next(annotator, campaign, (0, 0, 1))  # and so has seen what is right
    consent.withdraw(annotator, campaign)
    add_member(campaign, user=annotator)
    agree(annotator, campaign)
    found = claim_next(annotator, campaign=campaign)
    assert isinstance(found, NoTask)
    assert found.reason == Reason.TRY_AGAIN


def test_after_a_withdrawal_a_new_link_asks_again(campaign: Campaign, annotator: User) -> None:
    publish(campaign)
    agree(annotator, campaign)
    consent.withdraw(annotator, campaign)
    Membership.objects.create(campaign=campaign, user=annotator)
    assert consent.is_missing(annotator, campaign)


def test_a_researcher_writes_looks_and_publishes(as_researcher: Client, campaign: Campaign) -> None:
    page = as_researcher.get("/campaigns/bridges/consent/edit/").content.decode()
    assert "What is stored" in page  # the draft
    draft = consent_draft(campaign)
    assert "whether the evidence supports all of it" in draft  # what this campaign's raters do
    as_is = {"text": draft.replace("\n", "\r\n"), "withdrawal": "keep"}
    refused = as_researcher.post("/campaigns/bridges/consent/edit/", as_is)
    assertContains(refused, "Fill in what stands in italics first")
    data = {"text": "Do you **agree**? <script>x</script>", "withdrawal": "keep"}
    looked = as_researcher.post("/campaigns/bridges/consent/edit/", data | {"preview": "yes"})
    assertContains(looked, "<strong>agree</strong>")
    assert "<script>x" not in looked.content.decode()
    assert consent.current_text(campaign) is None
    as_researcher.post("/campaigns/bridges/consent/edit/", data)
    as_researcher.post("/campaigns/bridges/consent/edit/", data)  # twice makes one version
    text = consent.current_text(campaign)
    assert text is not None
    assert (text.version, text.withdrawal) == (1, "keep")
    as_researcher.post("/campaigns/bridges/consent/edit/", {"stop": "yes"})
    assert consent.current_text(campaign) is None


def test_a_copy_of_the_campaign_asks_for_the_same_anew(
    campaign: Campaign, annotator: User, researcher: User
) -> None:
    publish(campaign, withdrawal="keep")
    agree(annotator, campaign)
    copy = copy_campaign(campaign, created_by=researcher)
    text = consent.current_text(copy)
    assert text is not None
    assert (text.text, text.withdrawal, text.version) == (TEXT, "keep", 1)
    assert consent.is_missing(annotator, copy)


def test_the_versions_count_each_raters_last_answer(campaign: Campaign, annotator: User) -> None:
    publish(campaign)
    agree(annotator, campaign, "declined")
    agree(annotator, campaign)
    other = make_user()
    agree(other, campaign, "declined")
    (version,) = consent.versions(campaign)
    assert (version.agreed, version.declined, version.withdrawn) == (1, 1, 0)
