from django.conf import settings
from django.db import models

from annotation.models.campaigns import Campaign, Membership
from rarrweb.accounts.models import ExpiringLink, User


class CampaignInvitation(ExpiringLink):
    """A link by which up to `max_uses` people join a campaign, in one role.

    The last use sets `accepted_at`.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(
        max_length=20, choices=Membership.Role, default=Membership.Role.ANNOTATOR
    )
    max_uses = models.PositiveIntegerField(default=1)
    other_campaigns = models.ManyToManyField(Campaign, related_name="+", blank=True)
    """Joined with the same link, in the same role."""

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.campaign}"

    def may_be_made_by(self, user: User) -> bool:
        return Campaign.objects.led_by(user).filter(pk=self.campaign_id).exists()


class InvitationUse(models.Model):
    invitation = models.ForeignKey(
        CampaignInvitation, on_delete=models.CASCADE, related_name="uses"
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["invitation", "user"], name="annotation_invitation_use_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} by {self.invitation}"
