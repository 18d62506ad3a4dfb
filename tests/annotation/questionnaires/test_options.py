"""The options "partly" and AIS's two stages."""

from collections.abc import Sequence

import pytest
from django.test import Client

from annotation.adjudication.cases import AdjudicatedAnswer, open_case, save_adjudication
from annotation.campaigns.forms import NewCampaignForm
from annotation.items.rater_demand import agree
from annotation.judging.answers import submit
from annotation.models import Assignment, Campaign
from annotation.questionnaires import load_questionnaire, questionnaire_of, written_guidelines
from annotation.questionnaires.types import InvalidAnswer
from annotation.results.attribution import campaign_result
from annotation.results.reliability import campaign_reliability
from rarrweb.accounts.models import User
from tests.support.campaigns import (
    make_assignment,
    make_campaign,
    make_judgeable_run,
    save_judgment,
)
from tests.support.exports import lines_of, manifest_of, rows_of
from tests.support.factories import make_user
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db

YES, NO, PARTLY, UNCLEAR = 1, 0, 2, "unclear"
BOTH = ["partly", "two_stages"]
KEY_OF_PARTLY = "<dt><kbd>3</kbd> </dt>"


def judge(rater: User, campaign: Campaign, states: Sequence[int | str]) -> Assignment:
    """The rater's next item, as the page saves it."""
    assignment = claim(rater, campaign=campaign)
    for target, state in enumerate(states):
        given = {"attributable": state} if isinstance(state, int) else {}
        if "two_stages" in campaign.options:
            given["interpretable"] = int(state != UNCLEAR)
        for criterion, value in given.items():
            save_judgment(assignment, criterion=criterion, target=target, value=value, sequence=1)
    assert submit(assignment) == []
    return assignment


def labels(campaign: Campaign) -> list[int | None]:
    [line] = lines_of(campaign)
    [answer] = line["answers"]
    return [sentence["attributable"] for sentence in answer["sentences"]]


# ---- What is asked ----------------------------------------------------------------------------
def test_partly_is_a_level_between_and_the_others_keep_their_numbers() -> None:
    criterion = load_questionnaire("attribution").with_options(["partly"]).criterion("attributable")
    assert [level.value for level in criterion.levels] == [NO, PARTLY, YES]
    assert criterion.is_ordinal
    assert not load_questionnaire("attribution").criterion("attributable").is_ordinal


def test_every_piece_of_evidence_is_rated_by_default() -> None:
    user, run = make_user(role=User.Role.RESEARCHER), make_judgeable_run(passages=1)
    form = NewCampaignForm(user=user)
    assert form["options"].value() == ["rate_evidence"]
    assert not form.is_unfolded()
    data = {"name": "X", "run": run.pk, "raters_per_item": 1, "options": ["rate_evidence"]}
    sent = NewCampaignForm({**data, "questionnaire": ["intent"]}, user=user)
    assert sent.is_valid(), "intent has no evidence to rate"
    assert sent.chosen()["options"] == []
    assignment = make_assignment(make_user(), options=form["options"].value())
    kind = questionnaire_of(assignment.item.campaign)
    judged = {("attributable", target): 1 for target in range(3)}
    gaps = [gap.text for gap in kind.gaps(assignment.item, judged)]
    assert gaps == ["Evidence 1 is not rated.", "Evidence 2 is not rated."]
    assert [each.name for each in kind.decisive_criteria()] == ["attributable"]
    assert load_questionnaire("attribution").gaps(assignment.item, judged) == []


def test_what_cannot_be_understood_is_asked_nothing_more() -> None:
    assignment = make_assignment(make_user(), options=["two_stages"])
    kind = questionnaire_of(assignment.item.campaign)
    assert len(kind.gaps(assignment.item, {})) == 6
    unclear = {("interpretable", target): 0 for target in range(3)}
    assert kind.gaps(assignment.item, unclear) == []
    [gap] = kind.gaps(assignment.item, {**unclear, ("interpretable", 1): 1})
    assert gap.text == "Sentence 2 is not judged (attributable)."


def test_the_level_partly_is_refused_where_the_campaign_does_not_offer_it() -> None:
    partly = {"criterion": "attributable", "target": 0, "value": PARTLY, "sequence": 1}
    save_judgment(make_assignment(make_user(), options=["partly"]), **partly)
    with pytest.raises(InvalidAnswer, match="2 is no level of 'attributable'"):
        save_judgment(make_assignment(make_user()), **partly)


def test_the_page_offers_what_the_campaign_asks_and_the_instructions_explain_it(
    as_annotator: Client, annotator: User
) -> None:
    assignment = make_assignment(annotator, options=BOTH)
    page = as_annotator.get(f"/tasks/{assignment.pk}/").content.decode()
    for state in ("unclear", "1", "0", "2"):
        assert f'data-set="{state}" data-words' in page
    assert page.count(KEY_OF_PARTLY) == 1
    plain = as_annotator.get(f"/tasks/{make_assignment(annotator).pk}/").content.decode()
    assert 'data-set="2"' not in plain
    assert KEY_OF_PARTLY not in plain
    assert 'data-set="unclear"' not in plain
    text = written_guidelines(load_questionnaire("attribution").with_options(BOTH))
    assert "In this campaign: partly attributable" in text
    assert "In this campaign: two stages" in text


