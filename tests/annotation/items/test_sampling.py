"""Drawing passages: chances are what they say, and weights undo them."""

import random
from collections import Counter
from collections.abc import Callable
from statistics import fmean, stdev

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
    doubt_of,
    draw_doubtful,
    draw_evenly,
    inclusion,
)
from annotation.items.selection import outlook
from annotation.judging.claims import claim_next
from annotation.models import Assignment, Campaign
from annotation.results.attribution import campaign_result
from pipeline.metrics.inference import mean_estimate, ratio_estimate, weighted_mean_estimate
from pipeline.models import Revision
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign, make_judgeable_run
from tests.support.factories import make_user
from tests.support.judging import judge_next

DRAWS = 1000


def population(n: int = 60) -> tuple[list[Passage], dict[int, float]]:
    """Passages of which auto-AIS is the more unsure the less attributable they are."""
    made = random.Random(5)
    truth = {key: made.random() for key in range(n)}
    passages = [
        Passage(key=key, stratum="ab"[key % 2], doubt=1 - value) for key, value in truth.items()
    ]
    return passages, truth


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
    doubts=st.lists(st.floats(0, 1), min_size=1, max_size=60),
    size=st.integers(1, 70),
    seed=st.text(max_size=5),
)
def test_as_many_are_drawn_as_asked_for_and_none_twice(
    doubts: list[float], size: int, seed: str
) -> None:
    passages = [Passage(key=key, doubt=doubt) for key, doubt in enumerate(doubts)]
    for draw in (draw_evenly, draw_doubtful):
        drawn = draw(passages, parts(passages, size), seed=seed, chance=chance)
        assert len(drawn) == min(size, len(doubts))
        assert all(0 < share <= 1 for share in drawn.values())
        assert drawn == draw(passages[::-1], parts(passages, size), seed=seed, chance=chance)


@given(sizes=st.lists(st.floats(0.1, 1), min_size=1, max_size=40), n=st.integers(1, 45))
def test_chances_add_up_and_are_in_proportion_below_one(sizes: list[float], n: int) -> None:
    found = inclusion(dict(enumerate(sizes)), n)
    assert sum(found.values()) == pytest.approx(min(n, len(sizes)))
    below = [(found[key], size) for key, size in enumerate(sizes) if found[key] < 1]
    rates = {round(share / size, 9) for share, size in below}
    assert len(rates) <= 1


@pytest.mark.parametrize("draw", [draw_evenly, draw_doubtful])
def test_a_passage_is_drawn_as_often_as_its_chance_says(
    draw: Callable[..., dict[int, float]],
) -> None:
    passages, _ = population(20)
    times: Counter[int] = Counter()
    shares: dict[int, float] = {}
    for number in range(DRAWS):
        drawn = draw(passages, parts(passages, 6), seed=f"s{number}", chance=chance)
        times.update(drawn.keys())
        shares |= drawn
    for key, share in shares.items():
        spread = (share * (1 - share) / DRAWS) ** 0.5
        assert abs(times[key] / DRAWS - share) <= 4.5 * spread + 1e-12


# ---- Unbiased ---------------------------------------------------------------------------------
def test_weights_make_a_doubtful_sample_unbiased_and_without_them_it_is_not() -> None:
    passages, truth = population(200)
    expected = fmean(truth.values())
    sizes = parts(passages, 60)
    plain, thompson, hajek, covered = [], [], [], 0
    for number in range(DRAWS):
        drawn = draw_doubtful(passages, sizes, seed=f"s{number}", chance=chance)
        values = [truth[key] for key in drawn]
        weights = [1 / share for share in drawn.values()]
        plain.append(fmean(values))
        thompson.append(sum(v * w for v, w in zip(values, weights, strict=True)) / len(passages))
        found = weighted_mean_estimate(values, weights, lowest=0, highest=1)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hajek.append(found.value)
        covered += found.low <= expected <= found.high
    noise = stdev(thompson) / DRAWS**0.5
    assert abs(fmean(thompson) - expected) < 4 * noise  # Horvitz and Thompson's: exactly unbiased
    # Hájek's ratio: a bias of the order of one over the sample's size.
    assert abs(fmean(hajek) - expected) < 0.01
    assert abs(fmean(plain) - expected) > 0.05  # what leaving the weights out would do
    assert covered / DRAWS > 0.9


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


