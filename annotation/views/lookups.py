"""Find what a URL names, if the user may see it; anything else answers 404."""

from django.shortcuts import get_object_or_404

from annotation.models import Campaign
from rarrweb.http import UserRequest


def led_campaign(request: UserRequest, slug: str, *related: str) -> Campaign:
    """A campaign that the user leads, with its `related` objects; raises `Http404`."""
    led = Campaign.objects.led_by(request.user)
    return get_object_or_404(led.select_related(*related) if related else led, slug=slug)
