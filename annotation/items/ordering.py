"""The order of items.

Raters get the blocks of the campaign's random order one after the other, each block in an order
that differs between raters (docs/decisions/0008).
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from annotation.models import Campaign
from rarrweb.accounts.models import User

BLOCK = 100
"""The most items in a block."""


def chance(*parts: object) -> str:
    """Return 64 hexadecimal digits: a reproducible random number."""
    return hashlib.sha256(":".join(map(str, parts)).encode()).hexdigest()


def order_of(
    passages: Mapping[int, Sequence[tuple[int, str]]], *, seed: str
) -> list[tuple[int, str]]:
    """Order (revision, side) pairs at random, those of a passage far apart.

    Each round has at most one item of a passage, and equally many of each side and system. Rounds
    keep the passages' order by quarters, so at least about three quarters of a round lie between
    two items of one passage.
    """
    shuffled = sorted(passages, key=lambda key: chance(seed, key))
    count = max(map(len, passages.values()), default=0)
    quarter = max(1, len(shuffled) // 4)
    rank = {key: index for index, key in enumerate(shuffled)}
    rounds: list[dict[int, tuple[int, str]]] = [{} for _ in range(count)]
    # Rotate the first item, so that sides and systems are balanced in each round.
    for first, key in enumerate(sorted(shuffled, key=lambda key: chance(seed, "first", key))):
        items_of_passage = sorted(passages[key])
        for turn, item in enumerate(items_of_passage):
            rounds[(first + turn * count // len(items_of_passage)) % count][key] = item
    order = []
    for number, by_passage in enumerate(rounds):
        order += [
            by_passage[key]
            for key in sorted(
                by_passage,
                key=lambda key: (
                    (rank[key], "")
                    if number == 0
                    else (rank[key] // quarter, chance(seed, "again", number, key))
                ),
            )
        ]
    return order


def block_size(campaign: Campaign) -> int:
    """Return the items of a block.

    If raters get several items of a passage, blocks are small, so that half of the passages still
    lie between two of them.
    """
    times = campaign.items_per_passage
    if times == 1 or not campaign.may_repeat_passages:
        return BLOCK
    items = campaign.item_count
    if campaign.state == Campaign.State.PILOT:
        items = min(items, times * campaign.pilot_size)
    return max(1, min(BLOCK, items // (8 * times)))


def order_in_words(campaign: Campaign) -> str:
    """Describe the order in which raters get the items."""
    if campaign.is_draft and campaign.items_per_passage > 1 and campaign.may_repeat_passages:
        return "set when the campaign starts"
    size = block_size(campaign)
    if size == 1:
        return "random, the same for all raters, so that items of a passage stay apart"
    if 0 < campaign.item_count <= size:
        return "random, different for each rater"
    return f"random, in blocks of {size} items; within a block different for each rater"


def block_start(campaign: Campaign, position: int) -> int:
    size = block_size(campaign)
    return position - (position - 1) % size


def rater_order(campaign: Campaign, rater: User, positions: Iterable[int]) -> list[int]:
    seed = seed_of(campaign)
    return sorted(positions, key=lambda position: chance(seed, "rater", rater.pk, position))


def rescans_from_start(position: int) -> bool:
    """Return whether a rater with this last item searches from the start: one in ten."""
    return position % 10 == 0


def seed_of(campaign: Campaign) -> str:
    """Return the seed of the campaign's random choices."""
    return campaign.seed or campaign.slug
