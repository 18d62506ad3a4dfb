"""What a manifest counts: every question that a campaign asks, and how far it is answered."""

from typing import Any

import pytest

from annotation.exporting import load_format
from annotation.models import Judgment
from annotation.questionnaires import questionnaire_of
from tests.support.exports import adjudicate, judge, make_campaign, make_item, manifest_of
from tests.support.factories import make_user
from tests.support.judged import EXPORTS, judged, judged_campaign

pytestmark = pytest.mark.django_db


def states(counts: dict[str, Any], criterion: str) -> tuple[int, ...]:
    label = counts["labels"][criterion]
    return tuple(
        label[each] for each in ("expected", "unjudged", "tied", "adjudicated", "judgments")
    )


@pytest.mark.parametrize("name", ["csv", "alce"])
def test_a_judged_campaign_of_citations_is_not_called_unjudged(name: str) -> None:
    counts = manifest_of(judged("citation"), name)["counts"]
    assert states(counts, "utility") == (1, 0, 0, 0, 1)
    assert states(counts, "citation_recall") == (2, 0, 0, 0, 2)
    assert states(counts, "citation_precision") == (3, 0, 0, 0, 3)
    assert counts["sentences"] == 4
    assert counts["sentences_unjudged"] is None  # nobody was asked about attribution


def test_both_labels_of_answer_quality_are_counted() -> None:
    campaign = judged("answer_quality")
    Judgment.objects.filter(criterion="informative", target=2).update(value=None)
    counts = manifest_of(campaign, "hagrid")["counts"]
    assert states(counts, "informative") == (3, 1, 0, 0, 2)
    # The third part cites nothing, so nobody was asked whether it is attributable.
    assert states(counts, "attributable") == (2, 0, 0, 0, 2)
    assert counts["sentences_unjudged"] == 0


def test_levels_tie_and_are_settled_one_criterion_at_a_time() -> None:
    campaign = make_campaign(questionnaire="citation")
    make_item(campaign, "It cites nothing.")
    assert states(manifest_of(campaign)["counts"], "citation_recall") == (0, 0, 0, 0, 0)
    campaign = judged("citation")
    item = campaign.items.get()
    for slot, (value, also) in enumerate([(2, 0), (4, 1)], start=2):
        judge(item, make_user(), slot=slot, utility=[value], citation_precision=[also])
    adjudicate(item, 0, 4, "utility")
    counts = manifest_of(campaign)["counts"]
    # 5, 2 and 4 are no majority; 2, 0 and 1 of the first citation are none either.
    assert states(counts, "utility") == (1, 0, 1, 1, 3)
    assert states(counts, "citation_precision") == (3, 0, 1, 0, 5)


@pytest.mark.parametrize("kind", EXPORTS)
def test_the_questions_add_up_to_the_whole(kind: str) -> None:
    campaign, _ = judged_campaign(kind)
    requests = questionnaire_of(campaign).criteria
    for name in EXPORTS[kind]:
        counts = manifest_of(campaign, name)["counts"]
        assert load_format(name).count(campaign) == counts["lines"], name
        labels = counts["labels"]
        assert sum(each["judgments"] for each in labels.values()) == counts["judgments"], name
        if counts["items"] and name != "reference_answers":
            assert list(labels) == [each.name for each in requests], name
            for each in labels.values():
                assert each["unjudged"] + each["tied"] <= each["expected"], name
            # Two of three items are judged by three people.
            required = [labels[each.name] for each in requests if each.is_required]
            assert all(each["judgments"] for each in required if each["expected"]), name
