"""The order of items: the campaign's, and each rater's own.

The campaign's order is seeded and cut into blocks. Raters do the blocks in turn, each block in
their own order, so order effects differ between raters and started items are completed within
about a block (docs/decisions/0008).
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from annotation.models import Campaign
from rarrweb.accounts.models import User

BLOCK = 100
"""Items that a rater's own order is drawn over."""


def chance(*parts: object) -> str:
    """A hash that serves as a reproducible random number."""
    return hashlib.sha256(":".join(map(str, parts)).encode()).hexdigest()


def order_of(
    passages: Mapping[int, Sequence[tuple[int, str]]], *, seed: str
) -> list[tuple[int, str]]:
    """The order in which a passage's (revision, side) pairs are shown: seeded, and far apart.

    As many rounds as a passage has items at most: each round has one item of every passage that
    has so many, and those with fewer are spread over the rounds. Which of a passage's items comes
    first goes round, so that every round has as much of each side and each system. Rounds keep to
    the first one's order by quarters, so at least three quarters of a round lie between two items
    of one passage (less what rounding takes when there are few).
    """
    shuffled = sorted(passages, key=lambda key: chance(seed, key))
    count = max(map(len, passages.values()), default=0)
    quarter = max(1, len(shuffled) // 4)
    rank = {key: index for index, key in enumerate(shuffled)}
    rounds: list[dict[int, tuple[int, str]]] = [{} for _ in range(count)]
    # Balanced, and not thrown, so that a rater who judges only the first items sees as much of
    # every side and system.
    for first, key in enumerate(sorted(shuffled, key=lambda key: chance(seed, "first", key))):
        items_of_passage = sorted(passages[key])
        for turn, item in enumerate(items_of_passage):
            rounds[(first + turn * count // len(items_of_passage)) % count][key] = item
    order = []
    for number, items in enumerate(rounds):
        order += [
            items[key]
            for key in sorted(
                items,
                key=lambda key: (
                    (rank[key], "")
                    if number == 0
                    else (rank[key] // quarter, chance(seed, "again", number, key))
                ),
            )
        ]
    return order


def block_size(campaign: Campaign) -> int:
    """How many items a rater's own order is drawn over.

    Where one rater gets a passage more than once, blocks are so small that its items stay apart:
    half of the passages still lie between them.
    """
    times = campaign.items_per_passage
    if times == 1 or not campaign.may_repeat_passages:
        return BLOCK
    items = campaign.item_count
    if campaign.state == Campaign.State.PILOT:
        items = min(items, times * campaign.pilot_size)
    return max(1, min(BLOCK, items // (8 * times)))


def order_in_words(campaign: Campaign) -> str:
    """In which order raters get the items of a campaign; a draft's is known once it has items."""
    if campaign.is_draft and campaign.items_per_passage > 1 and campaign.may_repeat_passages:
        return "set when the campaign starts"
    if block_size(campaign) > 1:
        return "each rater gets the items in an order of their own"
    return "all raters get the items in the same order, so that the items of a passage stay apart"


def block_start(campaign: Campaign, position: int) -> int:
    """The first position of its block."""
    size = block_size(campaign)
    return position - (position - 1) % size


def rater_order(campaign: Campaign, rater: User, positions: Iterable[int]) -> list[int]:
    """`positions` in the rater's own order: reproducible, and different for each rater."""
    seed = seed_of(campaign)
    return sorted(positions, key=lambda position: chance(seed, "rater", rater.pk, position))


def rescans_from_start(position: int) -> bool:
    """Whether a rater whose last item is there searches from the start: one in ten."""
    return position % 10 == 0


def seed_of(campaign: Campaign) -> str:
    """What everything in the campaign that looks random is drawn from."""
    return campaign.seed or campaign.slug
