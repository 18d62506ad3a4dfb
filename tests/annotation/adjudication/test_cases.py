"""Settling what raters differ about: who may, what they see, what is kept."""

import re

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from annotation.adjudication.cases import (
    Settled,
    SettledMeanwhile,
    next_waiting,
    open_case,
    settle,
    settled_items,
    waiting,
)
from annotation.campaigns.lifecycle import close_campaign
from annotation.judging.answers import Answer, save_judgments, submit
from annotation.judging.claims import claim_next
from annotation.models import Adjudication, Assignment, Campaign, Item, Judgment, Membership
from annotation.questionnaires import load_questionnaire
from annotation.questionnaires.types import TargetOutOfRange, UnknownCriterion, UnknownLevel
from annotation.raters.memberships import add_member
from annotation.results.by_questionnaire import campaign_figures
from rarrweb.accounts.models import User
from tests.annotation.questionnaires.test_kinds import make_citing_run
from tests.support.campaigns import make_campaign, save_judgment
from tests.support.factories import make_user
from tests.support.judging import judge_next

pytestmark = pytest.mark.django_db

FIRST = ("attributable", 1)
QUERY_BUDGET = 12


def make_differing(*, passages: int = 1, campaign: Campaign | None = None) -> Campaign:
    """Two raters: on each item they differ about the second sentence only."""
    raters = (make_user(), make_user())
    campaign = campaign or make_campaign(passages=passages, raters=raters, raters_per_item=2)
    for _ in range(passages):
        judge_next(raters[0], campaign, (1, 1, 0))
        judge_next(raters[1], campaign, (1, 0, 0))
    return campaign


def settle_first(item: Item, by: User, value: int = 1, reason: str = "See evidence 1.") -> None:
    answers = {FIRST: Settled(value=value, reason=reason)}
    settle(item, by=by, answers=answers, seen=open_case(item).seen)


def as_adjudicator(campaign: Campaign, name: str = "adi") -> Client:
    person = make_user(name)
    add_member(campaign, user=person, role=Membership.Role.ADJUDICATOR)
    client = Client()
    client.force_login(person)
    return client


# ---- What waits -----------------------------------------------------------------------------
def test_an_item_waits_as_long_as_a_difference_is_not_settled(researcher: User) -> None:
    campaign = make_differing(passages=2)
    first, second = campaign.items.order_by("position")
    assert list(waiting(campaign)) == [first, second]
    assert next_waiting(second) == first  # from the start again
    settle_first(first, researcher)
    assert list(waiting(campaign)) == [second]
    assert list(settled_items(campaign)) == [first]
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


# ---- Settling -------------------------------------------------------------------------------
def test_a_settled_answer_has_its_reason_and_who_and_when(researcher: User) -> None:
    item = make_differing().items.get()
    settle_first(item, researcher)
    row = Adjudication.objects.get()
    assert (row.criterion, row.target, row.value) == ("attributable", 1, 1)
    assert (row.reason, row.adjudicator) == ("See evidence 1.", researcher)


def test_the_same_answer_again_changes_nothing_not_even_the_time(researcher: User) -> None:
    item = make_differing().items.get()
    answers = {FIRST: Settled(value=0, reason="No.")}
    seen = open_case(item).seen
    settle(item, by=researcher, answers=answers, seen=seen)
    before = Adjudication.objects.values().get()
    settle(item, by=make_user(), answers=answers, seen=seen)  # a repeated request
    assert Adjudication.objects.values().get() == before


def test_who_has_not_seen_the_others_answer_does_not_overwrite_it(researcher: User) -> None:
    item = make_differing().items.get()
    seen = open_case(item).seen
    settle_first(item, make_user(), value=1)
    with pytest.raises(SettledMeanwhile):
        settle(item, by=researcher, answers={FIRST: Settled(value=0, reason="No.")}, seen=seen)
    assert Adjudication.objects.get().value == 1


def test_taking_it_back_makes_the_item_wait_again(researcher: User) -> None:
    campaign = make_differing()
    item = campaign.items.get()
    settle_first(item, researcher)
    settle(item, by=researcher, answers={FIRST: None}, seen=open_case(item).seen)
    assert list(waiting(campaign)) == [item]


@pytest.mark.parametrize(
    ("target", "value", "error"),
    [
        (("attributable", 3), 1, TargetOutOfRange),
        (("beautiful", 0), 1, UnknownCriterion),
        (("attributable", 1), 7, UnknownLevel),
    ],
)
def test_what_the_item_cannot_be_asked_is_refused(
    researcher: User, target: tuple[str, int], value: int, error: type[Exception]
) -> None:
    item = make_differing().items.get()
    answers = {FIRST: Settled(value=1, reason="x"), target: Settled(value=value, reason="x")}
    with pytest.raises(error):
        settle(item, by=researcher, answers=answers, seen=open_case(item).seen)
    assert not Adjudication.objects.exists()


STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([0, 1, None]), st.booleans()), max_size=6
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_adjudication_never_changes_what_a_rater_said(
    researcher: User, steps: list[tuple[int, int | None, bool]]
) -> None:
    item = Item.objects.first() or make_differing().items.get()
    said = list(Judgment.objects.order_by("pk").values())
    work = list(Assignment.objects.order_by("pk").values())
    for target, value, is_fresh in steps:
        answer = None if value is None else Settled(value=value, reason="Because.")
        seen = open_case(item).seen if is_fresh else "long ago"
        try:
            settle(item, by=researcher, answers={("attributable", target): answer}, seen=seen)
        except SettledMeanwhile:
            assert not is_fresh
            continue
        held = Adjudication.objects.filter(item=item, target=target).first()
        assert (held.value if held else None) == value
    assert list(Judgment.objects.order_by("pk").values()) == said
    assert list(Assignment.objects.order_by("pk").values()) == work


# ---- The pages ------------------------------------------------------------------------------
def test_an_adjudicator_settles_and_goes_on_to_the_next() -> None:
    campaign = make_differing(passages=2)
    first, second = campaign.items.order_by("position")
    client = as_adjudicator(campaign)
    queue = client.get(f"/adjudicate/?campaign={campaign.slug}").content.decode()
    assert "2 items on which raters differ" in queue
    page = client.get(f"/adjudicate/{first.pk}/")
    assert page.content.decode().count("Settled answer</legend>") == 1  # where they differ only
    data = {
        "seen": page.context["case"].seen,
        "value-attributable-1": "0",
        "reason-attributable-1": "Evidence 1 gives no number.",
    }
    answer = client.post(f"/adjudicate/{first.pk}/", data)
    assert answer.headers["Location"] == f"/adjudicate/{second.pk}/"
    row = Adjudication.objects.get()
    assert (row.item, row.value, row.reason) == (first, 0, "Evidence 1 gives no number.")
    page = client.get(f"/adjudicate/{second.pk}/")
    data["seen"] = page.context["case"].seen
    answer = client.post(f"/adjudicate/{second.pk}/", data)
    assert answer.headers["Location"] == f"/adjudicate/?campaign={campaign.slug}"
    assert "Nothing to settle" in client.get(answer.headers["Location"]).content.decode()


def test_a_settled_answer_needs_a_level_that_there_is_and_no_reason(as_researcher: Client) -> None:
    item = make_differing().items.get()
    address = f"/adjudicate/{item.pk}/"
    for value in ("9", "true"):
        page = as_researcher.post(address, {"seen": "", "value-attributable-1": value})
        assert page.status_code == 200
        assert "Please correct this" in page.content.decode()
    assert not Adjudication.objects.exists()
    seen = as_researcher.get(address).context["case"].seen
    as_researcher.post(address, {"seen": seen, "value-attributable-1": "1"})
    assert Adjudication.objects.get().reason == ""


def test_the_page_says_how_far_one_is(as_researcher: Client, researcher: User) -> None:
    first, second, third = make_differing(passages=3).items.order_by("position")
    assert "1 of 3" in as_researcher.get(f"/adjudicate/{third.pk}/").content.decode()
    settle_first(first, researcher)
    settle_first(second, researcher)
    assert "3 of 3" in as_researcher.get(f"/adjudicate/{third.pk}/").content.decode()
    assert "2 of 3" in as_researcher.get(f"/adjudicate/{second.pk}/").content.decode()


# ---- The majority ---------------------------------------------------------------------------
def make_outvoted(*answers: tuple[int, int, int]) -> Campaign:
    """Each rater's answers to three sentences, the same ones on two items."""
    raters = tuple(make_user() for _ in answers)
    campaign = make_campaign(passages=2, raters=raters, raters_per_item=len(raters))
    for rater, said in zip(raters, answers, strict=True):
        for _ in range(2):
            judge_next(rater, campaign, said)
    return campaign


def test_where_all_but_one_agree_the_majority_is_accepted_and_taken_back(
    as_researcher: Client, researcher: User
) -> None:
    campaign = make_outvoted((1, 1, 0), (1, 0, 0), (1, 0, 0))
    changed, kept = campaign.items.order_by("position")
    address = f"/adjudicate/?campaign={campaign.slug}"
    assert "Accept the majority on 2 items" in as_researcher.get(address).content.decode()
    accept = f"/adjudicate/majority/{campaign.slug}/"
    page = as_researcher.post(accept, follow=True)
    assert "2 items are settled as the majority" in page.content.decode()
    assert set(Adjudication.objects.values_list("criterion", "target", "value")) == {
        ("attributable", 1, 0)
    }
    assert not waiting(campaign).exists()
    settle_first(changed, researcher)
    as_researcher.post(accept, {"undo": page.context["accepted"]})
    assert Adjudication.objects.get().item == changed, "what was changed since stays"
    assert list(waiting(campaign)) == [kept]


