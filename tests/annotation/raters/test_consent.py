"""Consent: no item without it, a new version asks again, a withdrawal does what it said."""

import uuid
from typing import Any

import pytest
from django.http import Http404
from django.test import Client
from django.utils.timezone import now
from pytest_django.asserts import assertContains, assertNotContains, assertRedirects

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
from tests.support.campaigns import judge_everything, make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import (
    claim,
    judge_next,
    put_in_use,
    save_values,
    set_checks,
)

pytestmark = pytest.mark.django_db

TEXT = "## Why\n\nWe *study* reading."
PAGE = "/campaigns/bridges/consent/"


@pytest.fixture
def campaign(annotator: User) -> Campaign:
    return make_campaign(raters=(annotator,), passages=3)


def publish(campaign: Campaign, text: str = TEXT, withdrawal: str = "delete") -> None:
    by = make_user(role=User.Role.RESEARCHER)
    assert consent.publish(campaign, text=text, withdrawal=withdrawal, by=by) is not None


def respond(client: Client, answer: str, version: int = 1, **options: Any) -> Any:
    return client.post(PAGE, {"answer": answer, "version": str(version)}, **options)


def agree(user: User, campaign: Campaign, answer: str = "agreed") -> None:
    consent.answer(consent.current_text(campaign), user=user, answer=answer)


@pytest.fixture
def agreed(campaign: Campaign, annotator: User) -> Campaign:
    """The campaign, whose rater has agreed; a withdrawal deletes the work."""
    publish(campaign)
    agree(annotator, campaign)
    return campaign


def test_a_rater_agrees_and_gets_an_item(as_annotator: Client, campaign: Campaign) -> None:
    publish(campaign)
    response = as_annotator.get("/tasks/next/", follow=True)
    assert response.redirect_chain[-1][0] == PAGE
    assertContains(response, "<em>study</em>")
    response = respond(as_annotator, "agreed", follow=True)
    assert response.redirect_chain[-1][0] == Assignment.objects.get().get_absolute_url()
    page = as_annotator.get(PAGE).content.decode()
    assert "You agreed to version 1" in page
    assert "UTC</" not in page.replace("\n", ""), "of a time zone that is not the reader's"
    assertContains(as_annotator.get("/campaigns/bridges/"), "withdraw your consent")
    row = ConsentAnswer.objects.get()
    assert (row.answer, row.text.version) == ("agreed", 1)


