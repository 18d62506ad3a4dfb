"""In which order items are shown: the campaign's, and each rater's own.

The campaign's order is seeded and cut into blocks. Raters go through the blocks one after the
other, and through each block in an order of their own. So what a rater has learnt or lost by an
item does not fall on the same items for all; and an item that somebody has judged is completed
within a block or so, not at the very end. docs/decisions/0008 says why.
"""

import hashlib
from collections.abc import Iterable, Sequence

from annotation.models import Campaign
from rarrweb.accounts.models import User

BLOCK = 100
"""Items that a rater's own order is drawn over."""


def chance(*parts: object) -> str:
    """A draw that is the same for the same parts: sorts, and is taken apart, as if at random."""
    return hashlib.sha256(":".join(map(str, parts)).encode()).hexdigest()


def order_of(revisions: Sequence[int], *, sides: Sequence[str], seed: str) -> list[tuple[int, str]]:
    """The order in which (revision, side) pairs are shown: seeded, a passage's sides apart.

    With two sides, the first half of the order has one side of every passage and the second
    half the other; for a random half of the passages it is `sides[0]` that comes first. The
    second half keeps to the first one's order by quarters, so at least three quarters of the
    passages lie between the two sides of one (less what rounding takes when there are few).
    """
    shuffled = sorted(revisions, key=lambda pk: chance(seed, pk))
    if len(sides) == 1:
        return [(pk, sides[0]) for pk in shuffled]
    quarter = max(1, len(shuffled) // 4)
    place = {pk: index for index, pk in enumerate(shuffled)}
    again = sorted(shuffled, key=lambda pk: (place[pk] // quarter, chance(seed, "again", pk)))
    # Half of the passages begin with one side: balanced, so that a rater who judges only the
    # first items sees as much of both.
    drawn = sorted(shuffled, key=lambda pk: chance(seed, "first", pk))
    first = {pk: sides[index % 2] for index, pk in enumerate(drawn)}
    other = {sides[0]: sides[1], sides[1]: sides[0]}
    return [(pk, first[pk]) for pk in shuffled] + [(pk, other[first[pk]]) for pk in again]


def has_sides_apart(campaign: Campaign) -> bool:
    """Whether a rater gets only one of a passage's sides."""
    return campaign.needs_two_raters


def block_size(campaign: Campaign) -> int:
    """How many items a rater's own order is drawn over.

    Where one rater gets both sides of a passage, blocks are so small that the sides stay apart:
    half of the passages still lie between them.
    """
    if campaign.sides != Campaign.Side.BOTH or not campaign.may_repeat_passages:
        return BLOCK
    items = campaign.item_count
    if campaign.state == Campaign.State.PILOT:
        items = min(items, 2 * campaign.pilot_size)
    return max(1, min(BLOCK, items // 16))


def block_start(campaign: Campaign, position: int) -> int:
    """The first position of the block in which `position` is."""
    size = block_size(campaign)
    return position - (position - 1) % size


def own_order(campaign: Campaign, rater: User, positions: Iterable[int]) -> list[int]:
    """`positions` in the rater's own order: the same each time, another one for each rater."""
    seed = seed_of(campaign)
    return sorted(positions, key=lambda position: chance(seed, "rater", rater.pk, position))


def looks_back(position: int) -> bool:
    """Whether a rater whose last item stood there looks for work from the start: one in ten."""
    return position % 10 == 0


def seed_of(campaign: Campaign) -> str:
    """What everything in the campaign that looks random is drawn from."""
    return campaign.seed or campaign.slug
