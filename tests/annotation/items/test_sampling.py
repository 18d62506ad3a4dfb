"""Drawing passages: chances are what they say, and weights undo them."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.exporting.export import Export
from annotation.exporting.judgments_csv import CSV
from annotation.items.ordering import chance
from annotation.items.sampling import (
    Passage,
    allocate,
    allocate_proportionally,
    draw_evenly,
)
from annotation.items.selection import outlook
from annotation.models import Campaign
from annotation.results.attribution import campaign_result
from pipeline.metrics.inference import mean_estimate, ratio_estimate, weighted_mean_estimate
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign, make_judgeable_run
from tests.support.factories import make_user
from tests.support.reference_answers import claim, judge_next

DRAWS = 1000


def population(n: int = 60) -> list[Passage]:
    return [Passage(key=key, stratum="ab"[key % 2]) for key in range(n)]


def parts(passages: list[Passage], size: int) -> dict[str, int]:
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
    passages = [Passage(key=key) for key in range(count)]
    drawn = draw_evenly(passages, parts(passages, size), seed=seed, chance=chance)
    assert len(drawn) == min(size, count)
    assert all(0 < share <= 1 for share in drawn.values())
    assert drawn == draw_evenly(passages[::-1], parts(passages, size), seed=seed, chance=chance)


def test_a_passage_is_drawn_as_often_as_its_chance_says() -> None:
    passages = population(20)
    times: Counter[int] = Counter()
    shares: dict[int, float] = {}
    for number in range(DRAWS):
        drawn = draw_evenly(passages, parts(passages, 6), seed=f"s{number}", chance=chance)
        times.update(drawn.keys())
        shares |= drawn
    for key, share in shares.items():
        spread = (share * (1 - share) / DRAWS) ** 0.5
        assert abs(times[key] / DRAWS - share) <= 4.5 * spread + 1e-12


# ---- Weights ----------------------------------------------------------------------------------
def test_equal_weights_are_the_plain_mean_with_its_interval() -> None:
    values = [0.1, 0.9, 0.4, 0.7]
    plain, weighted = mean_estimate(values), weighted_mean_estimate(values, [3.0] * 4)
    assert plain is not None
    assert weighted is not None
    for end in ("value", "low", "high"):
        assert getattr(weighted, end) == pytest.approx(getattr(plain, end))


def test_a_ratio_worked_by_hand() -> None:
    # Weighted parts 1·1 + 3·3 = 10 of weighted wholes 1·2 + 3·4 = 14.
    found = ratio_estimate([1, 3], [2, 4], [1, 3])
    assert found is not None
    assert (found.value, found.n) == (pytest.approx(10 / 14), 2)
    assert ratio_estimate([], [], []) is None
    assert ratio_estimate([0], [0], [1]) is None


@pytest.mark.parametrize("weights", [[0.0], [-1.0], [float("nan")], [1.0, 2.0]])
def test_weights_that_are_none_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # two sentences, of two mistakes
        weighted_mean_estimate([0.5], weights)


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
    said = {}
    for _ in chances:
        revision = judge_next_by_chance(rater, campaign, chances)
        said[revision] = 1.0 if chances[revision] == 1 else 0.0
    result = campaign_result(campaign)
    assert result.is_weighted
    [side] = result.sides
    weights = {revision: 1 / share for revision, share in chances.items()}
    expected = sum(said[key] * weights[key] for key in said) / sum(weights.values())
    assert side.attribution is not None
    assert side.attribution.value == pytest.approx(expected)
    assert side.sentences is not None
    assert side.sentences.value == pytest.approx(expected)
    rows = (
        b"".join(Export(campaign=campaign, format=CSV).chunks()).decode("utf-8-sig").split("\r\n")
    )
    place = rows[0].split(",").index("weight") - len(rows[0].split(","))
    written = {float(row.rsplit(",", -place)[1]) for row in rows[1:] if row}
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
    assert campaign.item_count == outlook([run], "both", sample_size=2).items == 4
    assert campaign.items.values("revision_id").distinct().count() == 2
    judge_next(rater, campaign, (1, 1, 0))
    assert not campaign_result(campaign).is_weighted
