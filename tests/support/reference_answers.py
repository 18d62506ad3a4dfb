"""Items with right answers, judged as the product does."""

from collections.abc import Sequence

from annotation.judging.answers import AnswerUpdate, save_judgments, submit
from annotation.judging.claims import claim_next
from annotation.models import Assignment, Campaign, Item
from annotation.quality_control.reference_answers import Right, settings_of, use_item
from annotation.quality_control.training import finish_if_complete
from rarrweb.accounts.models import User

RIGHT = (1, 1, 0)
"""What is right about the three sentences of every item in these tests."""


def put_in_use(campaign: Campaign, position: int, use: str) -> Item:
    item = campaign.items.get(position=position)
    answers = {
        ("attributable", target): Right(value=value, why=f"Why {target + 1}.")
        for target, value in enumerate(RIGHT)
    }
    use_item(item, use=use, answers=answers, by=campaign.created_by)
    campaign.refresh_from_db()
    return item


def set_checks(campaign: Campaign, **values: int | None) -> None:
    settings = settings_of(campaign)
    for name, value in values.items():
        setattr(settings, name, value)
    settings.save()
    campaign.refresh_from_db()


def save_values(assignment: Assignment, values: Sequence[int]) -> None:
    sequence = 1 + max(
        assignment.judgments.order_by("-sequence").values_list("sequence", flat=True)[:1], default=0
    )
    save_judgments(
        assignment,
        [
            AnswerUpdate(criterion="attributable", target=target, value=value, sequence=sequence)
            for target, value in enumerate(values)
        ],
    )


def judge(assignment: Assignment, values: Sequence[int]) -> None:
    save_values(assignment, values)
    assert submit(assignment) == []
    if assignment.purpose == "training":
        finish_if_complete(assignment.item.campaign, assignment.rater)


def claim(rater: User, campaign: Campaign | None = None) -> Assignment:
    result = claim_next(rater, campaign=campaign)
    assert isinstance(result, Assignment), result
    return result


def judge_next(
    rater: User, campaign: Campaign | None = None, values: Sequence[int] = RIGHT
) -> Assignment:
    assignment = claim(rater, campaign)
    judge(assignment, values)
    return assignment
