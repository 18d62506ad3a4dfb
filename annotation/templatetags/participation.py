"""What became of a rater who came by a crowd platform."""

from django import template

from annotation.models import Participant
from annotation.participants import TIMED_OUT, state_now
from rarrweb.accounts.models import User

register = template.Library()

STOPPED = {
    TIMED_OUT: "timed out",
    **{
        state: label
        for state, label in Participant.State.choices
        if state not in {Participant.State.ACTIVE, Participant.State.COMPLETED}
    },
}


@register.filter
def stopped(rater: User) -> str:
    """Why there is no more to come of a participant, in a word or two; empty for everybody else.

    No query where `rater` was selected with `participation__crowd`.
    """
    participant: Participant | None = getattr(rater, "participation", None)
    if participant is None:
        return ""
    state = state_now(participant.state, participant.seen_at, participant.crowd.minutes)
    return STOPPED.get(state, "")
