"""Instructions in versions: what holds, what has changed, what a judgment was made under."""

import pytest

from annotation.guidelines import versions
from annotation.judging.answers import AnswerUpdate, save_judgments
from annotation.models import Assignment, Campaign, GuidelinesVersion, Judgment
from annotation.questionnaires import QUESTIONNAIRES, questionnaire_of, written_guidelines
from rarrweb.accounts.models import User
from tests.support.campaigns import make_assignment, make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


def edit(campaign: Campaign, text: str, *, note: str = "Clearer.") -> GuidelinesVersion:
    by = make_user(role=User.Role.RESEARCHER)
    last = versions.newest(campaign)
    return versions.save_version(campaign, text=text, note=note, by=by, based_on=last.number)


def judge_under(assignment: Assignment, version: int | None, *, target: int = 0) -> int | None:
    """What is stored with a judgment whose page says that it had `version`."""
    answer = AnswerUpdate(
        criterion="attributable", target=target, value=1, sequence=1, guidelines_version=version
    )
    save_judgments(assignment, [answer])
    row = Judgment.objects.get(assignment=assignment, target=target)
    return row.guidelines_version


@pytest.mark.parametrize("name", QUESTIONNAIRES)
def test_a_campaign_starts_with_its_questionnaires_text_as_version_1(name: str) -> None:
    campaign = make_campaign(questionnaire=name)
    version = campaign.guidelines_versions.get()
    assert version.number == campaign.guidelines_version == 1
    assert version.text == written_guidelines(questionnaire_of(campaign)).strip()
    assert versions.newest(campaign) == version


def test_an_edit_is_the_next_version_and_changes_no_earlier_one(campaign: Campaign) -> None:
    first = versions.newest(campaign)
    second = edit(campaign, "Read it twice.\r\n\r\nThen judge.\x00 ", note=" Shorter. ")
    assert (second.number, second.text) == (2, "Read it twice.\n\nThen judge.")
    assert second.note == "Shorter."
    campaign.refresh_from_db()
    assert campaign.guidelines_version == 2
    assert campaign.guidelines_versions.get(number=1).text == first.text


def test_a_rater_sees_every_change_since_their_last_answer(annotator: User) -> None:
    assignment = make_assignment(annotator)
    campaign = assignment.item.campaign
    edit(campaign, "Read it once.")
    judge_under(assignment, 2)
    assert not versions.guidelines_for(annotator, campaign).is_changed
    edit(campaign, "Read it twice.", note="Twice.")
    edit(campaign, "Read it three times.", note="Three times.")
    displayed = versions.guidelines_for(annotator, campaign)
    assert displayed.version.number == 4
    assert [change.note for change in displayed.changes] == ["Twice.", "Three times."]
    removed = "".join(piece.text for piece in displayed.pieces if piece.kind == "removed")
    added = "".join(piece.text for piece in displayed.pieces if piece.kind == "added")
    assert (removed.strip(), added.strip()) == ("once", "three times")
    assert not versions.guidelines_for(make_user(), campaign).is_changed
    judge_under(assignment, 4, target=1)
    assert not versions.guidelines_for(annotator, campaign).is_changed


def test_a_judgment_keeps_the_version_that_its_page_had(annotator: User) -> None:
    assignment = make_assignment(annotator)
    campaign = assignment.item.campaign
    assert judge_under(assignment, 1) == 1
    edit(campaign, "New.")
    edit(campaign, "Newer.")
    assert judge_under(assignment, 2, target=1) == 2  # a page that was open meanwhile
    assert judge_under(assignment, None, target=2) is None  # a page from before versions
    change = {"criterion": "attributable", "target": 0}
    save_judgments(assignment, [AnswerUpdate(**change, value=0, sequence=2, guidelines_version=2)])
    save_judgments(
        assignment, [AnswerUpdate(**change, value=1, sequence=1, guidelines_version=1)]
    )  # too late
    assert Judgment.objects.get(target=0).guidelines_version == 2, "that of the change"


def test_no_judgment_is_of_a_version_that_there_is_not(annotator: User) -> None:
    assert judge_under(make_assignment(annotator), 7) == 1


def test_the_history_counts_what_was_judged_under_each_version(
    campaign: Campaign, annotator: User
) -> None:
    assignment = claim(annotator, campaign=campaign)
    judge_under(assignment, 1)
    edit(campaign, "New.")
    judge_under(assignment, 2, target=1)
    judge_under(assignment, 2, target=2)
    counted = {each["version"].number: each["judgments"] for each in versions.history(campaign)}
    assert counted == {2: 2, 1: 1}


def test_a_campaign_may_begin_with_anothers_newest_text(campaign: Campaign) -> None:
    edit(campaign, "What the pilot taught us.")
    later = make_campaign(name="Production")
    later.guidelines_versions.all().delete()
    first = versions.start_guidelines(later, like=campaign)
    assert (first.number, first.text) == (1, "What the pilot taught us.")
