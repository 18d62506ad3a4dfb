"""Which passages of which runs a researcher compares, under a name."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from pipeline.models.data import Dataset
from rarrweb.accounts.models import User


class SavedViewQuerySet(models.QuerySet["SavedView"]):
    def visible_to(self, user: User) -> Self:
        """One's own, and those that other researchers share."""
        if not user.is_researcher:
            return self.none()
        return self.filter(Q(owner=user) | Q(is_shared=True))

    def owned_by(self, user: User) -> Self:
        """Those that the user may change."""
        return self.visible_to(user).filter(owner=user)


class SavedView(models.Model):
    """Runs, filter, tag and order of the page that compares passages."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=100)
    query = models.TextField()
    """What the address has behind its ?, as `annotation.results.passage_list.Asked` writes it."""
    is_shared = models.BooleanField(default=False)
    """Whether other researchers see it too."""
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SavedViewQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="pipeline_view_once_a_name")
        ]

    def __str__(self) -> str:
        return self.name
