"""A rater's consent, and what became of one who came by a crowd platform."""

from django import template

from annotation.models import Campaign, Participant
from annotation.raters import consent
from rarrweb.accounts.models import User

register = template.Library()

STOPPED = {
    state: label
    for state, label in Participant.State.choices
    if state not in {Participant.State.ACTIVE, Participant.State.COMPLETED}
}


@register.filter
def stopped(rater: User) -> str:
    """Why a participant does not go on, in a word or two; empty for everybody else.

    No query where `rater` was selected with `participation`.
    """
    participant: Participant | None = getattr(rater, "participation", None)
    return "" if participant is None else STOPPED.get(participant.state, "")


@register.inclusion_tag("annotation/_agreement.html")
def consent_of(campaign: Campaign, user: User) -> dict[str, object]:
    """What the user agreed to, with a link to withdraw it; nothing if there is no agreement."""
    return {"campaign": campaign, "agreement": consent.agreement(user, campaign)}
