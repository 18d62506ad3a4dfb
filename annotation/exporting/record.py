"""The record that a campaign was exported."""

from django.utils import timezone

from annotation.models import Campaign
from rarrweb.accounts import audit


def record_export(campaign: Campaign, *, what: str) -> None:
    """Log the export, and keep the time of the first."""
    audit.record("exported", campaign, what=what)
    if campaign.exported_at is None:
        campaign.exported_at = timezone.now()
        campaign.save(update_fields=["exported_at"])
