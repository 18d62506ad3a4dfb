"""Items on which raters differ."""

from django.utils import timezone

from annotation.adjudication.cases import AdjudicatedAnswer, open_case, save_adjudication
from annotation.models import Assignment, Campaign, Item
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import judge, judge_next

FIRST = ("attributable", 1)


def make_differing(*, passages: int = 1) -> Campaign:
    """Two raters differ about the second sentence of each item."""
    return make_outvoted((1, 1, 0), (1, 0, 0), passages=passages)


def settle_first(item: Item, by: User, value: int = 1, reason: str = "See evidence 1.") -> None:
    answers = {FIRST: AdjudicatedAnswer(value=value, reason=reason)}
    save_adjudication(item, by=by, answers=answers, seen=open_case(item).seen)


def make_disputed() -> Campaign:
    """Two items that want three raters: two differ on the first, one has judged the second."""
    one, two = make_user(), make_user()
    campaign = make_campaign(passages=2, raters=(one, two), raters_per_item=3, seed="same order")
    first, second = campaign.items.order_by("position")
    for rater, item, values in (
        (one, first, (1, 1, 0)),
        (one, second, (1, 1, 0)),
        (two, first, (1, 0, 0)),
    ):
        now, slot = timezone.now(), 1 + item.assignments.count()
        assignment = Assignment.objects.create(
            item=item, rater=rater, slot=slot, claimed_at=now, lease_until=now
        )
        judge(assignment, values)
    return campaign


def make_judged(*rows: tuple[tuple[int, ...], ...], passages: int = 2) -> Campaign:
    """Create a row per rater with their answers to the first, second, … item."""
    raters = tuple(make_user() for _ in rows)
    campaign = make_campaign(passages=passages, raters=raters, raters_per_item=max(2, len(rows)))
    for rater, items in zip(raters, rows, strict=True):
        for values in items:
            judge_next(rater, campaign, values)
    return campaign


def make_outvoted(*answers: tuple[int, int, int], passages: int = 2) -> Campaign:
    """Each rater's answers to three sentences, the same ones on all items."""
    return make_judged(*((each,) * passages for each in answers), passages=passages)
