"""What every task has beside it: the instructions with what changed, and questions with answers."""

from annotation import guidelines, talks
from annotation.models import Assignment


def beside_the_task(assignment: Assignment) -> dict[str, object]:
    """What the templates need that a task includes from `guidelines/` and `questions/`."""
    item, own = assignment.item, assignment.rater_id
    threads = talks.marks_beside(assignment.rater, item)
    return {
        "instructions": guidelines.shown_to(assignment.rater, item.campaign),
        "talk_here": sum(thread.item_id == item.pk for thread in threads),
        "talk_new": sum(thread.is_new for thread in threads),
        "talk_answered": sum(thread.is_new and thread.asked_by_id == own for thread in threads),
        "talk_published": sum(thread.is_new and thread.asked_by_id != own for thread in threads),
    }
