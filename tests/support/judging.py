"""Raters who judge whole items, the way the product lets them."""

from collections.abc import Sequence

import pytest

from annotation.judging.answers import Answer, save_judgments, submit
from annotation.judging.claims import claim_next
from annotation.models import Assignment, Campaign
from rarrweb.accounts.models import User


def judge_next(rater: User, campaign: Campaign, values: Sequence[int]) -> Assignment:
    """The rater's next item, its sentences answered by `values` (1 attributable), handed in."""
    assignment = claim_next(rater, campaign=campaign)
    assert isinstance(assignment, Assignment)
    save_judgments(
        assignment,
        [
            Answer(criterion="attributable", target=target, value=value, sequence=1)
            for target, value in enumerate(values)
        ],
    )
    assert submit(assignment) == []
    return assignment


def delete_after_the_check(assignment: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Delete it as a withdrawal does, right after a request has found that it is its rater's."""

    def is_own(user: User, assignment_id: int) -> bool:
        Assignment.objects.filter(pk=assignment_id).delete()
        return True

    monkeypatch.setattr("annotation.judging.access.is_own", is_own)
