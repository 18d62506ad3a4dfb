"""Everything that the formats of one export share."""

from dataclasses import dataclass, field

from django.utils.crypto import salted_hmac

from annotation.exporting.counts import ExportCounts
from annotation.models import Campaign
from annotation.results.labels import SETTLED
from pipeline.data.splits import Part


@dataclass(slots=True, kw_only=True)
class ExportContext:
    campaign: Campaign
    counts: ExportCounts = field(default_factory=ExportCounts)
    labels: str = SETTLED
    """A key of `annotation.results.labels.RESOLUTIONS`."""
    part: Part | None = None
    """The part of a split; None for all."""
    _names: dict[int, str] = field(default_factory=dict)

    def pseudonym(self, user_id: int) -> str:
        if user_id not in self._names:
            self._names[user_id] = pseudonym(self.campaign, user_id)
        return self._names[user_id]


def pseudonym(campaign: Campaign, user_id: int) -> str:
    """Return a rater's name in files: stable within a campaign, different in the next.

    Keyed with the installation's secret, so nobody can try out ids.
    """
    salt = f"annotation.exporting.rater.{campaign.pk}"
    return "rater-" + salted_hmac(salt, str(user_id), algorithm="sha256").hexdigest()[:12]
