"""Items on which raters differ."""

from annotation.adjudication.cases import AdjudicatedAnswer, open_case, save_adjudication
from annotation.models import Campaign, Item
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import judge_next

FIRST = ("attributable", 1)


def make_differing(*, passages: int = 1, campaign: Campaign | None = None) -> Campaign:
    """Two raters differ about the second sentence of each item."""
    raters = (make_user(), make_user())
    campaign = campaign or make_campaign(passages=passages, raters=raters, raters_per_item=2)
    for _ in range(passages):
        judge_next(raters[0], campaign, (1, 1, 0))
        judge_next(raters[1], campaign, (1, 0, 0))
    return campaign


def settle_first(item: Item, by: User, value: int = 1, reason: str = "See evidence 1.") -> None:
    answers = {FIRST: AdjudicatedAnswer(value=value, reason=reason)}
    save_adjudication(item, by=by, answers=answers, seen=open_case(item).seen)
