"""Participants of a crowd, from their first item to their code and payment.

The payment files are the only exports of the platform's ids; judgments have pseudonyms.
"""

import secrets

from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import (
    Assignment,
    Campaign,
    Crowd,
    Item,
    Membership,
    Participant,
    PlatformIdentity,
)
from annotation.models.assignments import AssignmentQuerySet
from annotation.raters.memberships import leave
from rarrweb.accounts.models import User
from rarrweb.web.csv import neutral, table_text

State = Participant.State

FORMER = (State.RETURNED, State.SCREENED_OUT)
"""States of former raters."""
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without look-alikes."""

ID_COLUMNS = {"participant_id": "platform_id", "study_id": "study_id", "session_id": "session_id"}
"""Column to field of `PlatformIdentity`."""
TIME_COLUMNS = ("entered_at", "ended_at", "minutes")
PAYMENT_COLUMNS = (*ID_COLUMNS, "account", "state", "code", "submitted", "quota", *TIME_COLUMNS)


def submitted_count(participant: Participant) -> int:
    """Count submitted items, without training."""
    return _assignments(participant).submitted().exclude(purpose=Item.Use.TRAINING).count()


def has_begun(participant: Participant) -> bool:
    return _assignments(participant).exists()


def advance_participant(participant: Participant) -> bool:
    """Tell whether the participant gets another item; complete them at the quota."""
    if participant.state == State.ACTIVE and has_reached_quota(participant):
        finish(participant, State.COMPLETED)
    return participant.state == State.ACTIVE


def has_reached_quota(participant: Participant) -> bool:
    return submitted_count(participant) >= participant.crowd.quota


def complete_early(participant: Participant) -> bool:
    """Complete a participant for whom nothing is left to judge.

    Not if they submitted nothing or skipped an item: then they have to ask.
    """
    has_skipped = _assignments(participant).filter(skipped_at__isnull=False).exists()
    if has_skipped or not submitted_count(participant):
        return False
    finish(participant, State.COMPLETED)
    return True


def finish(participant: Participant, state: str) -> None:
    """Set the participant's final state and code; later calls change nothing.

    A participant who stops or is screened out leaves the campaign: slots are freed, answers stay.
    After declining consent they stay and may agree; after completion they may correct answers.
    """
    with transaction.atomic():
        rows = Participant.objects.select_for_update(no_key=True)
        participant.refresh_from_db(from_queryset=rows)
        was_active = participant.state == State.ACTIVE
        if was_active or (participant.state == State.DECLINED and state in FORMER):
            participant.state, participant.ended_at = state, timezone.now()
            participant.code = _code(participant.crowd, state)
            participant.save(update_fields=["state", "ended_at", "code"])
            if state in FORMER:
                leave(participant.user, participant.crowd.campaign)


@transaction.atomic
def reactivate(participant: Participant) -> None:
    participant.state, participant.ended_at, participant.code = State.ACTIVE, None, ""
    participant.save(update_fields=["state", "ended_at", "code"])
    Membership.objects.get_or_create(
        campaign=participant.crowd.campaign,
        user=participant.user,
        role=Membership.Role.ANNOTATOR,
    )


def screen_out(user: User, campaign: Campaign) -> bool:
    """End participation after failed training; return False for other raters."""
    active = Participant.objects.filter(state=State.ACTIVE, user_id=user.pk)
    participant = active.filter(crowd__campaign=campaign).first()
    if participant is None:
        return False
    finish(participant, State.SCREENED_OUT)
    return True


def list_participants(crowd: Crowd, *, state: str = "") -> QuerySet[Participant]:
    """Return the crowd's participants, latest first, all or those in `state`.

    With the counts `submitted_count` and `begun`, and `identity` unless deleted.
    """
    participants = crowd.participants.select_related("user", "identity")
    if state:
        participants = participants.filter(state=state)
    assignments = Assignment.objects.filter(
        rater=OuterRef("user"), item__campaign=crowd.campaign_id
    ).exclude(purpose=Item.Use.TRAINING)
    return participants.annotate(
        submitted_count=_count(assignments.submitted()),
        begun=_count(assignments.filter(submitted_at=None)),
    ).order_by("-entered_at", "-pk")


def states_of_raters(campaign: Campaign) -> dict[int, str]:
    """Return the state of each participant by user id. One query."""
    rows = Participant.objects.filter(crowd__campaign=campaign).order_by()
    return dict(rows.values_list("user_id", "state"))


def counts(crowd: Crowd) -> dict[str, int]:
    rows = crowd.participants.order_by().values_list("state").annotate(Count("pk"))
    return dict.fromkeys(State.values, 0) | dict(rows)


def payment_ids(crowd: Crowd) -> str:
    """Return the ids of completed participants, one per line, for bulk approval."""
    ids = PlatformIdentity.objects.filter(
        participant__crowd=crowd, participant__state=State.COMPLETED
    ).order_by("participant__ended_at", "participant")
    return "".join(f"{neutral(each)}\r\n" for each in ids.values_list("platform_id", flat=True))


def payment_table(crowd: Crowd) -> str:
    """Return a row for each participant, in order of arrival; ids are empty once deleted."""
    rows = list_participants(crowd).order_by("entered_at", "pk").iterator(chunk_size=500)
    return table_text(PAYMENT_COLUMNS, (_row(crowd, each) for each in rows))


def _row(crowd: Crowd, participant: Participant) -> tuple[str | int | float, ...]:
    identity: PlatformIdentity | None = getattr(participant, "identity", None)
    end = participant.ended_at
    return (
        *(getattr(identity, field, "") for field in ID_COLUMNS.values()),
        participant.user.username,
        participant.state,
        participant.code,
        participant.submitted_count,  # type: ignore[attr-defined]  # annotated
        crowd.quota,
        participant.entered_at.isoformat(timespec="seconds"),
        end.isoformat(timespec="seconds") if end else "",
        round((end - participant.entered_at).total_seconds() / 60, 1) if end else "",
    )


def forget_identities(crowd: Crowd) -> int:
    """Delete the participants' ids on the platform; return their number.

    Keyed hashes stay, so returning participants are recognised.
    """
    deleted, _ = PlatformIdentity.objects.filter(participant__crowd=crowd).delete()
    return deleted


def _assignments(participant: Participant) -> AssignmentQuerySet:
    return Assignment.objects.filter(
        rater_id=participant.user_id, item__campaign=participant.crowd.campaign_id
    )


def _code(crowd: Crowd, state: str) -> str:
    if state == State.COMPLETED:
        return crowd.completion_code or "".join(secrets.choice(CODE_LETTERS) for _ in range(10))
    if state == State.SCREENED_OUT:
        return crowd.screened_out_code
    return crowd.returned_code


def _count(assignments: QuerySet[Assignment]) -> Coalesce:
    counted = assignments.order_by().values("rater").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)
