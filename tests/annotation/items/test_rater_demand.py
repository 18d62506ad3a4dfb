"""How many raters an item gets: a fixed number, or one more while raters differ."""

import threading
import time
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.items.rater_demand import agree
from annotation.items.slots import LockedItem, lock_if_free
from annotation.judging import claims
from annotation.judging.answers import AnswerUpdate, save_judgments, submit
from annotation.judging.claims import NoTask, Reason, claim_next
from annotation.judging.releases import send_back, undo_send_back
from annotation.models import Assignment, Campaign, Item
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign, save_judgment
from tests.support.factories import make_user
from tests.support.races import all_at_once, slots_of
from tests.support.reference_answers import claim, judge_next

pytestmark = pytest.mark.django_db

SAME, OTHER = (1, 1, 0), (1, 0, 0)


def adaptive(raters: int = 5, **values: int) -> tuple[Campaign, list[User]]:
    people = [make_user() for _ in range(raters)]
    chosen = {"passages": 1, "raters_per_item": 2, "max_raters": 4, **values}
    return make_campaign(raters=tuple(people), **chosen), people


def counters(campaign: Campaign) -> tuple[int, int]:
    item = campaign.items.get()
    return item.done, item.wanted


# ---- Adaptive -------------------------------------------------------------------------------
TWO_PAIRS = {"max_raters": 5, "raters_per_item": 4}


@pytest.mark.parametrize(
    ("chosen", "answers", "counts"),
    [
        ({}, (SAME, SAME), [(1, 2), (2, 2)]),
        ({}, (SAME, OTHER, OTHER), [(1, 2), (2, 3), (3, 3)]),
        (TWO_PAIRS, (SAME, SAME, OTHER, OTHER), [(1, 4), (2, 4), (3, 4), (4, 5)]),
    ],
    ids=["agree", "one more", "two pairs"],
)
def test_one_more_rater_judges_while_no_two_agree_or_two_pairs_differ(
    chosen: dict[str, int], answers: tuple[Any, ...], counts: list[tuple[int, int]]
) -> None:
    campaign, people = adaptive(**chosen)
    for rater, values, expected in zip(people, answers, counts, strict=False):
        judge_next(rater, campaign, values)
        assert counters(campaign) == expected
    done, wanted = counts[-1]
    following = claim_next(people[-1], campaign=campaign)
    if done < wanted:
        assert isinstance(following, Assignment)
    else:
        assert isinstance(following, NoTask)
        assert following.reason is Reason.ALL_DONE


def test_it_ends_at_the_most_also_where_nobody_agrees() -> None:
    people = [make_user() for _ in range(5)]
    campaign = make_campaign(
        questionnaire="intent", passages=1, raters=tuple(people), raters_per_item=2, max_raters=3
    )
    for rater, level in zip(people, (0, 1, 2), strict=False):
        assignment = claim(rater, campaign=campaign)
        save_judgment(assignment, criterion="intent", target=0, value=level, sequence=1)
        assert submit(assignment) == []
    assert counters(campaign) == (3, 3)
    assert not agree(campaign.items.get())
    assert isinstance(claim_next(people[3], campaign=campaign), NoTask)


def test_usefulness_is_not_asked_for_and_so_makes_nobody_differ() -> None:
    campaign, (one, two, *_) = adaptive()
    for rater, useful in ((one, 1), (two, 0)):
        assignment = claim(rater, campaign=campaign)
        save_judgment(assignment, criterion="useful", target=0, value=useful, sequence=1)
        judge_everything(assignment)
    assert counters(campaign) == (2, 2)


def test_an_answer_that_changes_afterwards_opens_the_item_and_closes_it_again() -> None:
    campaign, (one, two, three, *_) = adaptive()
    judge_next(one, campaign, SAME)
    changed = judge_next(two, campaign, SAME)
    for sequence, (value, wanted) in enumerate([(0, 3), (1, 2)], start=3):
        answer = AnswerUpdate(criterion="attributable", target=0, value=value, sequence=sequence)
        save_judgments(changed, [answer])
        assert counters(campaign) == (2, wanted)
    assert isinstance(claim_next(three, campaign=campaign), NoTask)


def test_what_is_sent_back_is_counted_when_it_comes_in_again(researcher: User) -> None:
    campaign, (one, *_) = adaptive()
    assignment = judge_next(one, campaign, SAME)
    send_back(assignment, by=researcher)
    assert counters(campaign) == (0, 2)
    undo_send_back(assignment)
    assert counters(campaign) == (1, 2)


def test_late_work_is_not_counted() -> None:
    campaign, (slow, two, three, *_) = adaptive(max_raters=2)
    late = claim(slow, campaign=campaign)
    Assignment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    judge_next(two, campaign, SAME)
    judge_next(three, campaign, SAME)
    judge_everything(late)
    assert late.is_late
    assert counters(campaign) == (2, 2)


# ---- Own order, one side ---------------------------------------------------------------------
def walk(rater: User, campaign: Campaign) -> list[Item]:
    seen = []
    while isinstance(result := claim_next(rater, campaign=campaign), Assignment):
        seen.append(result.item)
        judge_everything(result)
    return seen


def test_each_rater_has_an_own_order_and_a_seed_gives_it_again() -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(passages=30, raters=raters, raters_per_item=2, seed="x")
    orders = [[item.position for item in walk(rater, campaign)] for rater in raters]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(1, 31))
    Assignment.objects.all().delete()
    campaign.items.update(done=0)
    assert [item.position for item in walk(raters[0], campaign)] == orders[0]


