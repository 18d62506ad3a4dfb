"""An item's stored counters: the raters it wants, and its submissions.

They are columns, so that a claim reads only items that want a rater. Every change of a
submission or slot calls `count_again` in its transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping

from annotation.models import Assignment, Campaign, Item, Judgment
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import is_inapplicable

COLUMNS = [
    f"campaign__{name}"
    for name in ("raters_per_item", "max_raters", "pilot_raters", "questionnaire", "options")
]
"""The columns of the campaign that determine the demand."""


def first_wanted(campaign: Campaign, phase: str) -> int:
    """Raters of an item before it has judgments."""
    if phase == Item.Phase.PILOT:
        return campaign.pilot_raters
    return campaign.raters_per_item


def most_wanted(campaign: Campaign, phase: str) -> int:
    """Raters of an item at most."""
    first = first_wanted(campaign, phase)
    if phase == Item.Phase.PILOT:
        return first
    return max(first, campaign.max_raters or 0)


def compares_raters(campaign: Campaign, phase: str = "") -> bool:
    """Whether an item of the phase, or of any phase, can get two raters or more."""
    phases = [phase] if phase else Item.Phase.values
    if not campaign.pilot_size:
        phases = [Item.Phase.PRODUCTION.value]
    return any(most_wanted(campaign, each) > 1 for each in phases)


def count_again(item_id: int) -> Item:
    """Update and lock the counters of the item.

    Call it in the transaction that changed a submission, after the change. The lock makes
    simultaneous submissions count one after the other.
    """
    rows = Item.objects.select_for_update(of=("self",), no_key=True).select_related("campaign")
    item = rows.only("use", "phase", "done", "wanted", *COLUMNS).get(pk=item_id)
    done = Assignment.objects.submitted().filter(item=item, slot__isnull=False).count()
    wanted = _wanted(item, done)
    if (done, wanted) != (item.done, item.wanted):
        item.done, item.wanted = done, wanted
        item.save(update_fields=["done", "wanted"])
    return item


def agree(item: Item) -> bool:
    """Whether each required answer has one value that two raters gave and no other value as many.

    Written answers, and what an answer makes unnecessary, do not count.
    """
    answers: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
    criteria = questionnaire_of(item.campaign).decisive_criteria()
    rows = (
        Judgment.objects.valid()
        .filter(assignment__item=item, criterion__in=[criterion.name for criterion in criteria])
        .values_list("criterion", "target", "value")
    )
    for criterion, target, value in rows:
        answers[criterion, target][value] += 1  # type: ignore[index]  # valid leaves no None
    shared = {
        key: max(votes, key=votes.__getitem__)
        for key, votes in answers.items()
        if _is_shared(votes)
    }
    return all(
        (criterion.name, target) in shared or is_inapplicable(criterion, target, shared)
        for criterion in criteria
        for target in criterion.required_targets(item)
    )


def _is_shared(votes: Mapping[int, int]) -> bool:
    ordered = [*sorted(votes.values(), reverse=True), 0, 0]
    return ordered[0] >= 2 and ordered[0] > ordered[1]


def _wanted(item: Item, done: int) -> int:
    if item.use:  # it trains or checks raters, and waits for nobody
        return done
    first = first_wanted(item.campaign, item.phase)
    most = most_wanted(item.campaign, item.phase)
    if most == first or done < first:
        return first
    if done >= most or agree(item):
        return max(first, min(done, most))
    return done + 1
