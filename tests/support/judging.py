"""Raters who judge whole items, the way the product lets them."""

from collections.abc import Sequence

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
