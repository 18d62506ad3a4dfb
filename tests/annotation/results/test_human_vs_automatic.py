"""People's answers about citations beside automatic ones, worked by hand."""

import csv
import io

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotation.models import Campaign, Item
from annotation.results.human_vs_automatic import HumanVsAutomatic, human_vs_automatic
from pipeline.metrics.decisions import DecisionValidity
from pipeline.models import Dataset, Revision
from rarrweb.accounts.models import User
from tests.annotation.campaigns.test_answers_of_strategies import answered, dataset
from tests.support import campaigns
from tests.support.exports import adjudicate, make_campaign
from tests.support.factories import make_user
from tests.support.judged_citations import (
    DECISIONS,
    LEVELS,
    make_answer,
    make_citation_campaign,
    say,
)
from tests.support.kinds import everything
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db

__all__ = ["dataset"]


@pytest.fixture
def campaign() -> Campaign:
    return make_citation_campaign()


def table(result: DecisionValidity) -> tuple[int, int, int, int]:
    return result.both_yes, result.only_people, result.only_automatic, result.both_no


def tables(campaign: Campaign) -> dict[str, tuple[int, int, int, int]]:
    return {each.name: table(each.validity) for each in compared(campaign).decisions}


def compared(campaign: Campaign) -> HumanVsAutomatic:
    result = human_vs_automatic(campaign)
    assert result is not None
    return result


def test_each_statement_and_each_citation_is_counted_once(campaign: Campaign) -> None:
    rater = make_user()
    say(make_answer(campaign), rater, DECISIONS, LEVELS)
    say(make_answer(campaign, ("It fell [1].",), [([1], 0.7, [])]), rater, {0: False}, (2,))
    assert tables(campaign) == {
        "Statements that cite": (2, 1, 1, 0),
        "All statements": (2, 1, 1, 1),  # what cites nothing is supported by nothing
        # The first sentence's; the second's, of which people do not call [2] irrelevant; the
        # fourth's, which the model does not call supported; and of what people call unsupported
        # no citation is precise, whatever it does by itself.
        "Citations": (2, 2, 1, 1),
    }
    result = compared(campaign)
    recall, precision = result.figures
    assert (recall.name, recall.n, result.unmatched, result.tied) == ("Citation recall", 2, 0, 0)
    assert recall.people is not None
    assert recall.automatic is not None
    assert (recall.people.value, recall.automatic.value) == (0.375, 0.75)
    assert precision.people is not None
    assert precision.people.value == pytest.approx((4 / 5 + 0) / 2)


def test_answers_to_one_question_are_one_draw(campaign: Campaign) -> None:
    first = make_answer(campaign, ("It fell [1].",), [([1], 0.7, [])])
    others = [make_answer(campaign, ("It rose [1].",), [([1], 0.2, [])]) for _ in range(3)]
    for item in (first, *others):
        say(item, make_user(), {0: item is first}, (2,))
    Item.objects.filter(pk=others[0].pk).update(passage=first.passage)
    recall = compared(campaign).figures[0]
    assert recall.n == 4
    assert recall.people is not None
    assert recall.people == recall.automatic
    assert (recall.people.value, recall.people.n) == (0.25, 3)


def test_a_tie_is_unmatched_and_a_settled_answer_replaces_all(campaign: Campaign) -> None:
    item = make_answer(campaign)
    say(item, make_user(), DECISIONS, LEVELS)
    say(item, make_user(), {0: True, 1: False, 3: True}, (2, 2, 1, 0, 0), slot=2)
    assert tables(campaign)["Statements that cite"] == (1, 1, 0, 0)
    assert tables(campaign)["Citations"] == (1, 0, 0, 1)  # of the fourth, [2] is tied as well
    assert compared(campaign).tied == 2
    adjudicate(item, 1, 0, "citation_recall")
    adjudicate(item, 3, 2, "citation_precision")
    assert tables(campaign) == {
        "Statements that cite": (1, 1, 1, 0),
        "All statements": (1, 1, 1, 1),
        "Citations": (1, 1, 1, 2),
    }
    assert compared(campaign).tied == 0


