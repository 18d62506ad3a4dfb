"""People of a crowd platform from their first item to their code, and what became of them."""

import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
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

State = Participant.State

TIMED_OUT = "timed-out"
"""Not a stored state: a participant at work who has not been seen for too long. From then on they
hold no place, and can go on if one is left."""

OUT = (State.RETURNED, State.SCREENED_OUT)
"""States in which a participant is no rater any more."""
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without letters and digits that look alike."""


class NoPlaceLeft(Exception):
    """As many participants as the crowd takes have finished or are at work."""


def handed_in(participant: Participant) -> int:
    """How many items the participant has handed in, training left out."""
    return _own(participant).submitted().exclude(purpose=Item.Use.TRAINING).count()


def has_begun(participant: Participant) -> bool:
    """Whether the participant has been given an item."""
    return _own(participant).exists()


def holding_a_place(crowd: Crowd) -> QuerySet[Participant]:
    """Participants who have completed, or are at work and were seen recently."""
    at_work = Q(state=State.ACTIVE, seen_at__gt=_too_long_ago(crowd))
    return crowd.participants.filter(Q(state=State.COMPLETED) | at_work)


def take_place(crowd: Crowd, *, but: Participant | None = None) -> None:
    """Check that there is a place for one more; raises `NoPlaceLeft`.

    The caller holds the lock on the crowd's row, in the transaction that then takes the place.
    """
    if crowd.places is None:
        return
    others = holding_a_place(crowd)
    if but is not None:
        others = others.exclude(pk=but.pk)
    if others.count() >= crowd.places:
        raise NoPlaceLeft


def lock(crowd: Crowd) -> Crowd:
    """The crowd as it is now; nobody else takes or gives a place until the transaction ends."""
    return Crowd.objects.select_for_update(of=("self",), no_key=True).get(pk=crowd.pk)


def may_go_on(participant: Participant) -> bool:
    """Whether the participant gets another item; completes those who have reached the quota.

    Raises `NoPlaceLeft` if they were away for so long that somebody else took their place.
    """
    if participant.state != State.ACTIVE:
        return False
    if handed_in(participant) >= participant.crowd.quota:
        end(participant, State.COMPLETED)
        return False
    with transaction.atomic():
        if is_timed_out(participant):
            take_place(lock(participant.crowd), but=participant)
        participant.seen_at = timezone.now()
        Participant.objects.filter(pk=participant.pk).update(seen_at=participant.seen_at)
    return True


def is_over(participant: Participant) -> bool:
    """Whether the quota is handed in, or the participant was away for so long that others may have
    the place: `may_go_on` then decides."""
    return is_timed_out(participant) or handed_in(participant) >= participant.crowd.quota


def is_timed_out(participant: Participant) -> bool:
    """Whether the participant has been away for so long that they hold no place any more."""
    too_long_ago = _too_long_ago(participant.crowd)
    return participant.state == State.ACTIVE and participant.seen_at <= too_long_ago


def complete_early(participant: Participant) -> bool:
    """Complete a participant who has done everything there was, and for whom nothing is left.

    Not those who handed in nothing, nor those who skipped items: they have to ask.
    """
    if _own(participant).filter(skipped_at__isnull=False).exists() or not handed_in(participant):
        return False
    end(participant, State.COMPLETED)
    return True


def end(participant: Participant, state: str) -> None:
    """Set the participant's last state and its code; later calls change nothing.

    A participant who stops or is screened out leaves the campaign: their places go back, their
    answers are kept. One who declines to consent stays and can change their mind; one who has
    completed can still correct their answers.
    """
    with transaction.atomic():
        rows = Participant.objects.select_for_update(of=("self",), no_key=True)
        held = rows.select_related("crowd__campaign", "user").get(pk=participant.pk)
        if held.state == State.ACTIVE or (held.state == State.DECLINED and state in OUT):
            held.state, held.ended_at = state, timezone.now()
            held.code = _code(held.crowd, state)
            held.save(update_fields=["state", "ended_at", "code"])
            if state in OUT:
                leave(held.user, held.crowd.campaign)
    for field in ("state", "ended_at", "code"):
        setattr(participant, field, getattr(held, field))


def take_up_again(participant: Participant) -> None:
    """Let a participant whose part had ended go on; raises `NoPlaceLeft`.

    Their work is where they left it. They may get the same code again.
    """
    with transaction.atomic():
        crowd = lock(participant.crowd)
        take_place(crowd, but=participant)
        participant.state, participant.ended_at, participant.code = State.ACTIVE, None, ""
        participant.seen_at = timezone.now()
        participant.save(update_fields=["state", "ended_at", "code", "seen_at"])
        Membership.objects.get_or_create(
            campaign=crowd.campaign, user=participant.user, role=Membership.Role.ANNOTATOR
        )


def release(participant: Participant) -> None:
    """Let the participant go on in the next browser that brings their id, which is theirs then."""
    Participant.objects.filter(pk=participant.pk).update(browser_hash="", session_hash="")


def screen_out(user: User, campaign: Campaign) -> bool:
    """End the part of a participant who has failed the training; False for any other rater."""
    participant = (
        Participant.objects.filter(user_id=user.pk, crowd__campaign=campaign)
        .select_related("crowd")
        .first()
    )
    if participant is None or participant.state != State.ACTIVE:
        return False
    end(participant, State.SCREENED_OUT)
    return True


def listed(crowd: Crowd, *, state: str = "") -> QuerySet[Participant]:
    """The crowd's participants, the last to come first.

    `state` is one of `State` or `TIMED_OUT`; empty for all. Each has the numbers of items
    `handed_in` and `begun`, whether it `is_timed_out`, and its `identity` unless forgotten.
    """
    late = Q(state=State.ACTIVE, seen_at__lte=_too_long_ago(crowd))
    found = crowd.participants.select_related("user", "identity")
    if state == TIMED_OUT:
        found = found.filter(late)
    elif state:
        found = found.filter(state=state).exclude(late)
    own = Assignment.objects.filter(
        rater=OuterRef("user"), item__campaign=crowd.campaign_id
    ).exclude(purpose=Item.Use.TRAINING)
    return found.annotate(
        handed_in=_count(own.submitted()),
        begun=_count(own.filter(submitted_at=None)),
        is_timed_out=Q(late),
    ).order_by("-entered_at", "-pk")


def state_now(state: str | None, seen_at: datetime | None, minutes: int | None) -> str:
    """One of `State` or `TIMED_OUT`; empty where these are the Nones of a rater with an account."""
    if state is None or seen_at is None or minutes is None:
        return ""
    is_late = seen_at <= timezone.now() - timedelta(minutes=minutes)
    return TIMED_OUT if state == State.ACTIVE and is_late else state


def states_of_raters(campaign: Campaign) -> dict[int, str]:
    """The state of each rater who is a participant, by user id. One query."""
    rows = Participant.objects.filter(crowd__campaign=campaign).order_by()
    fields = ("user_id", "state", "seen_at", "crowd__minutes")
    return {user: state_now(*told) for user, *told in rows.values_list(*fields)}


def counts(crowd: Crowd) -> dict[str, int]:
    """State to how many participants are in it; `TIMED_OUT` is counted apart from `ACTIVE`."""
    rows = crowd.participants.order_by().values_list("state").annotate(Count("pk"))
    by_state = dict.fromkeys(State.values, 0) | dict(rows)
    late = crowd.participants.filter(state=State.ACTIVE, seen_at__lte=_too_long_ago(crowd)).count()
    by_state[State.ACTIVE] -= late
    return by_state | {TIMED_OUT: late}


def forget_identities(crowd: Crowd) -> int:
    """Delete the participants' ids on the platform; returns how many.

    The keyed hash of an id stays, so that somebody who comes again is still recognised.
    """
    with transaction.atomic():
        _, deleted = PlatformIdentity.objects.filter(participant__crowd=crowd).delete()
    return deleted.get(PlatformIdentity._meta.label, 0)


def _own(participant: Participant) -> AssignmentQuerySet:
    """What the participant was given."""
    return Assignment.objects.filter(
        rater_id=participant.user_id, item__campaign=participant.crowd.campaign_id
    )


def _too_long_ago(crowd: Crowd) -> datetime:
    return timezone.now() - timedelta(minutes=crowd.minutes)


def _code(crowd: Crowd, state: str) -> str:
    if state == State.COMPLETED:
        return crowd.completion_code or "".join(secrets.choice(CODE_LETTERS) for _ in range(10))
    if state == State.SCREENED_OUT:
        return crowd.screened_out_code
    return crowd.returned_code


def _count(assignments: QuerySet[Assignment]) -> Coalesce:
    counted = assignments.order_by().values("rater").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)
