"""Campaigns over several runs: items, assignment, pages and files."""

import re
from collections import Counter

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.campaigns.lifecycle import begin, copy_campaign, make_draft
from annotation.items.selection import preview_selection
from annotation.judging.claims import Reason, claim_next
from annotation.models import Assignment, Campaign
from annotation.results.attribution import campaign_result
from annotation.results.reliability import campaign_reliability
from pipeline.models import Run
from rarrweb.accounts.models import User
from tests.support.campaigns import (
    EVIDENCE,
    REVISED,
    judge_everything,
    make_campaign,
    make_judgeable_run,
)
from tests.support.exports import lines_of, manifest_of, rows_of
from tests.support.factories import make_revision, make_run, make_user
from tests.support.pages import page_of

pytestmark = pytest.mark.django_db


def over_the_same(run: Run, system: str) -> Run:
    """Another system's run over the same passages, with evidence of its own."""
    report = {"evidence": [{**each, "title": system} for each in EVIDENCE]}
    other = make_run(dataset=run.dataset, system=system, state=Run.State.FINISHED)
    for revision in run.revisions.order_by("pk"):
        result = {"report": report}
        make_revision(other, passage=revision.passage, state="done", text=REVISED, result=result)
    return other


def three_runs(passages: int = 4, more: int = 2) -> list[Run]:
    """Two systems over one dataset, and one of them over another."""
    first = make_judgeable_run(passages=passages)
    return [first, over_the_same(first, "efec"), make_judgeable_run(passages=more)]


def judge_all(rater: User, campaign: Campaign, *, good: str) -> list[Assignment]:
    """All that the rater gets; what the system `good` made is attributable, the rest is not."""
    done = []
    while isinstance(claimed := claim_next(rater, campaign=campaign), Assignment):
        judge_everything(claimed, value=claimed.item.revision.run.system == good)
        done.append(claimed)
    return done


# ---- What they take ---------------------------------------------------------------------------
def test_items_come_from_every_run_and_passages_are_whole_in_a_phase() -> None:
    runs = three_runs()
    campaign = make_campaign(runs=runs, pilot_size=2, sides="both")
    of_runs = Counter(campaign.items.values_list("revision__run", flat=True))
    assert [of_runs[run.pk] for run in runs] == [8, 8, 4]
    assert (campaign.item_count, campaign.passage_count, campaign.items_per_passage) == (20, 6, 4)
    links = campaign.run_links.order_by("run_id").values_list(
        "item_count", "passage_count", "judgeable_count"
    )
    assert list(links) == [(8, 4, 4), (8, 4, 4), (4, 2, 2)]
    pilot, production = (
        set(campaign.items.filter(phase=phase).values_list("passage", flat=True))
        for phase in ("pilot", "production")
    )
    assert (len(pilot), pilot & production) == (2, set())


@pytest.mark.parametrize(("size", "parts"), [(2, [2, 2, 2]), (9, [9, 9, 3])])
def test_a_sample_takes_of_each_run_what_the_preview_shows(size: int, parts: list[int]) -> None:
    runs = three_runs(passages=12, more=3)
    reported = preview_selection(runs, "after", sample_size=size)
    assert [each.drawn for each in reported.strata] == parts
    campaign = make_campaign(runs=runs, sample_size=size, seed="s")
    passages = []
    for run, drawn in zip(runs, parts, strict=True):
        items = campaign.items.filter(revision__run=run)
        assert items.count() == drawn
        assert set(items.values_list("inclusion", flat=True)) == {drawn / run.revisions.count()}
        passages.append(set(items.values_list("passage")))
    assert passages[0] == passages[1]


def test_a_copy_keeps_the_runs_and_leaves_out_passages_whichever_system_had_them() -> None:
    runs = three_runs()
    first = make_campaign(runs=runs, sample_size=1, seed="s")
    copy = copy_campaign(first, created_by=make_user(role=User.Role.RESEARCHER))
    assert set(copy.runs.all()) == set(runs)
    begin(copy)
    had = set(first.items.values_list("passage", flat=True))
    assert not had & set(copy.items.values_list("passage", flat=True))


