"""How well a run's language model keeps to the forms that can be read, counted by step."""

from collections.abc import Mapping

from django.db import transaction

from pipeline.backends.readings import ReplyCounter, ReplyCounts
from pipeline.models import Run
from pipeline.rarr.serialization import from_plain, to_plain


def add_replies(run: Run, counter: ReplyCounter) -> None:
    """Add what was counted for one passage to the run's counts."""
    if not counter.by_step:
        return
    with transaction.atomic():
        # Locked and read again: other workers add theirs.
        locked = Run.objects.select_for_update().only("replies").get(pk=run.pk)
        total = ReplyCounter(reply_counts(locked))
        for step, counts in counter.by_step.items():
            total.add(step, counts)
        locked.replies = to_plain(total.by_step)
        locked.save(update_fields=["replies"])


def reply_counts(run: Run) -> Mapping[str, ReplyCounts]:
    """The replies of each step, in all tries of all passages; asks the database nothing.

    Raises `ValueError` for what `add_replies` cannot have written.
    """
    return {step: from_plain(ReplyCounts, plain) for step, plain in run.replies.items()}
