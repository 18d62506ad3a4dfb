"""The stored counts of raters wanted and of submissions of an item."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from annotation.models import Assignment, Campaign, Item, Judgment
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import is_inapplicable

COLUMNS = [
    f"campaign__{name}"
    for name in ("raters_per_item", "max_raters", "pilot_raters", "questionnaire", "options")
]


def first_wanted(campaign: Campaign, phase: str) -> int:
    """Return the raters of an item without judgments."""
    if phase == Item.Phase.PILOT:
        return campaign.pilot_raters
    return campaign.raters_per_item


def most_wanted(campaign: Campaign, phase: str) -> int:
    """Return the most raters of an item."""
    first = first_wanted(campaign, phase)
    if phase == Item.Phase.PILOT:
        return first
    return max(first, campaign.max_raters or 0)


def compares_raters(campaign: Campaign, phase: str = "") -> bool:
    """Return whether items of the phase, or of any phase, can get several raters."""
    phases = [phase] if phase else Item.Phase.values
    if not campaign.pilot_size:
        phases = [Item.Phase.PRODUCTION.value]
    return any(most_wanted(campaign, each) > 1 for each in phases)


def count_again(item_id: int) -> Item:
    """Update and lock the counters of the item.

    Call it in each transaction that changes a submission or slot, after the change.
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
    """Return whether two raters or more agree on each required answer.

    Texts, and answers that another makes unnecessary, do not count.
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
    if item.use:  # for training or as gold
        return done
    first = first_wanted(item.campaign, item.phase)
    most = most_wanted(item.campaign, item.phase)
    if most == first or done < first:
        return first
    if done >= most or agree(item):
        return max(first, min(done, most))
    return done + 1
