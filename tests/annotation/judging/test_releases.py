"""What a researcher does with work: release it, send it back, undo the sending back."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.campaigns.lifecycle import close_campaign
from annotation.judging.answers import CampaignClosed
from annotation.judging.claims import claim_next
from annotation.judging.releases import (
    CannotRelease,
    CannotSendBack,
    release,
    send_back,
    undo_send_back,
)
from annotation.judging.skips import skip
from annotation.models import Assignment, Item
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.support.campaigns import (
    judge_everything,
    make_assignment,
    make_campaign,
    save_judgment,
)
from tests.support.factories import make_user
from tests.support.reference_answers import RIGHT, claim, judge, judge_next, put_in_use, set_checks

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(annotator: User) -> Assignment:
    return make_assignment(annotator, passages=1)


def other_rater_of(assignment: Assignment) -> User:
    other = make_user()
    add_member(assignment.item.campaign, user=other)
    return other


def test_a_released_item_is_the_next_raters_and_a_later_answer_is_kept_as_late(
    assignment: Assignment, researcher: User
) -> None:
    release(assignment, by=researcher)
    assert not isinstance(claim_next(assignment.rater), Assignment)
    judge_everything(assignment)
    assignment.refresh_from_db()
    assert assignment.submitted_at is not None
    assert assignment.released_by == researcher
    assert (assignment.is_late, assignment.slot) == (True, None)
    assert Item.objects.get().done == 0
    assert claim(other_rater_of(assignment)).slot == 1


def test_released_work_that_is_sent_back_gets_its_slot_if_it_is_free(
    assignment: Assignment, researcher: User
) -> None:
    release(assignment, by=researcher)
    assert send_back(assignment, by=researcher)
    assert claim_next(assignment.rater) == assignment
    release(assignment, by=researcher)
    claim_next(other_rater_of(assignment))
    assert not send_back(assignment, by=researcher)
    assignment.refresh_from_db()
    assert (assignment.released_at, assignment.slot, assignment.is_late) == (None, None, True)


def test_submitted_and_skipped_work_is_not_released_and_open_work_not_sent_back(
    assignment: Assignment, researcher: User
) -> None:
    with pytest.raises(CannotSendBack, match="working on this item"):
        send_back(assignment, by=researcher)
    skip(assignment, reason="upsetting")
    with pytest.raises(CannotRelease, match="skipped"):
        release(assignment, by=researcher)
    send_back(assignment, by=researcher)
    judge_everything(assignment)
    with pytest.raises(CannotRelease, match="submitted"):
        release(assignment, by=researcher)


def test_what_is_sent_back_comes_next_and_stays_its_raters_for_days(
    assignment: Assignment, researcher: User
) -> None:
    judge_everything(assignment)
    assert Item.objects.get().done == 1
    assert send_back(assignment, by=researcher, note="Look at sentence 2.")
    assert Item.objects.get().done == 0
    assert claim_next(assignment.rater) == assignment
    assignment.refresh_from_db()
    assert assignment.return_note == "Look at sentence 2."
    assert assignment.lease_until > timezone.now() + timedelta(days=6)
    assert not isinstance(claim_next(other_rater_of(assignment)), Assignment)
    judge_everything(assignment)
    assert Item.objects.get().done == 1


def test_an_undone_return_counts_as_submitted_when_it_was_unless_an_answer_is_missing(
    assignment: Assignment, researcher: User
) -> None:
    judge_everything(assignment)
    assignment.refresh_from_db()
    before = assignment.submitted_at
    send_back(assignment, by=researcher)
    undo_send_back(assignment)
    assignment.refresh_from_db()
    assert (assignment.submitted_at, assignment.returned_at) == (before, None)
    assert Item.objects.get().done == 1
    with pytest.raises(CannotSendBack):
        undo_send_back(assignment)
    send_back(assignment, by=researcher)
    save_judgment(assignment, criterion="attributable", target=0, value=None, sequence=2)
    with pytest.raises(CannotSendBack, match="taken an answer back"):
        undo_send_back(assignment)


def test_in_a_closed_campaign_nothing_moves(assignment: Assignment, researcher: User) -> None:
    close_campaign(assignment.item.campaign)
    with pytest.raises(CampaignClosed):
        release(assignment, by=researcher)


def test_gold_work_needs_no_slot_and_goes_back_like_any_other(
    as_researcher: Client, annotator: User, researcher: User
) -> None:
    campaign = make_campaign(passages=3, raters=(annotator,))
    put_in_use(campaign, 1, "gold")
    set_checks(campaign, gold_every=1)
    gold = claim(annotator, campaign)
    assert gold.purpose == "gold"
    release(gold, by=researcher)
    assert send_back(gold, by=researcher)
    judge(gold, RIGHT)
    url = f"/campaigns/{campaign.slug}/work/{gold.pk}/send-back/"
    page = as_researcher.post(url, follow=True).content.decode()
    assert f"anna gets item {gold.item.position} next." in page
    assert "late" not in page
    assert claim_next(annotator, campaign=campaign) == gold


def test_training_work_stays_unchanged_and_the_researcher_reads_why(
    as_researcher: Client, annotator: User
) -> None:
    campaign = make_campaign(passages=3, raters=(annotator,))
    put_in_use(campaign, 1, "training")
    training = judge_next(annotator, campaign)
    url = f"/campaigns/{campaign.slug}/work/{training.pk}/"
    for verb in ("send-back/", "release/"):
        page = as_researcher.post(url + verb, follow=True).content.decode()
        assert "This training item is submitted" in page
        assert "You have" not in page


def test_the_page_shows_who_has_what_and_does_it(
    as_researcher: Client, assignment: Assignment
) -> None:
    url = f"/campaigns/{assignment.item.campaign.slug}/work/"
    page = as_researcher.get(url).content.decode()
    assert assignment.rater.username in page
    assert assignment.lease_until.strftime("%H:%M UTC") in page
    as_researcher.post(f"{url}{assignment.pk}/release/", {"show": "in-hand"})
    assert "No items are in progress" in as_researcher.get(url).content.decode()
    page = as_researcher.get(url, {"show": "released"}).content.decode()
    assert f"{url}{assignment.pk}/send-back/" in page
    as_researcher.post(f"{url}{assignment.pk}/send-back/")
    judge_everything(assignment)
    back = as_researcher.post(
        f"{url}{assignment.pk}/send-back/", {"show": "submitted", "note": "Again, please"}
    )
    assert back["Location"] == f"{url}?show=submitted"
    page = as_researcher.get(url).content.decode()
    assert "Again, please" in page
    assert f"{url}{assignment.pk}/undo-send-back/" in page
    as_researcher.post(f"{url}{assignment.pk}/undo-send-back/")
    assignment.refresh_from_db()
    assert assignment.submitted_at is not None


def test_the_page_shows_skips_with_their_reasons(
    as_researcher: Client, assignment: Assignment
) -> None:
    skip(assignment, reason="other", note="<b>Torn</b> page")
    page = as_researcher.get(
        f"/campaigns/{assignment.item.campaign.slug}/work/", {"show": "skipped"}
    ).content.decode()
    assert "Something else" in page
    assert "&lt;b&gt;Torn&lt;/b&gt; page" in page


def test_what_cannot_be_done_is_reported_and_not_done(
    as_researcher: Client, assignment: Assignment
) -> None:
    judge_everything(assignment)
    url = f"/campaigns/{assignment.item.campaign.slug}/work/"
    page = as_researcher.post(f"{url}{assignment.pk}/release/", follow=True).content.decode()
    assert "nothing to release" in page
    note = {"note": "x" * 1001}
    page = as_researcher.post(f"{url}{assignment.pk}/send-back/", note, follow=True)
    assert "Shorten the note to 1000 characters" in page.content.decode()
    assignment.refresh_from_db()
    assert assignment.returned_at is None


@pytest.mark.parametrize("verb", ["release", "send-back", "undo-send-back"])
def test_an_assignment_of_another_campaign_is_not_there(
    as_researcher: Client, assignment: Assignment, verb: str
) -> None:
    other = make_assignment(make_user(), name="Rivers")
    url = f"/campaigns/{other.item.campaign.slug}/work/{assignment.pk}/{verb}/"
    assert as_researcher.post(url).status_code == 404