def test_raters_go_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.items.ordering.BLOCK", 5)
    rater = make_user()
    campaign = make_campaign(passages=20, raters=(rater,))
    positions = [item.position for item in walk(rater, campaign)]
    for start in range(0, 20, 5):
        assert sorted(positions[start : start + 5]) == list(range(start + 1, start + 6))
    assert positions != sorted(positions)


def test_a_rater_gets_one_side_of_each_passage() -> None:
    one, two = make_user(), make_user()
    # So many that chance does not have one rater see a single side: once in half a million times.
    count = 20
    campaign = make_campaign(
        passages=count, sides="both", raters=(one, two), may_repeat_passages=False
    )
    first, second = walk(one, campaign), walk(two, campaign)
    for seen in (first, second):
        assert len(seen) == len({item.revision_id for item in seen}) == count
    assert {item.pk for item in first}.isdisjoint(item.pk for item in second)
    assert {item.side for item in first} == {"before", "after"}


def test_a_rater_gets_both_sides_where_that_is_ticked_and_they_are_far_apart() -> None:
    rater = make_user()
    campaign = make_campaign(passages=32, sides="both", raters=(rater,), may_repeat_passages=True)
    seen = walk(rater, campaign)
    assert len(seen) == 64
    position = {(item.revision_id, item.side): index for index, item in enumerate(seen)}
    apart = [
        abs(position[revision, "before"] - position[revision, "after"])
        for revision in {item.revision_id for item in seen}
    ]
    assert min(apart) >= 16


def test_an_item_that_waits_for_its_last_rater_does_not_wait_for_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("annotation.items.ordering.BLOCK", 2)
    quick, away = make_user(), make_user()
    campaign = make_campaign(passages=60, raters=(quick, away))
    left = claim(away, campaign=campaign)
    position = next(
        index
        for index in range(60)
        if _next(quick, campaign, release=left if index == 3 else None) == left.item
    )
    assert 3 < position < 45


def _next(rater: User, campaign: Campaign, *, release: Assignment | None) -> Item:
    if release is not None:
        past = timezone.now() - timedelta(seconds=1)
        Assignment.objects.filter(pk=release.pk).update(lease_until=past)
    result = claim(rater, campaign=campaign)
    judge_everything(result)
    return result.item


# ---- Races ------------------------------------------------------------------------------------
def test_what_comes_free_after_the_search_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign, (one, two, three, *_) = adaptive()
    judge_next(one, campaign, SAME)
    assert isinstance(claim_next(two, campaign=campaign), Assignment)
    search = claims._lock_next

    def search_too_early(searched: Campaign, user: User) -> LockedItem | None:
        result = search(searched, user)
        monkeypatch.undo()
        judge_next(two, campaign, OTHER)
        return result

    monkeypatch.setattr("annotation.judging.claims._lock_next", search_too_early)
    claim(three, campaign=campaign)
    assert counters(campaign) == (2, 3)


@pytest.mark.django_db(transaction=True)
def test_counters_and_slots_hold_when_all_judge_at_once() -> None:
    raters = [make_user() for _ in range(12)]
    campaign = make_campaign(
        passages=6, raters_per_item=2, max_raters=4, raters=tuple(raters), sides="after"
    )

    def judge(rater: User, number: int) -> None:
        while True:
            result = claim_next(rater, campaign=campaign)
            if isinstance(result, Assignment):
                judge_everything(result, value=number % 2 == 0)
            elif result.reason is Reason.BEING_JUDGED:  # and may then want one rater more
                time.sleep(0.01)
            else:
                return

    all_at_once(*(partial(judge, rater, number) for number, rater in enumerate(raters)))
    for item in campaign.items.all():
        held = Assignment.objects.filter(item=item, slot__isnull=False)
        submitted = held.submitted().count()
        assert item.done == submitted == item.wanted
        assert 2 <= submitted <= 4
        assert agree(item) or submitted == 4
    assert all(
        sorted(slots) == list(range(1, len(slots) + 1)) for slots in slots_of(campaign).values()
    )


@pytest.mark.django_db(transaction=True)
def test_two_sides_never_reach_one_rater_in_many_tabs() -> None:
    rater = make_user()
    campaign = make_campaign(passages=1, sides="both", may_repeat_passages=False)
    add_member(campaign, user=rater)
    lock = threading.Lock()

    def judge() -> None:
        result = claim_next(rater, campaign=campaign)
        if isinstance(result, Assignment):
            with lock:
                judge_everything(result)

    all_at_once(*[judge] * 6)
    assert Assignment.objects.filter(rater=rater).count() == 1


def test_a_claim_reads_open_items_by_their_index() -> None:
    """Asked of the planner, as a timing would tell of this machine only."""
    if connection.vendor == "postgresql":  # it would rather read a test's few rows one by one
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
    campaign, (rater, *_) = adaptive()
    with CaptureQueriesContext(connection) as captured:
        list(claims._free_items(campaign, rater)[:100])
    explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
    with connection.cursor() as cursor:
        cursor.execute(f"{explain} {captured[-1]['sql']}")
        plan = "\n".join(str(row[-1]) for row in cursor.fetchall())
    assert "annotation_item_open" in plan
    assert "SCAN annotation_item" not in plan
    assert "TEMP B-TREE FOR ORDER BY" not in plan


def test_a_claim_locks_the_item_alone() -> None:
    """Not its campaign, for which all other claims would wait."""
    campaign, _ = adaptive()
    with transaction.atomic(), CaptureQueriesContext(connection) as captured:
        assert lock_if_free(campaign.items.get().pk) == (campaign.items.get().pk, 2)
    assert "JOIN" not in captured[0]["sql"]