@pytest.mark.parametrize(
    "answers",
    [
        ((1, 1, 0), (1, 0, 0)),
        ((1, 1, 0), (1, 1, 0), (1, 0, 0), (1, 0, 0)),
        # One answer is clear, the other one is not.
        ((1, 1, 0), (0, 0, 0), (0, 0, 0), (1, 0, 0)),
    ],
)
def test_where_there_is_no_such_majority_each_item_waits(
    as_researcher: Client, answers: tuple[tuple[int, int, int], ...]
) -> None:
    campaign = make_outvoted(*answers)
    page = as_researcher.get(f"/adjudicate/?campaign={campaign.slug}").content.decode()
    assert "Accept the majority" not in page
    as_researcher.post(f"/adjudicate/majority/{campaign.slug}/")
    assert not Adjudication.objects.exists()


def test_the_majority_is_for_adjudicators(client: Client, stranger: User) -> None:
    campaign = make_outvoted((1, 1, 0), (1, 0, 0), (1, 0, 0))
    client.force_login(stranger)
    assert client.post(f"/adjudicate/majority/{campaign.slug}/").status_code == 404
    assert not Adjudication.objects.exists()


def test_a_page_that_is_behind_shows_what_was_settled_meanwhile(as_researcher: Client) -> None:
    item = make_differing().items.get()
    data = {
        "seen": as_researcher.get(f"/adjudicate/{item.pk}/").context["case"].seen,
        "value-attributable-1": "0",
        "reason-attributable-1": "Mine.",
    }
    settle_first(item, make_user(), value=1, reason="Theirs.")
    page = as_researcher.post(f"/adjudicate/{item.pk}/", data, follow=True).content.decode()
    assert "Somebody else has settled this item" in page
    assert "Theirs." in page
    assert Adjudication.objects.get().value == 1


def test_raters_are_numbers_and_systems_are_not_named() -> None:
    campaign = make_differing()
    item = campaign.items.get()
    Assignment.objects.update(comment="<b>hard</b>")
    page = as_adjudicator(campaign).get(f"/adjudicate/{item.pk}/").content.decode()
    assert "Rater 1" in page
    assert "Rater 2" in page
    assert "&lt;b&gt;hard" in page
    assert 'href="javascript:' not in page
    for rater in User.objects.filter(assignments__item=item):
        assert rater.username not in page
    assert campaign.runs.get().system not in page.lower().replace("rarrweb", "")
    assert f"/revisions/{item.revision_id}/" not in page


@pytest.mark.parametrize("role", [None, "annotator"])
def test_only_adjudicators_and_researchers_settle(client: Client, role: str | None) -> None:
    campaign = make_differing()
    item = campaign.items.get()
    paths = (f"/adjudicate/{item.pk}/", f"/adjudicate/?campaign={campaign.slug}")
    for path in paths:
        assert client.get(path).headers["Location"].startswith("/log-in/")
    person = make_user()
    if role:
        add_member(campaign, user=person, role=role)
    client.force_login(person)
    for path in paths:
        assert client.get(path).status_code == 404
    data = {"seen": open_case(item).seen, "value-attributable-1": "1", "reason-attributable-1": "x"}
    assert client.post(f"/adjudicate/{item.pk}/", data).status_code == 404
    assert campaign.name not in client.get("/adjudicate/").content.decode()
    assert not Adjudication.objects.exists()


def test_an_adjudicator_of_one_campaign_is_none_of_another(client: Client) -> None:
    mine, other = make_differing(), make_differing()
    adjudicator = as_adjudicator(mine)
    assert adjudicator.get(f"/adjudicate/{mine.items.get().pk}/").status_code == 200
    assert adjudicator.get(f"/adjudicate/{other.items.get().pk}/").status_code == 404


def test_who_judges_too_stays_blind_until_the_campaign_is_closed(client: Client) -> None:
    campaign = make_differing()
    person = make_user()
    for role in Membership.Role.values:
        add_member(campaign, user=person, role=role)
    client.force_login(person)
    path = f"/adjudicate/{campaign.items.get().pk}/"
    assert client.get(path).status_code == 404
    close_campaign(campaign)
    assert client.get(path).status_code == 200


