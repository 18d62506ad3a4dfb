"""Counts of readable and unreadable replies of language models."""

from collections.abc import Mapping

from django.db import transaction

from pipeline.backends.readings import ReplyCounter, ReplyCounts
from pipeline.models import Run
from pipeline.rarr.serialization import from_plain, to_plain


def add_replies(run: Run, counter: ReplyCounter) -> None:
    if not counter.by_step:
        return
    with transaction.atomic():
        # Locked and read again, because other workers add theirs.
        locked = Run.objects.select_for_update().only("replies").get(pk=run.pk)
        total = ReplyCounter(reply_counts(locked))
        for step, counts in counter.by_step.items():
            total.add(step, counts)
        locked.replies = to_plain(total.by_step)
        locked.save(update_fields=["replies"])


def reply_counts(run: Run) -> Mapping[str, ReplyCounts]:
    """Return the counts by step over all attempts, without a query."""
    return {step: from_plain(ReplyCounts, plain) for step, plain in run.replies.items()}