# ---- Who judges what --------------------------------------------------------------------------
@pytest.mark.parametrize("sides", ["after", "both"])
def test_a_rater_gets_a_passage_once_whatever_system_or_side(sides: str) -> None:
    rater = make_user()
    campaign = make_campaign(
        runs=three_runs(), sides=sides, may_repeat_passages=False, raters=(rater,)
    )
    done = judge_all(rater, campaign, good="rarr")
    passages = [each.item.passage_id for each in done]
    assert len(passages) == len(set(passages)) == campaign.max_items_per_rater == 6
    assert claim_next(rater, campaign=campaign).reason is Reason.YOURS_DONE


def test_so_many_raters_as_the_page_shows_judge_all_of_it() -> None:
    campaign = make_campaign(runs=three_runs(), may_repeat_passages=False)
    assert campaign.raters_needed == 2
    raters = [make_user() for _ in range(campaign.raters_needed)]
    for rater in raters:
        campaign.memberships.create(user=rater)
        judge_all(rater, campaign, good="rarr")
    assert claim_next(raters[0], campaign=campaign).reason is Reason.ALL_DONE


# ---- Pages and files --------------------------------------------------------------------------
def judged(raters_per_item: int = 1, **chosen: object) -> Campaign:
    raters = tuple(make_user() for _ in range(raters_per_item))
    campaign = make_campaign(
        runs=three_runs(), raters=raters, raters_per_item=raters_per_item, **chosen
    )
    for rater in raters:
        judge_all(rater, campaign, good="efec")
    return campaign


def test_results_are_next_to_each_other_by_system_dataset_and_run() -> None:
    campaign = judged()
    figures = campaign_result(campaign)
    shares = {}
    for each in figures.groups:
        [side] = each.sides
        shares[each.group.kind, each.group.label] = (side.attribution.value, side.attribution.n)
    first, second = (link.run.dataset.name for link in campaign.run_links.order_by("run_id")[1:])
    assert shares["system", "efec"] == (1.0, 4)
    assert shares["system", "rarr"] == (0.0, 6)
    assert shares["dataset", first] == (0.5, 4)  # four passages, each by two systems
    assert shares["dataset", second] == (0.0, 2)
    assert len([kind for kind, _ in shares if kind == "run"]) == 3
    [over] = figures.whole.sides
    assert (over.attribution.value, over.attribution.n) == (pytest.approx(0.4), 6)
    assert figures.is_clustered
    rater = make_user()
    of_one_run = make_campaign(raters=(rater,))
    judge_all(rater, of_one_run, good="rarr")
    assert campaign_result(of_one_run).groups == ()


def test_equal_parts_of_unequal_runs_are_weighted_and_named_in_files() -> None:
    campaign = judged(sample_size=2, seed="s")
    figures = campaign_result(campaign)
    assert figures.is_weighted
    [over] = figures.whole.sides
    # Two of 4, of 4 and of 2 passages: 4 of the 10 revisions are efec's.
    assert over.attribution.value == pytest.approx(4 / 10)
    systems = Counter(campaign.items.values_list("revision__run__system", flat=True))
    rows = rows_of(campaign)
    sentences = Counter(row["system"] for row in rows if row["criterion"] == "attributable")
    assert sentences == {system: 3 * n for system, n in systems.items()}
    for row in rows:
        item = campaign.items.get(position=row["item"])
        assert row["run"] == str(item.revision.run_id)
        assert float(row["weight"]) == pytest.approx(1 / item.inclusion)
    lines = lines_of(campaign)
    assert len({(line["dataset"], line["query_id"]) for line in lines}) == len(lines)
    answers = [(line["query_id"], run) for line in lines for run in line["runs"]]
    assert len({*answers}) == len(answers) == 6
    assert [each["drawn"] for each in manifest_of(campaign)["runs"]] == [
        {"from": judgeable, "passages": 2, "items": 2} for judgeable in (4, 4, 2)
    ]


def test_reliability_is_reported_by_system_too() -> None:
    [attributable, *_] = campaign_reliability(judged(raters_per_item=2)).criteria
    whole, *groups = attributable.groups
    assert (whole.runs, whole.report.raw.targets) == (None, 30)
    targets = {group.runs.label: group.report.raw.targets for group in groups if group.runs}
    assert (targets["efec"], targets["rarr"]) == (12, 18)  # three sentences a passage


def test_pages_name_runs_and_options(as_researcher: Client) -> None:
    campaign = judged(raters_per_item=2, max_raters=3, options=["partly"], sample_size=8)
    settings, results = (page_of(as_researcher, campaign, tab) for tab in ("settings/", "results/"))
    for link in campaign.run_links.all():
        assert f'href="/runs/{link.run_id}/"' in settings
        assert link.run.dataset.name in settings
    for message in ("partly", "2 to 3 raters each", "drawn at random"):
        assert message in settings.lower(), message
    for message in ("By system", "By dataset"):
        assert message in results


