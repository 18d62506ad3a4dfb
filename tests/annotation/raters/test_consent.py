"""Consent: no item without it, a new version asks again, a withdrawal does what it said."""

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertRedirects

from annotation.campaigns.lifecycle import copy_campaign
from annotation.judging.claims import NoTask, Reason, claim_next
from annotation.models import Assignment, Campaign, ConsentAnswer, Item, Judgment, Membership
from annotation.raters import consent
from annotation.raters.forms import consent_draft
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign
from tests.support.factories import make_user

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


@pytest.fixture
def rater(client: Client, annotator: User) -> Client:
    client.force_login(annotator)
    return client


def test_without_a_text_nobody_is_asked(campaign: Campaign, annotator: User) -> None:
    assert not consent.is_missing(annotator, campaign)
    assert isinstance(claim_next(annotator), Assignment)


def test_without_an_answer_no_item_is_handed_out(campaign: Campaign, annotator: User) -> None:
    publish(campaign)
    found = claim_next(annotator, campaign=campaign)
    assert isinstance(found, NoTask)
    assert (found.reason, found.campaign) == (Reason.CONSENT, campaign)
    assert not Assignment.objects.exists()


def test_another_campaign_without_a_text_goes_on(campaign: Campaign, annotator: User) -> None:
    publish(campaign)
    other = make_campaign(raters=(annotator,), name="Other")
    found = claim_next(annotator)
    assert isinstance(found, Assignment)
    assert found.item.campaign == other


def test_a_rater_agrees_and_gets_an_item(rater: Client, campaign: Campaign) -> None:
    publish(campaign)
    response = rater.get("/tasks/next/", follow=True)
    assert response.redirect_chain[-1][0] == "/campaigns/bridges/consent/"
    assertContains(response, "<em>study</em>")
    response = rater.post(
        "/campaigns/bridges/consent/", {"answer": "agreed", "version": "1"}, follow=True
    )
    assert response.redirect_chain[-1][0].startswith("/tasks/")
    assertContains(rater.get("/campaigns/bridges/"), "withdraw your consent")
    row = ConsentAnswer.objects.get()
    assert (row.answer, row.text.version) == ("agreed", 1)
    assert row.at is not None


def test_who_does_not_agree_gets_none_and_can_change_their_mind(
    rater: Client, campaign: Campaign
) -> None:
    publish(campaign)
    rater.post("/campaigns/bridges/consent/", {"answer": "declined", "version": "1"})
    assert rater.post("/tasks/next/").headers["Location"] == "/campaigns/bridges/consent/"
    assertContains(rater.get("/campaigns/bridges/consent/"), "You can change your mind here")
    rater.post("/campaigns/bridges/consent/", {"answer": "agreed", "version": "1"})
    assert rater.post("/tasks/next/").headers["Location"].startswith("/tasks/")
    assert list(ConsentAnswer.objects.values_list("answer", flat=True)) == ["declined", "agreed"]


def test_an_item_in_hand_is_not_shown_before_the_answer_either(
    rater: Client, campaign: Campaign, annotator: User
) -> None:
    claimed = claim_next(annotator)
    assert isinstance(claimed, Assignment)
    publish(campaign)
    response = rater.get(f"/tasks/{claimed.pk}/")
    assertRedirects(response, "/campaigns/bridges/consent/")
    assert "Nobody painted it" not in rater.get("/campaigns/bridges/consent/").content.decode()


