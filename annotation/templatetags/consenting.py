"""A rater's consent, on the campaign's own page."""

from django import template

from annotation import consent
from annotation.models import Campaign
from rarrweb.accounts.models import User

register = template.Library()


@register.inclusion_tag("annotation/_own_consent.html")
def consent_of(campaign: Campaign, user: User) -> dict[str, object]:
    """What the user answered last, with the way to take it back; nothing where nobody asked."""
    return {"campaign": campaign, "last": consent.last_answer(user, campaign)}