def test_runs_draw_the_same_passages_as_far_as_their_doubts_allow() -> None:
    """So a difference over the passages that both drew is weighed by the lesser chance."""
    made = random.Random(3)
    units = range(150)
    doubts = [(made.random(), made.random()) for _ in units]
    # What is measured differs most where both are in doubt.
    difference = [min(each) for each in doubts]
    passages = [
        Passage(key=unit + 1000 * run, stratum=str(run), unit=unit, doubt=doubts[unit][run])
        for unit in units
        for run in (0, 1)
    ]
    found, both = [], []
    for number in range(DRAWS // 2):
        drawn = draw_doubtful(passages, {"0": 40, "1": 40}, seed=f"s{number}", chance=chance)
        shared = [unit for unit in units if unit in drawn and unit + 1000 in drawn]
        weights = [1 / min(drawn[unit], drawn[unit + 1000]) for unit in shared]
        estimate = weighted_mean_estimate([difference[unit] for unit in shared], weights)
        assert estimate is not None
        found.append(estimate.value)
        both.append(len(shared))
    chances = inclusion_of(doubts, 40)
    assert fmean(both) == pytest.approx(sum(map(min, chances)), rel=0.03)
    noise = stdev(found) / len(found) ** 0.5
    # Hájek's ratio: a bias of the order of one over the sample's size.
    assert abs(fmean(found) - fmean(difference)) < max(4 * noise, 0.01)


def inclusion_of(doubts: list[tuple[float, float]], size: int) -> list[tuple[float, float]]:
    """Each passage's chances in two runs, by hand."""
    means = [fmean(each[run] for each in doubts) for run in (0, 1)]
    one, other = (
        inclusion({n: (means[run] + each[run]) / 2 for n, each in enumerate(doubts)}, size)
        for run in (0, 1)
    )
    return [(one[n], other[n]) for n in range(len(doubts))]


def test_a_passage_that_auto_ais_is_sure_of_keeps_half_of_an_even_chance() -> None:
    doubts = [1.0, 1.0, 0.0, 0.0]
    sure = [Passage(key=key, doubt=doubt) for key, doubt in enumerate(doubts)]
    shares: dict[int, float] = {}
    for number in range(50):
        shares |= draw_doubtful(sure, {"": 1}, seed=f"s{number}", chance=chance)
    assert shares == pytest.approx({0: 0.375, 1: 0.375, 2: 0.125, 3: 0.125})
    none = [Passage(key=key, doubt=0.0) for key in range(4)]
    [share] = draw_doubtful(none, {"": 1}, seed="", chance=chance).values()
    assert share == 0.25


def test_doubt_is_greatest_at_one_half() -> None:
    assert doubt_of([0.5]) > doubt_of([0.6]) == pytest.approx(doubt_of([0.4]))
    assert doubt_of([0.0, 1.0]) == 0


# ---- In a campaign ----------------------------------------------------------------------------
@pytest.mark.django_db
def test_a_campaign_keeps_each_chance_and_figures_and_exports_use_it() -> None:
    rater = make_user()
    run = make_judgeable_run(passages=6)
    for number, revision in enumerate(Revision.objects.order_by("pk")):
        entailed = 0.5 if number < 3 else 0.999
        revision.sentences = {"after": [{"start": 0, "end": 26, "entailed": entailed}]}
        revision.save()
    campaign = make_campaign(run=run, sampling="uncertain", sample_size=4, raters=(rater,))
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
    assignment = claim_next(rater, campaign=campaign)
    assert isinstance(assignment, Assignment)
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
