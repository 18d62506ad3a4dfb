"""Skipped items go to another rater; a skip can be undone."""

import pytest
from django.test import Client

from annotation.campaigns.lifecycle import close_campaign
from annotation.campaigns.progress import assigned_campaigns
from annotation.judging.answers import ItemSkipped, submit
from annotation.judging.claims import NoTask, claim_next
from annotation.judging.skips import CannotSkip, skip, undo_skip
from annotation.models import Assignment, Judgment
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.support.campaigns import (
    judge_everything,
    make_assignment,
    make_campaign,
    save_judgment,
)
from tests.support.factories import make_user
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


def test_a_skip_frees_the_slot_keeps_the_answer_and_is_late_work_when_undone_too_late(
    annotator: User,
) -> None:
    assignment = make_assignment(annotator, passages=1)
    save_judgment(assignment, criterion="attributable", target=0, value=1, sequence=1)
    skip(assignment, reason="language", note="It is in Finnish.")
    assignment.refresh_from_db()
    assert (assignment.slot, assignment.skip_reason) == (None, "language")
    other = make_user()
    add_member(assignment.item.campaign, user=other)
    claimed = claim(other)
    assert (claimed.item_id, claimed.slot) == (assignment.item_id, 1)
    assert Judgment.objects.get().value == 1
    assert not undo_skip(assignment)
    judge_everything(assignment)
    assignment.refresh_from_db()
    assert assignment.is_late
    assert assignment.submitted_at is not None


def test_what_the_paper_calls_not_attributable_is_no_reason_to_skip() -> None:
    assert {"unclear", "evidence"}.isdisjoint(Assignment.SkipReason.values)


def test_who_skipped_an_item_is_not_given_it_again(annotator: User) -> None:
    campaign = make_campaign(passages=2, raters=(annotator,))
    first = claim(annotator)
    skip(first, reason="upsetting")
    second = claim(annotator)
    assert second.item_id != first.item_id
    skip(second, reason="upsetting")
    assert isinstance(claim_next(annotator), NoTask)
    [progress] = assigned_campaigns(annotator, [campaign])
    assert (progress.skipped, progress.started, progress.left) == (2, 0, 0)


def test_items_that_others_judged_are_not_left_for_a_rater(annotator: User, stranger: User) -> None:
    campaign = make_campaign(passages=5, raters=(annotator, stranger))
    for rater in (annotator, stranger, stranger):
        assignment = claim(rater)
        judge_everything(assignment)
        submit(assignment)
    claim(annotator)
    for rater, left in ((annotator, 2), (stranger, 2)):
        [progress] = assigned_campaigns(rater, [campaign])
        assert progress.left == left


def test_an_answer_that_comes_in_after_the_skip_is_kept_and_takes_no_slot(annotator: User) -> None:
    assignment = make_assignment(annotator, passages=1)
    skip(assignment, reason="upsetting")
    save_judgment(assignment, criterion="attributable", target=0, value=1, sequence=1)
    assignment.refresh_from_db()
    assert (assignment.slot, assignment.is_late) == (None, False)
    assert Judgment.objects.count() == 1
    with pytest.raises(ItemSkipped):
        submit(assignment)
    undo_skip(assignment)
    judge_everything(assignment)
    with pytest.raises(CannotSkip, match="submitted this item"):
        skip(assignment, reason="upsetting")


def test_the_page_skips_with_a_reason_and_goes_on(as_annotator: Client, annotator: User) -> None:
    assignment = make_assignment(annotator)
    response = as_annotator.post(
        f"/tasks/{assignment.pk}/skip/", {"reason": "known", "note": "My own."}
    )
    following = Assignment.objects.exclude(pk=assignment.pk).get()
    assert response["Location"] == following.get_absolute_url()
    assignment.refresh_from_db()
    assert (assignment.skip_reason, assignment.skip_note) == ("known", "My own.")
    page = as_annotator.get(f"/tasks/{assignment.pk}/").content.decode()
    assert "You skipped this item" in page
    assert "skip-dialog" not in page
    as_annotator.post(f"/tasks/{assignment.pk}/undo-skip/")
    assignment.refresh_from_db()
    assert (assignment.skipped_at, assignment.slot) == (None, 1)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "Choose a reason"),
        ({"reason": "bored"}, "Choose one of the reasons"),
        ({"reason": "other"}, "Say in a few words"),
        ({"reason": "other", "note": "x" * 1001}, "Shorten your words"),
    ],
)
def test_a_bad_skip_reports_what_to_mend_and_skips_nothing(
    as_annotator: Client, annotator: User, data: dict[str, str], words: str
) -> None:
    assignment = make_assignment(annotator)
    page = as_annotator.post(f"/tasks/{assignment.pk}/skip/", data, follow=True)
    assert words in page.content.decode()
    assignment.refresh_from_db()
    assert (assignment.skipped_at, assignment.slot) == (None, 1)


def test_in_a_closed_campaign_nothing_is_skipped(as_annotator: Client, annotator: User) -> None:
    assignment = make_assignment(annotator)
    close_campaign(assignment.item.campaign)
    page = as_annotator.post(f"/tasks/{assignment.pk}/skip/", {"reason": "known"}, follow=True)
    assert "This campaign is closed" in page.content.decode()
    assignment.refresh_from_db()
    assert assignment.skipped_at is None