def test_who_does_not_agree_gets_none_and_can_change_their_mind(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    withdraw = f"{PAGE}withdraw/"  # there is nothing to take back
    assert as_annotator.get(withdraw).status_code == 404
    for answer in ("", "maybe", "withdrawn"):
        refused = respond(as_annotator, answer, follow=True)
        assertContains(refused, "Choose “I agree” or “I do not agree”")
    assert not ConsentAnswer.objects.exists()
    respond(as_annotator, "declined")
    assert as_annotator.post("/tasks/next/").headers["Location"] == PAGE
    assert as_annotator.post(withdraw).status_code == 404
    assert Membership.objects.filter(user=annotator).exists()
    assert not Assignment.objects.exists()
    assertContains(as_annotator.get(PAGE), "You can change your mind here")
    other = make_campaign(raters=(annotator,), name="Other")  # which asks for no consent
    assert claim(annotator).item.campaign == other
    respond(as_annotator, "agreed")
    started = as_annotator.post("/tasks/next/?campaign=bridges", {"read": "yes"})
    assert started.headers["Location"].startswith("/tasks/")
    assert list(ConsentAnswer.objects.values_list("answer", flat=True)) == ["declined", "agreed"]


def test_a_new_version_asks_again_and_refuses_no_work_before_the_answer(
    as_annotator: Client, agreed: Campaign, annotator: User
) -> None:
    claimed = claim(annotator)
    publish(agreed, text="Other words.")
    page = as_annotator.get(f"/tasks/{claimed.pk}/", follow=True)
    assertRedirects(page, PAGE)
    assertContains(page, "You agreed to version 1")
    assertNotContains(page, "Nobody painted it")  # of the item
    judge_everything(claimed)
    assert claimed.submitted_at is not None
    assert consent.is_missing(annotator, agreed)
    agree(annotator, agreed)
    agree(annotator, agreed)  # twice is recorded once
    answers = ConsentAnswer.objects.filter(rater=annotator)
    assert list(answers.values_list("text__version", flat=True)) == [1, 2]
    assert not consent.is_missing(annotator, agreed)


def test_an_answer_to_a_text_that_has_changed_is_refused(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    read = campaign.consent_texts.get()
    publish(campaign, text="Other words.")
    response = respond(as_annotator, "agreed", follow=True)
    assertContains(response, "The text has changed since you opened the page")
    with pytest.raises(consent.TextChanged):  # as if it had changed at this moment
        consent.answer(read, user=annotator, answer="agreed")
    assert not ConsentAnswer.objects.exists()


def test_what_one_agreed_to_can_be_read_when_nothing_is_asked_any_more(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    assert as_annotator.get(PAGE).status_code == 200
    agree(annotator, campaign)
    publish(campaign, text="")
    page = as_annotator.get(PAGE)
    assertContains(page, "<em>study</em>")
    assertContains(page, "Withdraw my consent")


def test_a_withdrawal_that_deletes_leaves_nothing_and_frees_the_places(
    as_annotator: Client, agreed: Campaign, annotator: User
) -> None:
    for _ in range(2):
        judge_next(annotator, agreed)
    begun = claim(annotator)
    assert Item.objects.filter(done=1).count() == 2
    assertContains(as_annotator.get(f"{PAGE}withdraw/"), "is deleted,")
    as_annotator.post(f"{PAGE}withdraw/")
    assert not Assignment.objects.filter(rater=annotator).exists()
    assert not Judgment.objects.exists()
    assert not Item.objects.filter(done=1).exists()
    assert not Membership.objects.filter(user=annotator).exists()
    assert ConsentAnswer.objects.last().answer == "withdrawn"
    with pytest.raises(Http404):
        submit(begun)
    add_member(agreed, user=annotator)
    assert consent.is_missing(annotator, agreed)


def test_a_withdrawal_that_keeps_keeps_what_was_handed_in(
    as_annotator: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign, withdrawal="keep")
    agree(annotator, campaign)
    claimed = claim(annotator)
    judge_everything(claimed)
    begun = claim(annotator)
    as_annotator.post(f"{PAGE}withdraw/")
    begun.refresh_from_db()
    claimed.refresh_from_db()
    assert begun.slot is None
    assert claimed.slot is not None
    assert not Membership.objects.filter(user=annotator).exists()
    assert as_annotator.get(f"/tasks/{claimed.pk}/").status_code == 404


def test_who_declines_a_newer_text_can_still_withdraw_from_the_first(
    as_annotator: Client, agreed: Campaign, annotator: User
) -> None:
    judge_next(annotator, agreed)
    publish(agreed, text="Other words.", withdrawal="keep")
    respond(as_annotator, "declined", version=2)
    withdraw = f"{PAGE}withdraw/"
    assertContains(as_annotator.get("/campaigns/bridges/"), withdraw)
    assertContains(as_annotator.get(PAGE), withdraw)
    assertContains(as_annotator.get(withdraw), "is deleted,")
    as_annotator.post(withdraw)
    assert not Assignment.objects.exists()
    assert not Membership.objects.filter(user=annotator).exists()
    last = ConsentAnswer.objects.latest("pk")
    assert (last.answer, last.text.version) == ("withdrawn", 1)
    assert as_annotator.get(withdraw).status_code == 404


def test_who_declined_agrees_again_and_withdraws_from_what_they_agreed_to_last(
    agreed: Campaign, annotator: User
) -> None:
    publish(agreed, text="Other words.", withdrawal="keep")
    agree(annotator, agreed, "declined")
    agree(annotator, agreed)
    assert consent.withdraw(annotator, agreed).version == 2


@pytest.fixture
def declined(as_annotator: Client, agreed: Campaign, annotator: User) -> Assignment:
    """An item that was judged to its end, and not submitted before its rater declined."""
    item = claim(annotator, agreed)
    save_values(item, (1, 1, 1))
    respond(as_annotator, "declined")
    item.refresh_from_db()
    return item


def test_after_a_decline_nothing_is_saved_until_a_researcher_releases_the_item(
    as_annotator: Client, declined: Assignment, researcher: User
) -> None:
    for path, data in (("submit/", {}), ("skip/", {"reason": "upsetting"})):
        response = as_annotator.post(f"/tasks/{declined.pk}/{path}", data, follow=True)
        assert response.redirect_chain[-1][0] == PAGE
        assertContains(response, "You have not agreed to take part")
    answer = {"criterion": "attributable", "target": 0, "value": 0, "sequence": 2}
    comment = {"text": "A word", "sequence": 2}
    for data in ({"answers": [answer]}, {"answers": [], "comment": comment}):
        response = as_annotator.put(
            f"/api/tasks/{declined.pk}/judgments/", data, content_type="application/json"
        )
        assert response.status_code == 409, data
        assert response.json()["errors"][0]["code"] == "NotAgreed"
    visit = {"id": str(uuid.uuid4()), "active_ms": 5_000, "clicks": 1, "is_active": True}
    path = f"/api/tasks/{declined.pk}/visit/"
    assert as_annotator.put(path, visit, content_type="application/json").status_code == 200
    declined.refresh_from_db()
    assert (declined.submitted_at, declined.skipped_at, declined.comment) == (None, None, "")
    assert (declined.slot, declined.active_ms) == (None, 0)
    assert not Judgment.objects.filter(value=0).exists()
    assert not Item.objects.filter(done=1).exists()
    release(declined, by=researcher)
    assert declined.released_at is not None


def test_after_a_decline_a_skip_is_not_taken_back(
    as_annotator: Client, agreed: Campaign, annotator: User
) -> None:
    item = claim(annotator, agreed)
    skips.skip(item, reason="upsetting")
    agree(annotator, agreed, "declined")
    as_annotator.post(f"/tasks/{item.pk}/undo-skip/")
    item.refresh_from_db()
    assert item.skipped_at is not None


def test_after_a_decline_no_attempt_of_the_training_begins(
    as_annotator: Client, agreed: Campaign, annotator: User
) -> None:
    put_in_use(agreed, 1, "training")
    judge_next(annotator, agreed, (0, 0, 1))
    agree(annotator, agreed, "declined")
    as_annotator.post("/campaigns/bridges/training/again/")
    assert TrainingAttempt.objects.count() == 1
    assert not Assignment.objects.filter(submitted_at=None).exists()


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


def test_who_declined_is_asked_for_nothing_any_more_and_goes_on(
    campaign: Campaign, declined: Assignment
) -> None:
    publish(campaign, text="")
    assert submit(declined) == []
    assert declined.submitted_at is not None


def test_a_decline_between_a_claims_look_and_its_lock_gives_no_item(
    agreed: Campaign, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops = claim_rules.claim_blocks

    def decline_meanwhile(*looked: object) -> object:
        agree(annotator, agreed, "declined")
        return stops(*looked)  # type: ignore[arg-type]

    monkeypatch.setattr(claim_rules, "claim_blocks", decline_meanwhile)
    assert isinstance(claim_next(annotator, campaign=agreed), NoTask)
    assert not Assignment.objects.exists()


def withdraw_and_rejoin(user: User, campaign: Campaign) -> Reason:
    """Return the reason why the rater then gets no item."""
    consent.withdraw(user, campaign)
    add_member(campaign, user=user)
    agree(user, campaign)
    return claim_next(user, campaign=campaign).reason


def test_a_withdrawal_clears_no_pause_and_no_training_result(
    agreed: Campaign, annotator: User
) -> None:
    put_in_use(agreed, 1, "training")
    set_checks(agreed, attempts=1)
    judge_next(annotator, agreed, (0, 0, 1))
    Pause.objects.create(campaign=agreed, rater=annotator, since=now(), right=1, judged=9)
    assert withdraw_and_rejoin(annotator, agreed) in {Reason.PAUSED, Reason.OUT_OF_ATTEMPTS}
    assert Pause.objects.filter(rater=annotator, ended_at=None).exists()
    assert training.training_of(agreed, annotator).status == training.TrainingStatus.STOPPED
    attempt = TrainingAttempt.objects.get()
    assert (attempt.right, attempt.judged, attempt.answers) == (0, 3, [])  # no judgment is left


def test_a_withdrawal_in_the_middle_of_the_training_uses_up_the_attempt(
    agreed: Campaign, annotator: User
) -> None:
    put_in_use(agreed, 1, "training")
    put_in_use(agreed, 2, "training")
    judge_next(annotator, agreed, (0, 0, 1))  # and so has seen reference answers
    assert withdraw_and_rejoin(annotator, agreed) == Reason.RETRAIN


def test_a_researcher_writes_looks_and_publishes(as_researcher: Client, campaign: Campaign) -> None:
    assertContains(as_researcher.get(f"{PAGE}edit/"), "What is stored")  # the draft
    draft = consent_draft(campaign)
    assert "whether the evidence supports all of it" in draft  # what this campaign's raters do
    unchanged = {"text": draft.replace("\n", "\r\n"), "withdrawal": "keep"}
    refused = as_researcher.post(f"{PAGE}edit/", unchanged)
    assertContains(refused, "Replace the text in italics")
    data = {"text": "Do you **agree**? <script>x</script>", "withdrawal": "keep"}
    preview = as_researcher.post(f"{PAGE}edit/", data | {"preview": "yes"})
    assertContains(preview, "<strong>agree</strong>")
    assertNotContains(preview, "<script>x")
    assert consent.current_text(campaign) is None
    as_researcher.post(f"{PAGE}edit/", data)
    as_researcher.post(f"{PAGE}edit/", data)  # twice makes one version
    text = campaign.consent_texts.get()
    assert (text.version, text.withdrawal) == (1, "keep")
    as_researcher.post(f"{PAGE}edit/", {"stop": "yes"})
    assert consent.current_text(campaign) is None


def test_a_copy_of_the_campaign_asks_for_the_same_anew(
    campaign: Campaign, annotator: User, researcher: User
) -> None:
    publish(campaign, withdrawal="keep")
    agree(annotator, campaign)
    copy = copy_campaign(campaign, created_by=researcher)
    text = copy.consent_texts.get()
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
