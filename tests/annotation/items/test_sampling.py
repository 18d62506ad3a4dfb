"""Samples of runs: exact parts, weights, order of items."""

import random
from collections import Counter
from itertools import pairwise
from statistics import fmean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.exporting.export import Export
from annotation.exporting.judgments_csv import CSV
from annotation.items.ordering import chance, order_of
from annotation.items.sampling import EligiblePassage, draw_evenly
from annotation.items.selection import preview_selection
from annotation.models import Campaign
from annotation.results.attribution import campaign_result
from annotation.results.samples import SampledRevision, design_of
from pipeline.metrics.inference import ratio_estimate
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign, make_judgeable_run
from tests.support.factories import make_user
from tests.support.reference_answers import claim, judge_next

DRAWS = 600
SIZE = 12
"""Of each run; all of the smallest."""


def population() -> tuple[list[EligiblePassage], dict[int, float], dict[int, SampledRevision]]:
    """Three systems over the same 80 passages, and one over 12 of another dataset."""
    made = random.Random(11)
    passages, truth, sampled = [], {}, {}
    key = 0
    for run, (first, n, level) in enumerate(
        [(0, 80, 0.9), (0, 80, 0.6), (0, 80, 0.4), (500, 12, 0.1)]
    ):
        for unit in range(first, first + n):
            key += 1
            truth[key] = min(1.0, max(0.0, level + made.uniform(-0.3, 0.3)))
            passages.append(EligiblePassage(key=key, stratum=str(run), unit=unit))
            sampled[key] = SampledRevision(run=run, passage=unit, weight=1.0, cluster=unit)
    return passages, truth, sampled


# ---- Unbiased ---------------------------------------------------------------------------------
def test_over_many_seeds_the_weighted_estimates_are_right() -> None:
    passages, truth, sampled = population()
    counts = Counter(each.stratum for each in passages)
    stratum = {each.key: each.stratum for each in passages}
    expected = fmean(truth.values())
    of_run = {name: fmean(truth[key] for key in truth if stratum[key] == name) for name in counts}
    thompson, hajek, plain, covered = [], [], [], 0
    by_run: dict[str, list[float]] = {name: [] for name in counts}
    times: Counter[int] = Counter()
    chances: dict[int, float] = {}
    for number in range(DRAWS):
        drawn = draw_evenly(passages, SIZE, seed=f"s{number}", chance=chance)
        assert Counter(stratum[key] for key in drawn) == dict.fromkeys(counts, SIZE)
        assert all(chances.setdefault(key, share) == share for key, share in drawn.items())
        times.update(drawn.keys())
        taken = [sampled[key]._replace(weight=1 / share) for key, share in drawn.items()]
        values = [truth[key] for key in drawn]
        thompson.append(
            sum(each.weight * value for each, value in zip(taken, values, strict=True)) / len(truth)
        )
        result = ratio_estimate(values, **design_of(taken), lowest=0, highest=1)
        assert result is not None
        assert result.low is not None
        assert result.high is not None
        assert result.n == len({each.passage for each in taken})
        hajek.append(result.value)
        covered += result.low <= expected <= result.high
        plain.append(fmean(values))
        for name, estimates in by_run.items():
            mine = [position for position, key in enumerate(drawn) if stratum[key] == name]
            design = design_of(taken[position] for position in mine)
            one = ratio_estimate([values[position] for position in mine], **design)
            assert one is not None
            estimates.append(one.value)
    noise = stdev(thompson) / DRAWS**0.5
    assert abs(fmean(thompson) - expected) < 4 * noise
    # Hájek's ratio: a bias of the order of one over the sample's size.
    assert abs(fmean(hajek) - expected) < max(4 * stdev(hajek) / DRAWS**0.5, 0.01)
    for name, estimates in by_run.items():
        allowed = 4 * stdev(estimates) / DRAWS**0.5 + 0.25 / SIZE
        assert abs(fmean(estimates) - of_run[name]) < allowed
    assert abs(fmean(plain) - expected) > 0.02  # what leaving the weights out would do
    assert covered / DRAWS > 0.9
    for key, share in chances.items():
        spread = (share * (1 - share) / DRAWS) ** 0.5
        assert abs(times[key] / DRAWS - share) <= 4.5 * spread + 1e-12


def test_runs_over_one_dataset_draw_the_same_passages() -> None:
    passages, _, sampled = population()
    drawn = draw_evenly(passages, 10, seed="x", chance=chance)
    taken = [{sampled[key].passage for key in drawn if sampled[key].run == run} for run in range(3)]
    assert taken[0] == taken[1] == taken[2]


