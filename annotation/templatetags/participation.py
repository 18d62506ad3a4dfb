"""Consent and crowd participation on pages."""

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
    """Return why a participant stopped; empty for others.

    No query if `rater` was selected with `participation`.
    """
    participant: Participant | None = getattr(rater, "participation", None)
    return "" if participant is None else STOPPED.get(participant.state, "")


@register.inclusion_tag("annotation/_agreement.html")
def consent_of(campaign: Campaign, user: User) -> dict[str, object]:
    """Return the user's consent, if any."""
    return {"campaign": campaign, "agreement": consent.agreement(user, campaign)}
