"""Raters' questions about items, and the answers."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from annotation.models.campaigns import Campaign, Membership
from annotation.models.items import Item
from rarrweb.accounts.models import User


class ThreadQuerySet(models.QuerySet["Thread"]):
    def visible_to(self, user: User) -> Self:
        """A researcher sees every thread; a rater of the campaign their own and published ones."""
        if user.is_researcher:
            return self.all()
        judges = Membership.objects.filter(
            campaign=OuterRef("campaign"), user_id=user.pk, role=Membership.Role.ANNOTATOR
        )
        return self.filter(
            Q(asked_by_id=user.pk) | Q(published_through__isnull=False), Exists(judges)
        )

    def led_by(self, user: User) -> Self:
        """The threads that the user may answer, close and publish."""
        return self.all() if user.is_researcher else self.none()


class Thread(models.Model):
    """A rater's question about an item, with the messages that follow.

    Raters are blind to each other: a published thread names nobody, and shows only the messages
    that it had when it was published.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="threads")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="threads")
    sentence = models.PositiveIntegerField(null=True)
    """Index of the sentence it is about, from 0; None if it is about the whole item."""
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="threads"
    )
    asked_at = models.DateTimeField()
    last_at = models.DateTimeField()
    """When its newest message was written."""
    waits = models.BooleanField(default=True)
    """Whether the newest message is the rater's, so that an answer is due."""
    closed_at = models.DateTimeField(null=True)
    published_through = models.BigIntegerField(null=True)
    """The id of the last message that every rater may read; None while it is not published."""

    objects = ThreadQuerySet.as_manager()

    class Meta:
        ordering = ["-last_at", "-pk"]
        indexes = [models.Index(fields=["campaign", "-last_at"], name="annotation_thread_newest")]

    def __str__(self) -> str:
        return f"question {self.pk} about {self.item}"

    def get_absolute_url(self) -> str:
        return reverse("annotation:thread", args=[self.pk])


class Message(models.Model):
    """A message in a thread, by the rater who asked or by a researcher."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="messages")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    is_askers = models.BooleanField()
    """Whether the rater who asked wrote it; else a researcher did."""
    text = models.TextField()
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["author", "written_at"], name="annotation_message_pace")]

    def __str__(self) -> str:
        return f"message {self.pk} in {self.thread}"


class ThreadReading(models.Model):
    """How far a person has read a thread."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="readings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    read_through = models.BigIntegerField()
    """The id of the newest message that was on the page."""

    class Meta:
        ordering = ["thread", "user"]
        constraints = [
            models.UniqueConstraint(fields=["user", "thread"], name="annotation_thread_read_once")
        ]

    def __str__(self) -> str:
        return f"{self.user} read {self.thread}"