def test_items_name_what_made_them_where_there_are_several(as_researcher: Client) -> None:
    def cells(campaign: Campaign) -> list[str]:
        page = page_of(as_researcher, campaign, "items/")
        return re.findall(r'data-label="System">(\w+) <span[^>]*>run (\d+)', page)

    of_two = make_campaign(runs=three_runs(), sides="after")
    runs = of_two.items.order_by("position").values_list("revision__run__system", "revision__run")
    assert cells(of_two) == [(system, str(run)) for system, run in runs]
    assert cells(make_campaign()) == []


@pytest.mark.parametrize("runs", [2, 6])
@pytest.mark.parametrize("address", ["", "results/", "reliability/"])
def test_pages_ask_as_often_for_six_runs_as_for_two(
    as_researcher: Client, runs: int, address: str
) -> None:
    rater = make_user()
    first = make_judgeable_run(passages=3)
    others = [over_the_same(first, f"system-{number}") for number in range(runs - 1)]
    chosen = {"options": ["partly"], "sample_size": 2}
    campaign = make_campaign(
        runs=[first, *others], raters=(rater,), raters_per_item=2, sides="both", **chosen
    )
    judge_all(rater, campaign, good="rarr")
    with CaptureQueriesContext(connection) as requests:
        assert as_researcher.get(f"/campaigns/{campaign.slug}/{address}").status_code == 200
    assert len(requests) <= 12, [row["sql"][:120] for row in requests]


# ---- The form ---------------------------------------------------------------------------------
def test_the_form_shows_runs_and_what_they_take(as_researcher: Client) -> None:
    runs = three_runs(passages=12, more=3)
    page = as_researcher.get(f"/campaigns/new/?run={runs[0].pk}&run={runs[1].pk}").content.decode()
    assert page.count('type="checkbox" name="run"') == 3
    assert len(re.findall(r'id="id_run_\d"\s+data-revises\s+checked', page)) == 2
    query = "&".join(f"run={run.pk}" for run in runs)
    address = f"/campaigns/new/preview/?{query}&sides=after"
    reported = as_researcher.get(f"{address}&sample_size=10").content.decode()
    assert "23 items" in reported  # 10, 10 and 3
    assert (
        "at most ± 38 points"
        in as_researcher.get(
            f"/campaigns/new/preview/?run={runs[0].pk}&sample_size=10"
        ).content.decode()
    )
    alone = f"{address}&person={make_user('alone').pk}"
    lacks = " ".join(as_researcher.get(alone).content.decode().split())
    assert "One rater is chosen, but two are needed: choose more, or let one rater" in lacks
    assert "are needed" not in as_researcher.get(f"{alone}&may_repeat_passages=on").content.decode()


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (slice(0), "Choose at least one run."),
        ("999", "Run 999 is gone"),
        ("x", "Choose at least one run."),
        ("9" * 50, "Choose at least one run."),
        (slice(3), "greater than or equal to 1"),
    ],
)
def test_a_wrong_choice_of_runs_is_refused_with_the_reason(
    as_researcher: Client, chosen: str | slice, expected: str
) -> None:
    runs = [run.pk for run in three_runs()]
    given = runs[chosen] if isinstance(chosen, slice) else chosen
    data = {"name": "x", "run": given, "sides": "after", "raters_per_item": 1}
    data |= {"sample_size": 0}
    assert expected in as_researcher.post("/campaigns/new/", data).content.decode()
    assert not Campaign.objects.exists()


def test_a_draft_is_changed_to_other_runs(as_researcher: Client) -> None:
    runs = three_runs()
    draft = make_draft(
        name="x", runs=runs[:1], sides="after", created_by=make_user(role=User.Role.RESEARCHER)
    )
    data = {"name": "x", "run": [run.pk for run in runs[1:]], "questionnaire": "attribution"}
    data |= {"sides": "both", "raters_per_item": 1}
    assert as_researcher.post(f"/campaigns/{draft.slug}/edit/", data).status_code == 302
    draft.refresh_from_db()
    assert set(draft.runs.all()) == set(runs[1:])
    assert draft.raters_needed == 2
