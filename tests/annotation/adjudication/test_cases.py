"""Adjudicating what raters differ about: what waits, and what is stored."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.adjudication.cases import (
    AdjudicatedAnswer,
    ConcurrentAdjudication,
    adjudicated_items,
    next_waiting,
    open_case,
    save_adjudication,
    waiting,
)
from annotation.judging.answers import submit
from annotation.models import Adjudication, Assignment, Item, Judgment
from annotation.questionnaires.types import InvalidAnswer
from annotation.results.by_questionnaire import campaign_figures
from rarrweb.accounts.models import User
from tests.support.adjudication import FIRST, make_differing, settle_first
from tests.support.campaigns import make_campaign, save_judgment
from tests.support.factories import make_user
from tests.support.reference_answers import claim, judge_next

pytestmark = pytest.mark.django_db


# ---- What waits -----------------------------------------------------------------------------
def test_an_item_waits_as_long_as_a_difference_is_not_adjudicated(researcher: User) -> None:
    campaign = make_differing(passages=2)
    first, second = campaign.items.order_by("position")
    assert list(waiting(campaign)) == [first, second]
    assert next_waiting(second) == first  # from the start again
    settle_first(first, researcher)
    assert list(waiting(campaign)) == [second]
    assert list(adjudicated_items(campaign)) == [first]
    assert next_waiting(second) is None


def test_drafts_late_work_and_questions_that_need_no_answer_make_nothing_wait() -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(passages=1, raters=raters, raters_per_item=2)
    for rater, useful in zip(raters, (0, 1), strict=True):
        done = judge_next(rater, campaign, (1, 1, 0))
        save_judgment(done, criterion="useful", target=0, value=useful, sequence=2)
    assert not waiting(campaign).exists()
    save_judgment(done, criterion="attributable", target=0, value=0, sequence=3)
    assert waiting(campaign).exists()
    Assignment.objects.filter(pk=done.pk).update(submitted_at=None)
    assert not waiting(campaign).exists()


# ---- Adjudicating ---------------------------------------------------------------------------
def test_an_adjudicated_answer_is_saved_once_not_overwritten_unseen_and_withdrawn(
    researcher: User,
) -> None:
    campaign = make_differing()
    item = campaign.items.get()
    seen = open_case(item).seen
    settle_first(item, researcher)
    row = Adjudication.objects.get()
    assert (row.criterion, row.target, row.value) == ("attributable", 1, 1)
    assert (row.reason, row.adjudicator) == ("See evidence 1.", researcher)
    before = Adjudication.objects.values().get()
    same = {FIRST: AdjudicatedAnswer(value=1, reason="See evidence 1.")}
    save_adjudication(item, by=make_user(), answers=same, seen=seen)  # a repeated request
    other = {FIRST: AdjudicatedAnswer(value=0, reason="No.")}
    with pytest.raises(ConcurrentAdjudication):
        save_adjudication(item, by=make_user(), answers=other, seen=seen)
    assert Adjudication.objects.values().get() == before  # not even the time
    save_adjudication(item, by=researcher, answers={FIRST: None}, seen=open_case(item).seen)
    assert list(waiting(campaign)) == [item]


@pytest.mark.parametrize(
    ("target", "value", "error"),
    [
        (("attributable", 3), 1, "There is no sentence 3"),
        (("beautiful", 0), 1, "'beautiful' is none of"),
        (("attributable", 1), 7, "7 is no level"),
    ],
)
def test_what_the_item_cannot_be_asked_is_refused(
    researcher: User, target: tuple[str, int], value: int, error: str
) -> None:
    item = make_differing().items.get()
    given = {FIRST: 1, target: value}
    answers = {key: AdjudicatedAnswer(value=each, reason="x") for key, each in given.items()}
    with pytest.raises(InvalidAnswer, match=error):
        save_adjudication(item, by=researcher, answers=answers, seen=open_case(item).seen)
    assert not Adjudication.objects.exists()


STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([0, 1, None]), st.booleans()), max_size=6
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_adjudication_never_changes_raters_answers(
    researcher: User, steps: list[tuple[int, int | None, bool]]
) -> None:
    item = Item.objects.first() or make_differing().items.get()
    judgments = list(Judgment.objects.order_by("pk").values())
    work = list(Assignment.objects.order_by("pk").values())
    for target, value, is_fresh in steps:
        answer = None if value is None else AdjudicatedAnswer(value=value, reason="Because.")
        seen = open_case(item).seen if is_fresh else "long ago"
        try:
            save_adjudication(
                item, by=researcher, answers={("attributable", target): answer}, seen=seen
            )
        except ConcurrentAdjudication:
            assert not is_fresh
            continue
        held = Adjudication.objects.filter(item=item, target=target).first()
        assert (held.value if held else None) == value
    assert list(Judgment.objects.order_by("pk").values()) == judgments
    assert list(Assignment.objects.order_by("pk").values()) == work


def test_pres_intent_takes_the_adjudicated_answer(researcher: User) -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(questionnaire="intent", passages=1, raters=raters, raters_per_item=2)
    for rater, level in zip(raters, (2, 1), strict=True):
        assignment = claim(rater, campaign=campaign)
        save_judgment(assignment, criterion="intent", target=0, value=level, sequence=1)
        assert submit(assignment) == []
    item = campaign.items.get()
    [figure, *_] = campaign_figures(campaign)
    assert (figure.label, figure.estimate.value) == ("Pres_intent", 0.5)
    answers = {("intent", 0): AdjudicatedAnswer(value=2, reason="Only a year differs.")}
    save_adjudication(item, by=researcher, answers=answers, seen=open_case(item).seen)
    assert campaign_figures(campaign)[0].estimate.value == 1
