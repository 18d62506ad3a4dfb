"""How several raters' answers become one label: settled, majority, adjudicated, all."""

import json
from typing import Any

import pytest

from annotation.exporting import Export, UnsuitableFormat, load_format
from annotation.exporting.source import pseudonym
from annotation.models import Campaign
from annotation.results.labels import RESOLUTIONS
from rarrweb.accounts.models import User
from tests.annotation.exporting.test_adjudicated_exports import settled
from tests.annotation.exporting.test_exports_of_kinds import judged
from tests.support.exports import judge, make_campaign, make_item
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def raters() -> list[User]:
    return [make_user(), make_user(), make_user()]


@pytest.fixture
def campaign(raters: list[User]) -> Campaign:
    """Sentences: all say yes; most say yes; a tie; most say yes, settled as no; nobody."""
    made = make_campaign(raters_per_item=3)
    item = make_item(made, "All.", "Most.", "Tie.", "Settled.", "Nobody.")
    judge(item, raters[0], True, True, True, True, slot=1)
    judge(item, raters[1], True, True, False, True, slot=2)
    judge(item, raters[2], True, False, None, False, slot=3)
    judge(item, make_user(), False, False, False, False, slot=None)  # late: no say
    settled(item, 3, 0)
    return made


def exported(campaign: Campaign, labels: str) -> tuple[dict[str, Any], dict[str, Any]]:
    export = Export(campaign=campaign, format=load_format("hagrid"), labels=labels)
    (line,) = b"".join(export.chunks()).decode().splitlines()
    return json.loads(line), export.manifest()


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("settled", [1, 1, None, 0, None]),
        ("majority", [1, 1, None, 1, None]),
        ("adjudicated", [1, None, None, 0, None]),
        ("all", [1, 1, None, 0, None]),
    ],
)
def test_each_rule_makes_its_labels_and_is_named(
    campaign: Campaign, labels: str, expected: list[int | None]
) -> None:
    line, manifest = exported(campaign, labels)
    (answer,) = line["answers"]
    assert [each["attributable"] for each in answer["sentences"]] == expected
    assert manifest["labels"] == {"resolution": labels, "meaning": RESOLUTIONS[labels]}
    levels = manifest["counts"]["labels"]["attributable"]["levels"]
    names = ["null" if each is None else str(each) for each in expected]
    assert levels == {name: names.count(name) for name in names}


def test_ties_are_counted_and_named(campaign: Campaign) -> None:
    _, manifest = exported(campaign, "majority")
    item = campaign.items.get()
    assert manifest["ties"] == [
        {
            "passage": item.passage.external_id, "side": "after", "item": item.position,
            "criterion": "attributable", "target": 2,
        }
    ]  # fmt: skip
    counted = manifest["counts"]["labels"]["attributable"]
    assert (counted["tied"], counted["unsettled"], counted["adjudicated"]) == (1, 2, 1)


def test_all_adds_what_every_rater_said_under_the_names_of_the_csv(
    campaign: Campaign, raters: list[User]
) -> None:
    line, _ = exported(campaign, "all")
    assert line["raters"] == [[pseudonym(campaign, rater.pk) for rater in raters]]
    (of_answer,) = line["rater_levels"]
    assert of_answer[1] == {"criterion": "attributable", "target": 1, "levels": [1, 1, 0]}
    assert of_answer[2] == {"criterion": "attributable", "target": 2, "levels": [1, 0, None]}
    assert "raters" not in exported(campaign, "settled")[0]


def test_alce_has_every_raters_levels_too() -> None:
    campaign = judged("citation")
    export = Export(campaign=campaign, format=load_format("alce"), labels="all")
    runs = next(iter(json.loads(b"".join(export.chunks())).values()))
    (answer,) = next(iter(runs.values())).values()
    assert {each["criterion"] for each in answer["rater_levels"]} >= {"citation_recall"}
    assert all(len(each["levels"]) == len(answer["raters"]) for each in answer["rater_levels"])


def test_a_file_of_every_answer_takes_no_rule(campaign: Campaign) -> None:
    with pytest.raises(UnsuitableFormat, match="csv does not make one label"):
        Export(campaign=campaign, format=load_format("csv"), labels="majority")
