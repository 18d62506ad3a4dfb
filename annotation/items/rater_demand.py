"""An item's stored counters: how many raters it wants, and how many of them have handed in.

They are columns, and not counted when a rater asks for work, so that a claim looks only at items
that want somebody. What hands in, takes back, or gives a slot calls `count_again` in the same
transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping

from annotation.models import Assignment, Campaign, Item, Judgment
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import is_left_out

COLUMNS = [
    f"campaign__{name}"
    for name in ("raters_per_item", "max_raters", "pilot_raters", "questionnaire", "options")
]
"""The columns of the campaign that decide how many raters an item wants."""


def first_wanted(campaign: Campaign, phase: str) -> int:
    """How many raters an item of that phase wants before anybody has judged it."""
    if phase == Item.Phase.PILOT:
        return campaign.pilot_raters
    return campaign.raters_per_item


def most_wanted(campaign: Campaign, phase: str) -> int:
    """How many raters an item of that phase can come to want."""
    first = first_wanted(campaign, phase)
    if phase == Item.Phase.PILOT:
        return first
    return max(first, campaign.max_raters or 0)


def compares_raters(campaign: Campaign, phase: str = "") -> bool:
    """Whether some item of the phase, or of any where it is empty, can get two raters or more."""
    phases = [phase] if phase else Item.Phase.values
    if not campaign.pilot_size:
        phases = [Item.Phase.PRODUCTION.value]
    return any(most_wanted(campaign, each) > 1 for each in phases)


def count_again(item_id: int) -> Item:
    """Count the item's submissions, and say how many it wants now; the item, locked.

    Call it inside of the transaction that changed a submission, after the change. The lock makes
    two who hand in at once count one after the other.
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
    """Return whether two raters agree on each required answer, without a tie.

    Written answers, and questions that such an answer makes obsolete, are ignored.
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
        (criterion.name, target) in shared or is_left_out(criterion, target, shared)
        for criterion in criteria
        for target in criterion.asked(item)
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
