"""Links into a campaign: one person's, or one that many share, up to a number of them."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models.campaigns import Campaign, Membership
from rarrweb.accounts.models import ExpiringLink, User


class CampaignLink(models.Model):
    """Makes people members of a campaign, in one role.

    Not an `ExpiringLink`: `rarrweb.accounts.people` withdraws links of its direct subclasses.
    """

    role = models.CharField(
        max_length=20, choices=Membership.Role, default=Membership.Role.ANNOTATOR
    )
    campaign_id: int

    class Meta:
        abstract = True

    def may_be_made_by(self, user: User) -> bool:
        return Campaign.objects.led_by(user).filter(pk=self.campaign_id).exists()


class CampaignInvitation(CampaignLink, ExpiringLink):
    """Makes a person, new or known, a member of a campaign."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(blank=True)
    """Whom a list of many named so; empty for a link that was made by hand."""
    also = models.ManyToManyField(Campaign, related_name="+", blank=True)
    """Further campaigns that it lets the same person into, in the same role."""

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.campaign}"


class SharedInvitation(CampaignLink, ExpiringLink):
    """Makes each of at most `cap` people a member of a campaign. `accepted_at` is not used."""

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="shared_invitations"
    )
    cap = models.PositiveIntegerField()
    used = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(used__lte=F("cap")), name="annotation_shared_link_within_cap"
            )
        ]

    def __str__(self) -> str:
        return f"shared invitation {self.pk} to {self.campaign}"

    @property
    def is_usable(self) -> bool:
        return super().is_usable and self.used < self.cap


class SharedInvitationUse(models.Model):
    """That a person came in by a shared link, and when."""

    invitation = models.ForeignKey(SharedInvitation, on_delete=models.CASCADE, related_name="uses")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["invitation", "user"], name="annotation_shared_link_once_a_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} by {self.invitation}"