def test_a_passage_that_several_systems_revised_is_one_draw() -> None:
    alike = [
        SampledRevision(run=run, passage=unit, weight=1.0, cluster=unit)
        for unit in range(10)
        for run in range(4)
    ]
    values = [float(each.passage % 2) for each in alike]  # systems say the same of a passage
    alone = [each for each in alike if each.run == 0]
    many = ratio_estimate(values, **design_of(alike), lowest=0, highest=1)
    few = ratio_estimate(
        [float(each.passage % 2) for each in alone], **design_of(alone), lowest=0, highest=1
    )
    assert many is not None
    assert few is not None
    for end in ("value", "n", "low", "high"):  # four copies tell no more than one
        assert getattr(many, end) == pytest.approx(getattr(few, end))
    assert (many.value, many.n) == (0.5, 10)


# ---- In which order ---------------------------------------------------------------------------
def both_sides(passages: list[int]) -> dict[int, list[tuple[int, str]]]:
    """Of each passage the revision of the same number, before and after."""
    return {key: [(key, "before"), (key, "after")] for key in passages}


@given(
    revisions=st.lists(st.integers(1, 10**6), unique=True, min_size=1, max_size=80),
    seed=st.text(max_size=10),
)
def test_every_side_has_its_place_and_a_passages_sides_are_apart(
    revisions: list[int], seed: str
) -> None:
    order = order_of(both_sides(revisions), seed=seed)
    assert sorted(order) == sorted((pk, side) for pk in revisions for side in ("before", "after"))
    position = {key: index for index, key in enumerate(order)}
    n = len(revisions)
    nearest = min(abs(position[pk, "before"] - position[pk, "after"]) for pk in revisions)
    assert nearest > n - max(1, n // 4)
    assert order == order_of(both_sides(revisions[::-1]), seed=seed)


def test_the_order_depends_on_the_seed_and_mixes_the_sides() -> None:
    revisions = list(range(40))
    one = order_of(both_sides(revisions), seed="one")
    assert one != order_of(both_sides(revisions), seed="two")
    assert sum(side == "before" for _, side in one[:40]) == 20
    assert [pk for pk, _ in one[:40]] != revisions


def test_systems_are_mixed_and_a_passages_items_lie_far_apart() -> None:
    n, runs = 60, 3
    passages = {key: [(key + 1000 * run, "after") for run in range(runs)] for key in range(n)}
    # And passages of another dataset, which one system alone revised.
    passages |= {key: [(key, "after")] for key in range(5000, 5030)}
    order = order_of(passages, seed="mixed")
    position = {revision: number for number, (revision, _) in enumerate(order)}
    for key in range(n):
        mine = sorted(position[key + 1000 * run] for run in range(runs))
        assert min(b - a for a, b in pairwise(mine)) > n // 2
    for start in range(0, len(order), 35):
        part = Counter(min(revision // 1000, 5) for revision, _ in order[start : start + 35])
        if sum(part.values()) == 35:
            assert all(part[run] >= 2 for run in (0, 1, 2, 5)), part


# ---- Of one campaign --------------------------------------------------------------------------
@settings(max_examples=200)
@given(
    count=st.integers(1, 60),
    size=st.integers(1, 70),
    seed=st.text(max_size=5),
)
def test_as_many_are_drawn_as_asked_for_and_none_twice(count: int, size: int, seed: str) -> None:
    passages = [EligiblePassage(key=key) for key in range(count)]
    drawn = draw_evenly(passages, size, seed=seed, chance=chance)
    assert len(drawn) == min(size, count)
    assert all(0 < share <= 1 for share in drawn.values())
    assert drawn == draw_evenly(passages[::-1], size, seed=seed, chance=chance)


# ---- In a campaign ----------------------------------------------------------------------------
@pytest.mark.django_db
def test_a_campaign_keeps_each_chance_and_figures_and_exports_use_it() -> None:
    rater = make_user()
    runs = [make_judgeable_run(passages=6), make_judgeable_run(passages=2)]
    campaign = make_campaign(runs=runs, sample_size=2, raters=(rater,))
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
    assert side.attributable_share is not None
    assert side.attributable_share.value == pytest.approx(expected)
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
            make_campaign(run=run, sample_size=4, seed=seed).items.values_list(
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
    campaign = make_campaign(run=run, sides="both", sample_size=2, raters=(rater,))
    assert campaign.item_count == preview_selection([run], "both", sample_size=2).items == 4
    assert campaign.items.values("revision_id").distinct().count() == 2
    judge_next(rater, campaign, (1, 1, 0))
    assert not campaign_result(campaign).is_weighted
