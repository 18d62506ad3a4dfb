"""An assignment that is gone before a request works on it."""

import pytest

from annotation.models import Assignment
from rarrweb.accounts.models import User


def delete_after_the_check(assignment: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Delete it as a withdrawal does, right after a request has found that it is its rater's."""

    def is_passage_value(user: User, assignment_id: int) -> bool:
        Assignment.objects.filter(pk=assignment_id).delete()
        return True

    monkeypatch.setattr("annotation.judging.access.is_passage_value", is_passage_value)