def test_drafts_late_work_and_answers_that_nobody_scored_do_not_count(campaign: Campaign) -> None:
    item = make_answer(campaign)
    say(item, make_user(), DECISIONS, LEVELS, submitted=False)
    say(item, make_user(), DECISIONS, LEVELS, slot=None)
    assert human_vs_automatic(campaign) is None
    unscored = make_answer(campaign)
    Revision.objects.filter(pk=unscored.revision_id).update(citation_scores={})
    say(unscored, make_user(), DECISIONS, LEVELS)
    assert human_vs_automatic(campaign) is None


def test_what_was_scored_in_other_units_is_unmatched_and_counted(campaign: Campaign) -> None:
    item = make_answer(campaign)
    scores = item.revision.citation_scores
    scores["statements"][0]["end"] -= 1
    scores["statements"][3]["sources"] = [2]
    Revision.objects.filter(pk=item.revision_id).update(citation_scores=scores)
    say(item, make_user(), DECISIONS, LEVELS)
    assert compared(campaign).unmatched == 2
    assert tables(campaign)["All statements"] == (1, 0, 0, 1)


def test_of_a_fourth_citation_the_model_reports_nothing(campaign: Campaign) -> None:
    item = make_answer(campaign, ("It opened [4][1][2][3].",), [([4, 1, 2, 3], 0.9, [1])])
    say(item, make_user(), {0: True}, (2, 0, 1, 0))
    assert tables(campaign)["Citations"] == (2, 0, 0, 1)


def test_a_citation_is_matched_by_its_number_where_sources_have_gaps(campaign: Campaign) -> None:
    answer = ("It opened [1][4].", "It burnt [1][2][4][5].")
    # [2] came without a text: the model looks at it, raters do not see it.
    scored = [([1, 4], 0.9, [1]), ([1, 2, 4, 5], 0.9, [2])]
    item = make_answer(campaign, answer, scored, sources=(1, 4, 5))
    say(item, make_user(), {0: True, 1: True}, (0, 2, 2, 2, 2))
    assert tables(campaign)["Citations"] == (1, 0, 0, 1)
    assert compared(campaign).unmatched == 1


def test_other_questionnaires_have_no_such_figures() -> None:
    assert human_vs_automatic(make_campaign(questionnaire="attribution")) is None


@pytest.mark.parametrize("kind", ["citation", "answer_quality"])
def test_what_a_strategy_wrote_is_judged_in_the_units_that_were_scored(
    dataset: Dataset, kind: str, annotator: User
) -> None:
    campaign = campaigns.make_campaign(
        run=answered(dataset), questionnaire=kind, sides="before", raters=(annotator,)
    )
    assignment = claim(annotator, campaign)
    campaigns.hand_in(assignment, dict.fromkeys(everything(assignment), 1))
    result = compared(campaign)
    assert result.unmatched == 0
    assert result.decisions[0].validity.n == len(assignment.item.sentences)


def test_the_page_its_file_and_the_api_have_the_same_figures(
    client: Client,
    campaign: Campaign,
    researcher: User,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    say(make_answer(campaign), make_user(), DECISIONS, LEVELS)
    with django_assert_num_queries(3):
        result = compared(campaign)
    Campaign.objects.update(created_by=researcher)
    client.force_login(researcher)
    page = client.get(f"/campaigns/{campaign.slug}/results/").content.decode()
    assert "People and the automatic figures" in page
    assert "Both say yes of 2, both no of 1; only people yes of 1" in page
    response = client.get(f"/campaigns/{campaign.slug}/results/automatic.csv")
    assert response["Content-Type"].startswith("text/csv")
    text = response.content.decode().removeprefix("\ufeff")
    rows = {row["of"]: row for row in csv.DictReader(io.StringIO(text))}
    cited = result.decisions[0].validity
    assert cited.accuracy is not None
    assert float(rows["Statements that cite"]["accuracy"]) == cited.accuracy.value
    assert rows["Statements that cite"]["n"] == "3"
    assert rows["Citation recall"]["people"] == "0.75"
    api = client.get(f"/api/campaigns/{campaign.slug}/results/").json()["automatic"]
    assert [each["name"] for each in api["decisions"]] == list(tables(campaign))
    assert api["decisions"][0]["accuracy"]["value"] == cited.accuracy.value


def test_a_campaign_without_them_has_no_file(as_researcher: Client, campaign: Campaign) -> None:
    address = f"/campaigns/{campaign.slug}/results/automatic.csv"
    assert as_researcher.get(address).status_code == 404
