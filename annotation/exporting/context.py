"""What of a campaign a file is made from: whose labels, which part, and what was counted."""

from dataclasses import dataclass, field

from django.utils.crypto import salted_hmac

from annotation.exporting.counts import ExportCounts
from annotation.models import Campaign
from annotation.results.labels import SETTLED
from pipeline.data.splits import Part


@dataclass(slots=True, kw_only=True)
class ExportContext:
    """A campaign as one export reads it."""

    campaign: Campaign
    counts: ExportCounts = field(default_factory=ExportCounts)
    labels: str = SETTLED
    """How several raters' answers become one: a key of `annotation.results.labels.RESOLUTIONS`."""
    part: Part | None = None
    """The part of a split to read; None for all."""
    _names: dict[int, str] = field(default_factory=dict)

    def pseudonym(self, user_id: int) -> str:
        """As `pseudonym`, computed once a rater."""
        name = self._names.get(user_id)
        if name is None:
            name = self._names[user_id] = pseudonym(self.campaign, user_id)
        return name


def pseudonym(campaign: Campaign, user_id: int) -> str:
    """A rater's name in files: the same throughout a campaign, and different in the next.

    Keyed with the installation's secret, so that nobody can identify a rater by trying ids.
    """
    salt = f"annotation.exporting.rater.{campaign.pk}"
    return "rater-" + salted_hmac(salt, str(user_id), algorithm="sha256").hexdigest()[:12]
