"""Making campaigns from runs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.campaigns.lifecycle import NothingToJudge, start_campaign
from annotation.campaigns.progress import rater_progress
from annotation.items.ordering import order_of
from annotation.items.selection import outlook
from annotation.models import Campaign, Item
from pipeline.rarr.types import Span
from rarrweb.accounts.models import User
from tests.support.campaigns import (
    EVIDENCE,
    REPORT,
    REVISED,
    TEXT,
    judge_everything,
    make_assignment,
    make_campaign,
    make_judgeable_run,
)
from tests.support.factories import make_passage, make_revision, make_run


class NoSplitter:
    """Finds a mistake in a test that should not need one."""

    def __call__(self, text: str) -> list[Span]:
        raise AssertionError("the run has scored the sentences: use those")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sides", "texts"),
    [("before", {TEXT}), ("after", {REVISED}), ("both", {TEXT, REVISED})],
)
def test_the_sides_asked_for_become_items(sides: str, texts: set[str]) -> None:
    campaign = make_campaign(sides=sides, passages=2)
    assert {item.text for item in campaign.items.all()} == texts
    assert campaign.item_count == campaign.items.count() == 2 * len(texts)


@pytest.mark.django_db
def test_an_item_freezes_what_the_rater_sees_and_nothing_else() -> None:
    item = make_campaign(passages=1).items.get()
    assert item.context == "Tell me about the bridge."
    assert [item.text[s["start"] : s["end"]] for s in item.sentences] == [
        "The bridge opened in 1932.",
        "It carries two railway lines.",
        "Nobody painted it.",
    ]
    assert item.evidence == [
        {key: snippet[key] for key in ("title", "url", "text")} for snippet in EVIDENCE
    ]


@pytest.mark.django_db
def test_a_later_change_of_the_revision_does_not_reach_the_item() -> None:
    item = make_campaign(passages=1).items.get()
    item.revision.text = "Something else."
    item.revision.save()
    item.refresh_from_db()
    assert item.text == REVISED


@pytest.mark.django_db
def test_the_sentences_that_the_run_scored_are_used(researcher: User) -> None:
    run = make_run()
    scored = {"after": [{"start": 0, "end": 3, "entailed": 0.9}, {"start": 4, "end": 7}]}
    make_revision(run, state="done", text="One two", sentences=scored, result=REPORT)
    campaign = start_campaign(
        name="x",
        runs=[run],
        sides="after",
        raters_per_item=1,
        created_by=researcher,
        splitter=NoSplitter(),
    )
    assert campaign.items.get().sentences == [{"start": 0, "end": 3}, {"start": 4, "end": 7}]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "scored",
    [
        [{"start": 0, "end": 99}],
        [{"start": 5, "end": 3}],
        [{"start": 0, "end": 8}, {"start": 4, "end": 12}],
        [{"start": None, "end": 3}],
        [{"text": "no offsets"}],
    ],
)
def test_offsets_that_do_not_fit_the_text_are_made_anew(
    researcher: User, scored: list[dict[str, object]]
) -> None:
    run = make_run()
    make_revision(
        run, state="done", text="One. Two two.", sentences={"after": scored}, result=REPORT
    )
    campaign = start_campaign(
        name="x", runs=[run], sides="after", raters_per_item=1, created_by=researcher
    )
    item = campaign.items.get()
    assert [item.text[s["start"] : s["end"]] for s in item.sentences] == ["One.", "Two two."]


@pytest.mark.django_db
def test_unfinished_revisions_and_empty_texts_are_left_out_and_counted() -> None:
    run = make_judgeable_run(passages=2)
    make_revision(run, state="failed")
    make_revision(run, state="queued")
    make_revision(run, state="done", text=" \n", passage=make_passage(run.dataset, text="One."))
    counted = outlook([run], "both")
    assert (counted.items, counted.revisions, counted.unfinished, counted.without_text) == (
        5,
        3,
        2,
        1,
    )
    campaign = make_campaign(run=run, sides="both")
    assert campaign.item_count == 5


@pytest.mark.django_db
def test_a_run_with_nothing_to_judge_makes_no_campaign(researcher: User) -> None:
    with pytest.raises(NothingToJudge, match="no finished revision"):
        make_campaign(run=make_run())
    assert not Campaign.objects.exists()


@pytest.mark.django_db
def test_a_revision_without_a_report_becomes_an_item_without_evidence() -> None:
    run = make_judgeable_run(passages=1)
    bare = make_revision(run, state="done", text="One.", result={})
    assert make_campaign(run=run).items.get(revision=bare).evidence == []


@pytest.mark.django_db
def test_names_may_be_the_same_and_slugs_are_not_and_no_address_is_taken() -> None:
    run = make_judgeable_run(passages=1)
    slugs = [
        make_campaign(run=run, name=name).slug for name in ("New", "Join", "Bees", "Bees", "¿?")
    ]
    assert slugs == ["new-2", "join-2", "bees", "bees-2", "campaign"]


def both_sides(passages: list[int]) -> dict[int, list[tuple[int, str]]]:
    """Of each passage the revision of the same number, before and after."""
    return {key: [(key, "before"), (key, "after")] for key in passages}


@settings(max_examples=60)
@given(
    revisions=st.lists(st.integers(1, 10**6), unique=True, min_size=1, max_size=80),
    seed=st.text(max_size=10),
)
def test_every_side_has_its_place_and_a_passages_sides_are_apart(
    revisions: list[int], seed: str
) -> None:
    order = order_of(both_sides(revisions), seed=seed)
    assert sorted(order) == sorted((pk, side) for pk in revisions for side in ("before", "after"))
    place = {key: index for index, key in enumerate(order)}
    n = len(revisions)
    nearest = min(abs(place[pk, "before"] - place[pk, "after"]) for pk in revisions)
    assert nearest > n - max(1, n // 4)
    assert order == order_of(both_sides(revisions[::-1]), seed=seed)


def test_the_order_depends_on_the_seed_and_mixes_the_sides() -> None:
    revisions = list(range(40))
    one = order_of(both_sides(revisions), seed="one")
    assert one != order_of(both_sides(revisions), seed="two")
    assert sum(side == "before" for _, side in one[:40]) == 20
    assert [pk for pk, _ in one[:40]] != revisions


@pytest.mark.django_db
def test_progress_counts_each_rater_once(annotator: User, stranger: User) -> None:
    assignment = make_assignment(annotator, passages=2)
    judge_everything(assignment)
    [row] = rater_progress(assignment.item.campaign)
    assert (row.user.username, row.submitted, row.started, row.late) == ("anna", 1, 0, 0)
    assert row.last_submitted == assignment.submitted_at


@pytest.mark.django_db
def test_a_removed_rater_still_shows_with_their_work(annotator: User) -> None:
    assignment = make_assignment(annotator)
    judge_everything(assignment)
    assignment.item.campaign.memberships.all().delete()
    [row] = rater_progress(assignment.item.campaign)
    assert (row.user, row.membership, row.submitted) == (annotator, None, 1)


@pytest.mark.django_db
def test_sides_are_kept_on_the_item_for_the_researcher() -> None:
    campaign = make_campaign(passages=1, sides="both")
    assert set(campaign.items.values_list("side", flat=True)) == {Item.Side.BEFORE, Item.Side.AFTER}