def test_a_new_version_asks_again_and_keeps_the_first_answer(
    rater: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    agree(annotator, campaign)
    publish(campaign, text="Other words.")
    page = rater.get("/campaigns/bridges/consent/").content.decode()
    assert "You agreed to version 1" in page
    assert consent.is_missing(annotator, campaign)
    agree(annotator, campaign)
    answers = ConsentAnswer.objects.filter(rater=annotator)
    assert list(answers.values_list("text__version", flat=True)) == [1, 2]
    assert not consent.is_missing(annotator, campaign)


def test_an_answer_to_words_that_have_changed_is_not_taken(
    rater: Client, campaign: Campaign
) -> None:
    publish(campaign)
    publish(campaign, text="Other words.")
    response = rater.post(
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
def test_another_answer_is_refused(rater: Client, campaign: Campaign, answer: str) -> None:
    publish(campaign)
    response = rater.post(
        "/campaigns/bridges/consent/", {"answer": answer, "version": "1"}, follow=True
    )
    assertContains(response, "Choose “I agree” or “I do not agree”")
    assert not ConsentAnswer.objects.exists()


def test_asking_nothing_any_more_opens_the_way(campaign: Campaign, annotator: User) -> None:
    publish(campaign)
    publish(campaign, text="")
    assert consent.current_text(campaign) is None
    assert isinstance(claim_next(annotator), Assignment)


def test_what_one_agreed_to_can_be_read_when_nothing_is_asked_any_more(
    rater: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    assert rater.get("/campaigns/bridges/consent/").status_code == 200
    agree(annotator, campaign)
    publish(campaign, text="")
    page = rater.get("/campaigns/bridges/consent/")
    assertContains(page, "<em>study</em>")
    assertContains(page, "Withdraw my consent")


def test_a_withdrawal_that_deletes_leaves_nothing_and_frees_the_places(
    rater: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign, withdrawal="delete")
    agree(annotator, campaign)
    for _ in range(2):
        claimed = claim_next(annotator)
        assert isinstance(claimed, Assignment)
        judge_everything(claimed)
    assert Item.objects.filter(done=1).count() == 2
    assertContains(rater.get("/campaigns/bridges/consent/withdraw/"), "is deleted,")
    rater.post("/campaigns/bridges/consent/withdraw/")
    assert not Assignment.objects.filter(rater=annotator).exists()
    assert not Judgment.objects.exists()
    assert not Item.objects.filter(done=1).exists()
    assert not Membership.objects.filter(user=annotator).exists()
    last = ConsentAnswer.objects.last()
    assert last is not None
    assert last.answer == "withdrawn"


def test_a_withdrawal_that_keeps_keeps_what_was_handed_in(
    rater: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign, withdrawal="keep")
    agree(annotator, campaign)
    claimed = claim_next(annotator)
    assert isinstance(claimed, Assignment)
    judge_everything(claimed)
    begun = claim_next(annotator)
    assert isinstance(begun, Assignment)
    rater.post("/campaigns/bridges/consent/withdraw/")
    begun.refresh_from_db()
    claimed.refresh_from_db()
    assert begun.slot is None
    assert claimed.slot is not None
    assert not Membership.objects.filter(user=annotator).exists()
    assert rater.get(f"/tasks/{claimed.pk}/").status_code == 404


def test_what_the_text_promised_holds_and_not_what_a_later_one_says(
    campaign: Campaign, annotator: User
) -> None:
    publish(campaign, withdrawal="delete")
    agree(annotator, campaign)
    claimed = claim_next(annotator)
    assert isinstance(claimed, Assignment)
    judge_everything(claimed)
    publish(campaign, withdrawal="keep")
    consent.withdraw(annotator, campaign)
    assert not Assignment.objects.exists()


def test_who_has_not_agreed_has_nothing_to_take_back(
    rater: Client, campaign: Campaign, annotator: User
) -> None:
    publish(campaign)
    assert rater.get("/campaigns/bridges/consent/withdraw/").status_code == 404
    agree(annotator, campaign, "declined")
    assert rater.post("/campaigns/bridges/consent/withdraw/").status_code == 404
    assert Membership.objects.filter(user=annotator).exists()


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


def test_strangers_and_raters_do_not_find_the_others_pages(
    client: Client, campaign: Campaign, stranger: User, annotator: User
) -> None:
    publish(campaign)
    client.force_login(stranger)
    for path in ("consent/", "consent/withdraw/", "consent/edit/"):
        assert client.get(f"/campaigns/bridges/{path}").status_code == 404
        assert client.post(f"/campaigns/bridges/{path}").status_code == 404
    client.force_login(annotator)
    assert client.get("/campaigns/bridges/consent/edit/").status_code == 404
    assert client.post("/campaigns/bridges/consent/edit/", {"text": "x"}).status_code == 404