@pytest.mark.parametrize(("kind", "taken"), [("attribution", BOTH), ("intent", [])])
def test_the_form_takes_options_of_the_chosen_kind_alone(kind: str, taken: list[str]) -> None:
    run = make_judgeable_run(passages=1)
    user = make_user(role=User.Role.RESEARCHER)
    data = {"name": "X", "run": run.pk, "raters_per_item": 1, "questionnaire": [kind]}
    form = NewCampaignForm({**data, "sides": "after", "options": BOTH}, user=user)
    assert form.is_valid()
    assert form.chosen()["options"] == taken


# ---- What they count as -----------------------------------------------------------------------
def test_partly_and_unclear_count_as_not_attributable_and_are_in_files() -> None:
    rater = make_user()
    campaign = make_campaign(passages=1, raters=(rater,), options=BOTH)
    judge(rater, campaign, [YES, PARTLY, UNCLEAR])
    [side] = campaign_result(campaign).whole.sides
    assert side.attribution.value == pytest.approx(1 / 3)
    assert (side.attributable, side.labelled, side.yes, side.no) == (1, 3, 1, 2)
    assert side.kinds_of_no == (("partly attributable", 1), ("unclear, cannot be understood", 1))
    assert labels(campaign) == [1, 0, 0]
    rows = rows_of(campaign)
    values = {(row["criterion"], row["target_index"]): row["value"] for row in rows}
    attributable = {("attributable", "0"): "1", ("attributable", "1"): "2"}
    interpretable = {("interpretable", str(at)): value for at, value in enumerate("110")}
    assert (len(rows), values) == (5, attributable | interpretable)
    assert {row["target_kind"] for row in rows} == {"sentence"}
    about = manifest_of(campaign)["campaign"]
    assert about["options"] == BOTH
    assert about["criteria"]["attributable"][PARTLY] == "partly attributable"
    assert about["criteria"]["interpretable"][0] == "unclear, cannot be understood"
    plain = make_campaign(passages=1, raters=(rater,))
    judge(rater, plain, [YES, NO, NO])
    assert campaign_result(plain).whole.sides[0].kinds_of_no == ()


@pytest.fixture
def disputed() -> Campaign:
    """Two raters cannot understand the first sentence; all other answers are yes."""
    raters = tuple(make_user() for _ in range(3))
    campaign = make_campaign(passages=1, raters=raters, raters_per_item=3, options=BOTH)
    for rater, first in zip(raters, (YES, UNCLEAR, UNCLEAR), strict=True):
        judge(rater, campaign, [first, YES, YES])
    return campaign


def first_score(campaign: Campaign) -> float:
    """The share of yes of the first sentence: the others are all yes."""
    [side] = campaign_result(campaign).whole.sides
    return side.attribution.value * 3 - 2


def test_who_cannot_understand_a_sentence_votes_against_it(disputed: Campaign) -> None:
    assert first_score(disputed) == pytest.approx(1 / 3)
    assert labels(disputed) == [0, 1, 1]


@pytest.mark.parametrize(
    ("criterion", "value", "label"),
    [("interpretable", 0, 0), ("interpretable", 1, 1), ("attributable", PARTLY, 0)],
)
def test_unclear_or_partly_when_adjudicated_is_not_attributable(
    disputed: Campaign, criterion: str, value: int, label: int
) -> None:
    answers = {(criterion, 0): AdjudicatedAnswer(value=value, reason="See the context.")}
    item = disputed.items.get()
    save_adjudication(item, by=make_user(), seen=open_case(item).seen, answers=answers)
    assert first_score(disputed) == pytest.approx(label)
    assert labels(disputed) == [label, 1, 1]


def test_an_attribution_next_to_unclear_has_no_vote() -> None:
    # The page takes it back; a program may not.
    rater = make_user()
    campaign = make_campaign(passages=1, raters=(rater,), options=["two_stages"])
    assignment = judge(rater, campaign, [YES, YES, YES])
    save_judgment(assignment, criterion="interpretable", target=0, value=0, sequence=2)
    assert first_score(campaign) == pytest.approx(0)
    assert labels(campaign) == [0, 1, 1]


def test_two_who_cannot_understand_a_sentence_ask_for_no_third_rater() -> None:
    raters = tuple(make_user() for _ in range(2))
    campaign = make_campaign(
        passages=1, raters=raters, raters_per_item=2, max_raters=4, options=BOTH
    )
    for rater in raters:
        judge(rater, campaign, [UNCLEAR, YES, PARTLY])
    assert agree(campaign.items.get())


def test_each_stage_has_its_reliability_and_ordered_levels_an_ordinal_alpha() -> None:
    raters = tuple(make_user() for _ in range(2))
    campaign = make_campaign(passages=1, raters=raters, raters_per_item=2, options=BOTH)
    judge(raters[0], campaign, [YES, PARTLY, UNCLEAR])
    judge(raters[1], campaign, [YES, NO, YES])
    criteria = {each.criterion.name: each for each in campaign_reliability(campaign).criteria}
    first, second = (criteria[name].groups[0].report for name in ("interpretable", "attributable"))
    # One of three sentences is disputed in the first stage; the second has two that both judged.
    assert (first.raw.targets, first.raw.value) == (3, pytest.approx(2 / 3))
    assert (second.raw.targets, second.raw.value) == (2, pytest.approx(1 / 2))
    assert second.alpha_ordinal.value != pytest.approx(second.alpha_nominal.value)
