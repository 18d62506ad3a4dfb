"""Exports take a settled answer in place of the majority, and say so."""

import csv
import io
import json
from typing import Any

import pytest

from annotation.exporting import Export, load_format
from annotation.models import Adjudication, Item
from tests.support.exports import NOW, judge, make_campaign, make_item
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


def settled(item: Item, target: int, value: int, reason: str = "Evidence 1 says so.") -> None:
    Adjudication.objects.create(
        item=item, criterion="attributable", target=target, value=value, reason=reason,
        adjudicator=make_user(f"adi-{target}"), updated_at=NOW,
    )  # fmt: skip


def exported(item: Item, name: str) -> tuple[str, dict[str, Any]]:
    export = Export(campaign=item.campaign, format=load_format(name))
    text = b"".join(export.chunks()).decode("utf-8-sig")
    return text, export.manifest()


@pytest.fixture
def item() -> Item:
    """Three sentences: a tie, a yes of both, a no of both."""
    item = make_item(make_campaign(), "One.", "Two.", "Three.")
    judge(item, make_user("first"), 1, 1, 0, slot=1)
    judge(item, make_user("second"), 0, 1, 0, slot=2)
    return item


def test_a_tie_is_null_until_it_is_settled(item: Item) -> None:
    [answer] = json.loads(exported(item, "hagrid")[0])["answers"]
    assert [each["attributable"] for each in answer["sentences"]] == [None, 1, 0]
    settled(item, 0, 1)
    text, manifest = exported(item, "hagrid")
    [answer] = json.loads(text)["answers"]
    assert [each["attributable"] for each in answer["sentences"]] == [1, 1, 0]
    assert manifest["label_rules"] == 5
    assert manifest["counts"]["sentences_adjudicated"] == 1
    assert manifest["counts"]["sentences_tied"] == 1


def test_a_settled_answer_goes_before_the_majority(item: Item) -> None:
    settled(item, 2, 1)
    settled(item, 0, 1)
    [answer] = json.loads(exported(item, "hagrid")[0])["answers"]
    assert answer["attributable"] == 1


def test_the_csv_has_settled_answers_in_rows_of_their_own(item: Item) -> None:
    settled(item, 0, 1, reason="=cmd() says so")
    text, manifest = exported(item, "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert manifest["counts"]["lines"] == len(rows) == 7
    assert [row["value"] for row in rows if row["target_index"] == "0"] == ["1", "0", "1"]
    last = rows[-1]
    assert (last["rater"], last["criterion"], last["slot"]) == ("adjudication", "attributable", "")
    assert (last["target_text"], last["comment"]) == ("One.", "'=cmd() says so")
    assert "adi" not in text.replace("adjudication", "")
