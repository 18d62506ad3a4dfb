"""Answers that break the form of citing are counted, left out, and told about afterwards."""

from typing import Any

import pytest

from annotation.campaigns.lifecycle import CannotJudge, begin, copy_campaign, make_draft
from annotation.exporting import load_format
from annotation.exporting.export import Export
from annotation.items.format_filter import FormatProblems, find_problems
from annotation.items.selection import NothingToJudge, preview_draft, preview_selection
from annotation.models import Campaign
from pipeline.models import Run
from tests.support.factories import make_user
from tests.support.written_answers import make_answer_run

pytestmark = pytest.mark.django_db

ANSWERS = (
    "It opened in 1904 [1]. It has 812 seats [2].",
    "It opened in 1904.",
    "It opened in 1904 [7].",
    "It opened in 1904 [1]. It is loved.",
)


@pytest.fixture
def run() -> Run:
    return make_answer_run(ANSWERS)


def draft(run: Run, *excluded: str, **values: Any) -> Campaign:
    return make_draft(
        name="Halls",
        created_by=make_user(),
        runs=[run],
        questionnaire="answer_quality",
        sides="before",
        raters_per_item=1,
        excluded_problems=list(excluded),
        **values,
    )


def test_problems_are_counted_by_run(run: Run) -> None:
    other = make_answer_run(ANSWERS[:1], dataset=run.dataset)
    result = find_problems([run, other], ["uncited", "unknown-source"])
    assert result[run.pk] == FormatProblems(
        answers=4,
        problems={"uncited": 1, "unknown-source": 1, "uncited-end": 1},
        excluded=2,
    )
    assert result[other.pk] == FormatProblems(answers=1)


def test_what_has_a_problem_is_excluded_and_the_manifest_reports_it(run: Run) -> None:
    campaign = draft(run, "uncited", "unknown-source")
    assert preview_draft(campaign).items == 2
    begin(campaign)
    texts = campaign.items.order_by("revision").values_list("text", flat=True)
    assert list(texts) == [ANSWERS[0], ANSWERS[3]]
    excluded = {"answers": 2, "problems": {"uncited": 1, "unknown-source": 1}, "of": 4}
    assert campaign.excluded == excluded
    assert campaign.problems_in_words == (
        "it cites nothing; it cites a number that none of its sources has"
    )
    export = Export(campaign=campaign, format=load_format("hagrid"))
    assert len(list(export.chunks())) > 0
    assert export.manifest()["campaign"]["excluded"] == excluded
    assert copy_campaign(campaign, created_by=make_user()).excluded_problems == [
        "uncited",
        "unknown-source",
    ]


def test_a_name_within_a_name_is_another_problem(run: Run) -> None:
    assert preview_selection([run], "before", leave_out=["uncited"]).items == 3
    assert preview_selection([run], "before", leave_out=["uncited-end"]).items == 3


def test_revisions_of_other_systems_stay(run: Run) -> None:
    run.revisions.update(generation={})
    assert preview_selection([run], "before", leave_out=["uncited", "uncited-end"]).items == 4


def test_a_campaign_of_which_nothing_is_left_does_not_begin() -> None:
    campaign = draft(make_answer_run(ANSWERS[1:2]), "uncited")
    with pytest.raises(NothingToJudge, match="All 1 answers have one of the problems") as refusal:
        begin(campaign)
    assert not isinstance(refusal.value, CannotJudge)
