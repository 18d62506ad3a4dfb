"""Drawing passages: chances are what they say, and weights undo them."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.exporting.export import Export
from annotation.exporting.judgments_csv import CSV
from annotation.items.ordering import chance
from annotation.items.sampling import (
    EligiblePassage,
    allocate,
    allocate_proportionally,
    draw_evenly,
)
from annotation.items.selection import preview_selection
from annotation.models import Campaign
from annotation.results.attribution import campaign_result
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign, make_judgeable_run
from tests.support.factories import make_user
from tests.support.reference_answers import claim, judge_next


def parts(passages: list[EligiblePassage], size: int) -> dict[str, int]:
    """How many of each stratum."""
    return allocate_proportionally(Counter(each.stratum for each in passages), size)


# ---- How many ---------------------------------------------------------------------------------
@given(
    counts=st.dictionaries(st.text(max_size=3), st.integers(0, 500), min_size=1, max_size=8),
    size=st.integers(1, 600),
)
def test_strata_get_their_share_to_less_than_one(counts: dict[str, int], size: int) -> None:
    shares = allocate(counts, size)
    total = sum(counts.values())
    assert sum(shares.values()) == min(size, total)
    for name, count in counts.items():
        assert shares[name] <= count
        assert total == 0 or abs(shares[name] - min(size, total) * count / total) < 1


@settings(max_examples=200)
@given(
    count=st.integers(1, 60),
    size=st.integers(1, 70),
    seed=st.text(max_size=5),
)
def test_as_many_are_drawn_as_asked_for_and_none_twice(count: int, size: int, seed: str) -> None:
    passages = [EligiblePassage(key=key) for key in range(count)]
    drawn = draw_evenly(passages, parts(passages, size), seed=seed, chance=chance)
    assert len(drawn) == min(size, count)
    assert all(0 < share <= 1 for share in drawn.values())
    assert drawn == draw_evenly(passages[::-1], parts(passages, size), seed=seed, chance=chance)


# ---- In a campaign ----------------------------------------------------------------------------
@pytest.mark.django_db
def test_a_campaign_keeps_each_chance_and_figures_and_exports_use_it() -> None:
    rater = make_user()
    runs = [make_judgeable_run(passages=6), make_judgeable_run(passages=2)]
    campaign = make_campaign(
        runs=runs, sampling="random", sample_size=4, allocation="equal", raters=(rater,)
    )
    chances = dict(campaign.items.values_list("revision_id", "inclusion"))
    assert len(chances) == 4
    assert len({round(share, 9) for share in chances.values()}) == 2
    message = {}
    for _ in chances:
        revision = judge_next_by_chance(rater, campaign, chances)
        message[revision] = 1.0 if chances[revision] == 1 else 0.0
    result = campaign_result(campaign)
    assert result.is_weighted
    [side] = result.whole.sides
    weights = {revision: 1 / share for revision, share in chances.items()}
    expected = sum(message[key] * weights[key] for key in message) / sum(weights.values())
    assert side.attribution is not None
    assert side.attribution.value == pytest.approx(expected)
    assert side.sentences is not None
    assert side.sentences.value == pytest.approx(expected)
    rows = (
        b"".join(Export(campaign=campaign, format=CSV).chunks()).decode("utf-8-sig").split("\r\n")
    )
    position = rows[0].split(",").index("weight") - len(rows[0].split(","))
    written = {float(row.rsplit(",", -position)[1]) for row in rows[1:] if row}
    assert written == {round(weight, 6) for weight in weights.values()}


def judge_next_by_chance(rater: User, campaign: Campaign, chances: dict[int, float]) -> int:
    """The rater's next item, called attributable where it was sure to be drawn; its revision."""
    assignment = claim(rater, campaign=campaign)
    judge_everything(assignment, value=chances[assignment.item.revision_id] == 1)
    return assignment.item.revision_id


@pytest.mark.django_db
def test_the_same_seed_draws_the_same_and_another_one_others() -> None:
    run = make_judgeable_run(passages=12)
    drawn = [
        frozenset(
            make_campaign(run=run, sampling="random", sample_size=4, seed=seed).items.values_list(
                "revision_id", flat=True
            )
        )
        for seed in ("a", "a", "b")
    ]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.django_db
def test_an_even_sample_is_not_weighted_and_both_sides_go_together() -> None:
    rater = make_user()
    run = make_judgeable_run(passages=6)
    campaign = make_campaign(
        run=run, sides="both", sampling="random", sample_size=2, raters=(rater,)
    )
    assert campaign.item_count == preview_selection([run], "both", sample_size=2).items == 4
    assert campaign.items.values("revision_id").distinct().count() == 2
    judge_next(rater, campaign, (1, 1, 0))
    assert not campaign_result(campaign).is_weighted
