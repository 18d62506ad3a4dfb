"""The table of skips, and raters of a crowd in every file."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.exporting.context import pseudonym
from annotation.exporting.skips import COLUMNS
from annotation.judging import skips
from annotation.judging.answers import submit
from annotation.models import Assignment, Campaign, Participant
from annotation.raters import participants
from tests.support.campaigns import make_campaign
from tests.support.crowds import enter, make_crowd
from tests.support.exports import lines_of, manifest_of, rows_of, text_of
from tests.support.factories import make_user
from tests.support.reference_answers import claim, judge_next, put_in_use, set_checks

pytestmark = pytest.mark.django_db

State = Participant.State


def test_a_skip_is_a_row_that_reports_all_about_it() -> None:
    anna = make_user("anna")
    campaign = make_campaign(raters=(anna,))
    assignment = claim(anna, campaign)
    Assignment.objects.filter(pk=assignment.pk).update(
        active_ms=61_250, idle_ms=500, comment="No, really."
    )
    assignment.refresh_from_db()
    skips.skip(assignment, reason="upsetting", note="=What is\na viaduct?")
    (row,) = rows_of(campaign, "skips")
    assert list(row) == list(COLUMNS)
    assignment.refresh_from_db()
    assert assignment.skipped_at is not None
    item, times = assignment.item, {"active_seconds": "61.2", "idle_seconds": "0.5"}
    for name in ("claimed_at", "skipped_at"):
        times[name] = getattr(assignment, name).isoformat(timespec="seconds")
    about = {"campaign": campaign.slug, "item": str(item.position), "side": "after", "use": ""}
    about |= {"passage": item.revision.passage.external_id, "phase": "production"}
    about |= {"rater": pseudonym(campaign, anna.pk), "participant": "", "reason": "upsetting"}
    words = {"note": "'=What is\na viaduct?", "comment": "No, really."}
    assert row == about | times | words | {"reason_text": "I would rather not read this"}
    assert "anna" not in text_of(campaign, "skips")
    skips.undo_skip(assignment)
    assert text_of(campaign, "skips").splitlines() == [",".join(COLUMNS)]


def test_they_are_in_the_campaigns_order_and_then_by_time() -> None:
    raters = (make_user("anna"), make_user("ben"))
    campaign = make_campaign(raters=raters, passages=3, raters_per_item=2)
    for rater in raters:
        for _ in range(3):
            skips.skip(claim(rater, campaign), reason="language")
    late = Assignment.objects.filter(rater=raters[0])
    late.update(skipped_at=timezone.now() + timedelta(hours=1))
    result = [(row["item"], row["rater"]) for row in rows_of(campaign, "skips")]
    ben, anna = (pseudonym(campaign, rater.pk) for rater in reversed(raters))
    assert result == [(str(position), name) for position in (1, 2, 3) for name in (ben, anna)]
    assert text_of(campaign, "skips") == text_of(campaign, "skips")


def test_every_manifest_counts_skips_by_reason_also_of_gold_items() -> None:
    anna = make_user("anna")
    campaign = make_campaign(raters=(anna,), passages=4)
    put_in_use(campaign, 1, "gold")
    set_checks(campaign, gold_every=1)
    for reason in ("upsetting", "known", "upsetting"):
        skips.skip(claim(anna, campaign), reason=reason)
    assert [row["use"] for row in rows_of(campaign, "skips")].count("gold") == 1
    for name in ("csv", "hagrid", "skips"):
        manifest = manifest_of(campaign, name)
        expected = {"assignments": 3, "by_reason": {"known": 1, "upsetting": 2}}
        assert manifest["skipped"] == expected
        assert manifest["participants"] is None
    counts = manifest_of(campaign, "skips")["counts"]
    assert (counts["lines"], counts["raters"]) == (3, 1)


# ---- What became of a crowd's raters ------------------------------------------------------------
def take_part(campaign: Campaign, state: str, number: int) -> Participant:
    """One who judged an item, skipped one, and came to that state."""
    enter(campaign.crowd, f"person-{number}")
    participant = Participant.objects.latest("pk")
    judge_next(participant.user, campaign)
    skips.skip(claim(participant.user, campaign), reason="other")
    if state != State.ACTIVE:
        participants.finish(participant, state)
    return participant


def test_who_stopped_is_marked_in_every_file_and_counted_in_the_manifest() -> None:
    anna = make_user("anna")
    campaign = make_campaign(raters=(anna,), passages=8, raters_per_item=9)
    make_crowd(campaign)
    judge_next(anna, campaign)
    states = [State.ACTIVE, State.COMPLETED, State.RETURNED, State.SCREENED_OUT]
    became = {
        pseudonym(campaign, take_part(campaign, state, number).user_id): str(state)
        for number, state in enumerate(states)
    }
    for name in ("csv", "skips"):
        reported = {row["rater"]: row["participant"] for row in rows_of(campaign, name)}
        assert reported.pop(pseudonym(campaign, anna.pk), "") == ""
        assert reported == became
    assert manifest_of(campaign, "skips")["participants"] == dict.fromkeys(map(str, states), 1)


def test_a_gold_edit_reports_what_became_of_who_made_it() -> None:
    anna = make_user("anna")
    campaign = make_campaign(
        questionnaire="manual_revision", sides="before", raters=(anna,), raters_per_item=2
    )
    make_crowd(campaign)
    enter(campaign.crowd, "person-1")
    participant = Participant.objects.get()
    for user in (anna, participant.user):
        assignment = claim(user, campaign)
        answer = {"criterion": "revision", "target": 0, "value": 1, "text": "Shorter."}
        assignment.judgments.create(**answer, sequence=1, updated_at=timezone.now())
        assert submit(assignment) == []
    participants.finish(participant, State.RETURNED)
    lines = lines_of(campaign, "gold_edits")
    assert {line["rater"]: line["participant"] for line in lines} == {
        pseudonym(campaign, anna.pk): None,
        pseudonym(campaign, participant.user_id): "returned",
    }