def test_a_researcher_makes_an_adjudicator_by_name_and_takes_it_back(
    as_researcher: Client, stranger: User
) -> None:
    campaign = make_differing()
    data = {"person": stranger.pk, "role": "adjudicator"}
    as_researcher.post(f"/campaigns/{campaign.slug}/members/add/", data)
    membership = Membership.objects.get(user=stranger)
    assert membership.role == "adjudicator"
    page = as_researcher.get(f"/campaigns/{campaign.slug}/raters/").content.decode()
    assert "Remove stan as an adjudicator" in page
    client = Client()
    client.force_login(stranger)
    for path in ("/", "/campaigns/", "/adjudicate/"):
        assert campaign.name in client.get(path).content.decode()
    own = client.get(f"/campaigns/{campaign.slug}/").content.decode()
    assert "Settle disagreements" in own
    assert "Before the first one" not in own
    as_researcher.post(f"/campaigns/{campaign.slug}/members/{membership.pk}/remove/")
    assert client.get(f"/adjudicate/?campaign={campaign.slug}").status_code == 404


def test_a_link_makes_an_adjudicator(as_researcher: Client, stranger: User) -> None:
    campaign = make_differing()
    data = {"note": "", "days": 3, "role": "adjudicator"}
    made = as_researcher.post(f"/campaigns/{campaign.slug}/invite/", data).content.decode()
    found = re.search(r"(/campaigns/join/[^/\"]+/)", made)
    assert found is not None
    client = Client()
    client.force_login(stranger)
    assert "Adjudicate in" in client.get(found.group(1)).content.decode()
    client.post(found.group(1))
    assert Membership.objects.get(user=stranger).role == "adjudicator"


def test_a_role_that_there_is_not_lets_nobody_in(as_researcher: Client, stranger: User) -> None:
    campaign = make_campaign()
    data = {"person": stranger.pk, "role": "owner"}
    page = as_researcher.post(f"/campaigns/{campaign.slug}/members/add/", data)
    assert "owner is not one of the available choices" in page.content.decode()
    assert not Membership.objects.filter(user=stranger).exists()


@pytest.mark.parametrize("path", ["", "?campaign={slug}", "?campaign={slug}&show=settled", "{pk}/"])
@pytest.mark.parametrize("passages", [1, 6])
def test_the_pages_ask_few_queries_whatever_their_size(
    path: str, passages: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    campaign = make_differing(passages=passages)
    item = campaign.items.order_by("position")[0]
    client = as_adjudicator(campaign)
    with django_assert_max_num_queries(QUERY_BUDGET):
        client.get("/adjudicate/" + path.format(slug=campaign.slug, pk=item.pk))


# ---- Other questionnaires -------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["intent", "answer_quality", "citation"])
def test_every_kind_with_levels_is_settled_on_the_same_page(
    as_researcher: Client, kind: str
) -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(
        questionnaire=kind, run=make_citing_run(), raters=raters, raters_per_item=2
    )
    questionnaire = load_questionnaire(kind)
    item = campaign.items.order_by("position")[0]
    for rater, place in zip(raters, (0, -1), strict=True):
        assignment = claim_next(rater, campaign=campaign)
        assert isinstance(assignment, Assignment)
        save_judgments(
            assignment,
            [
                Answer(
                    criterion=criterion.name,
                    target=target,
                    value=criterion.levels[place].value,
                    sequence=1,
                )
                for criterion in questionnaire.criteria
                for target in range(criterion.target_count(item))
            ],
        )
        assert submit(assignment) == []
    assert list(waiting(campaign)) == [item]
    page = as_researcher.get(f"/adjudicate/{item.pk}/")
    data = {"seen": page.context["case"].seen}
    for name, target in page.context["form"].targets:
        data[f"value-{name}-{target}"] = str(questionnaire.criterion(name).levels[-1].value)
        data[f"reason-{name}-{target}"] = "Read it again."
    assert as_researcher.post(f"/adjudicate/{item.pk}/", data).status_code == 302
    assert not waiting(campaign).exists()
    assert item.adjudications.count() == len(page.context["form"].targets) > 0


def test_pres_intent_takes_what_was_settled(researcher: User) -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(questionnaire="intent", passages=1, raters=raters, raters_per_item=2)
    for rater, level in zip(raters, (2, 1), strict=True):
        assignment = claim_next(rater, campaign=campaign)
        assert isinstance(assignment, Assignment)
        save_judgment(assignment, criterion="intent", target=0, value=level, sequence=1)
        assert submit(assignment) == []
    item = campaign.items.get()
    [figure, *_] = campaign_figures(campaign)
    assert figure.estimate is not None
    assert (figure.label, figure.estimate.value) == ("Pres_intent", 0.5)
    settled = {("intent", 0): Settled(value=2, reason="Only a year differs.")}
    settle(item, by=researcher, answers=settled, seen=open_case(item).seen)
    [figure, *_] = campaign_figures(campaign)
    assert figure.estimate is not None
    assert figure.estimate.value == 1
