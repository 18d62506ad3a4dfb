"""How several raters' answers become one label: settled, majority, adjudicated, all."""

import json

import pytest

from annotation.exporting import Export, UnsuitableFormat, load_format
from annotation.exporting.context import pseudonym
from annotation.models import Campaign
from annotation.results.labels import RESOLUTIONS
from rarrweb.accounts.models import User
from tests.support.exports import (
    adjudicate,
    judge,
    lines_of,
    make_campaign,
    make_item,
    manifest_of,
    rows_of,
    text_of,
)
from tests.support.factories import make_user
from tests.support.judged import judged

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
    adjudicate(item, 3, 0)
    return made


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
    (line,) = lines_of(campaign, labels=labels)
    manifest = manifest_of(campaign, "hagrid", labels=labels)
    (answer,) = line["answers"]
    assert [each["attributable"] for each in answer["sentences"]] == expected
    assert manifest["labels"] == {"resolution": labels, "meaning": RESOLUTIONS[labels]}
    levels = manifest["counts"]["labels"]["attributable"]["levels"]
    names = ["null" if each is None else str(each) for each in expected]
    assert levels == {name: names.count(name) for name in names}


def test_ties_are_counted_and_named(campaign: Campaign) -> None:
    manifest = manifest_of(campaign, "hagrid", labels="majority")
    item = campaign.items.get()
    about = {"passage": item.passage.external_id, "side": "after", "item": item.position}
    assert manifest["ties"] == [about | {"criterion": "attributable", "target": 2}]
    counted = manifest["counts"]["labels"]["attributable"]
    assert (counted["tied"], counted["unsettled"], counted["adjudicated"]) == (1, 2, 1)
    with pytest.raises(UnsuitableFormat, match="csv does not make one label"):
        Export(campaign=campaign, format=load_format("csv"), labels="majority")


def test_all_adds_every_raters_answers_under_the_names_of_the_csv(
    campaign: Campaign, raters: list[User]
) -> None:
    (line,) = lines_of(campaign, labels="all")
    assert line["raters"] == [[pseudonym(campaign, rater.pk) for rater in raters]]
    (of_answer,) = line["rater_levels"]
    assert of_answer[1] == {"criterion": "attributable", "target": 1, "levels": [1, 1, 0]}
    assert of_answer[2] == {"criterion": "attributable", "target": 2, "levels": [1, 0, None]}
    assert "raters" not in lines_of(campaign)[0]


def test_alce_has_every_raters_levels_too() -> None:
    campaign = judged("citation")
    runs = next(iter(json.loads(text_of(campaign, "alce", labels="all")).values()))
    (answer,) = next(iter(runs.values())).values()
    assert {each["criterion"] for each in answer["rater_levels"]} >= {"citation_recall"}
    assert all(len(each["levels"]) == len(answer["raters"]) for each in answer["rater_levels"])


def test_a_settled_tie_is_a_label_and_a_row_of_its_own(campaign: Campaign) -> None:
    item = campaign.items.get()
    adjudicate(item, 2, 1)
    item.adjudications.filter(target=2).update(
        reason="=cmd() says so", adjudicator=make_user("adi")
    )
    (answer,) = lines_of(campaign)[0]["answers"]
    assert [each["attributable"] for each in answer["sentences"]] == [1, 1, 1, 0, None]
    counts = manifest_of(campaign)["counts"]
    assert (counts["sentences_adjudicated"], counts["sentences_tied"]) == (2, 1)
    rows = rows_of(campaign)
    assert counts["lines"] == len(rows)
    assert [row["value"] for row in rows if row["target_index"] == "2"] == ["1", "0", "0", "1"]
    row = next(row for row in rows if row["comment"])
    assert (row["rater"], row["criterion"], row["slot"]) == ("adjudication", "attributable", "")
    assert (row["target_text"], row["comment"]) == ("Tie.", "'=cmd() says so")
    assert "adi" not in text_of(campaign, "csv").replace("adjudication", "")
