"""Files of right answers: all lines checked first, errors name line and field, all or nothing."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.items.run_groups import with_runs
from annotation.models import Campaign, Item
from annotation.quality.reference_answers import answers_of, in_use
from annotation.quality.reference_answers_jsonl import check_file
from tests.annotation.quality.test_gold_items import text_of
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import judge_next, put_in_use

pytestmark = pytest.mark.django_db

GOOD = {"item": 1, "answers": [{"target": 0, "value": 1, "why": "It stands there."}]}


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign(passages=3)


def written(folder: Path, *rows: object) -> Path:
    path = folder / "right.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def load(path: Path, campaign: Campaign, **options: Any) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(
        "load_right_answers", str(path), campaign=campaign.slug, stdout=out, stderr=err, **options
    )
    return out.getvalue(), err.getvalue()


def test_a_file_brings_items_into_use_by_number_and_by_passage(
    tmp_path: Path, campaign: Campaign
) -> None:
    passage = campaign.items.get(position=2).revision.passage.external_id
    by_passage = {
        "passage": passage,
        "side": "after",
        "use": "training",
        "answers": [{"criterion": "attributable", "target": 2, "value": 0}],
    }
    out, _ = load(written(tmp_path, GOOD, by_passage), campaign)
    assert out == "2 items came into use.\n"
    uses = dict(in_use(campaign).values_list("position", "use"))
    assert uses == {1: "gold", 2: "training"}
    right = answers_of(campaign.items.get(position=1))["attributable", 0]
    assert (right.value, right.why) == (1, "It stands there.")


def test_the_same_file_twice_changes_nothing(tmp_path: Path, campaign: Campaign) -> None:
    path = written(tmp_path, GOOD)
    load(path, campaign)
    before = list(Item.objects.get(position=1).right_answers.values())
    load(path, campaign)
    assert list(Item.objects.get(position=1).right_answers.values()) == before


def test_a_dry_run_takes_nothing(tmp_path: Path, campaign: Campaign) -> None:
    out, _ = load(written(tmp_path, GOOD), campaign, dry_run=True)
    assert out == "1 item would come into use.\n"
    assert not in_use(campaign).exists()


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({**GOOD, "item": 99}, "field item: the campaign has no item of that number (found 99)"),
        ({**GOOD, "item": True}, "field item: the item's number is true or false"),
        ({"answers": GOOD["answers"]}, "field item: no item is named"),
        ({"passage": "nope", "answers": GOOD["answers"]}, "no item of that passage (found nope)"),
        ({**GOOD, "use": "silver"}, "field use: an item has no such use (found silver)"),
        ({**GOOD, "colour": 1}, "field colour: there is no such field"),
        ({"item": 1}, "field answers: there is no right answer"),
        ({"item": 1, "answers": "yes"}, "field answers: it is a text"),
        ({"item": 1, "answers": [1]}, "field answers[0]: it is a number"),
        (
            {"item": 1, "answers": [{"target": 3, "value": 1}]},
            "field answers[0].target: there is no sentence 3",
        ),
        (
            {"item": 1, "answers": [{"target": 0, "value": 7}]},
            "field answers[0].value: 7 is no level",
        ),
        (
            {"item": 1, "answers": [{"target": 0}]},
            "field answers[0].value: there is no value; write one of 0 (not attributable), 1",
        ),
        (
            {"item": 1, "answers": [{"value": 1, "criterion": "useful"}]},
            "field answers[0].criterion: it has no right answer (found useful)",
        ),
        (
            {"item": 1, "answers": [{"value": 1}, {"value": 0}]},
            "field answers[1]: this target has an answer above",
        ),
        (
            {"item": 1, "answers": [{"value": 1, "why": 5}]},
            "field answers[0].why: the explanation is no text",
        ),
        (
            {"item": 1, "answers": [{"value": 1, "because": ""}]},
            "field answers[0].because: there is no such field",
        ),
        ("{", "the line is not JSON"),
    ],
)
def test_a_wrong_line_is_said_with_its_field_and_nothing_is_taken(
    tmp_path: Path, campaign: Campaign, row: object, says: str
) -> None:
    path = written(tmp_path, {**GOOD, "item": 3}, row)
    err = StringIO()
    with pytest.raises(CommandError) as stopped:
        call_command("load_right_answers", str(path), campaign=campaign.slug, stderr=err)
    assert stopped.value.returncode == 1
    assert "right.jsonl, line 2" in err.getvalue()
    assert says in err.getvalue()
    assert not in_use(campaign).exists()


def test_an_item_twice_and_a_passage_with_two_sides(tmp_path: Path) -> None:
    campaign = make_campaign(passages=1, sides="both")
    passage = campaign.items.first().revision.passage.external_id
    path = written(tmp_path, GOOD, GOOD, {"passage": passage, "answers": GOOD["answers"]})
    rows, errors = check_file(path, campaign=campaign, use="gold")
    assert len(rows) == 1
    assert ["line 1 has this item too" in str(errors[0]), "say which" in str(errors[1])] == [
        True,
        True,
    ]


def test_what_cannot_run_at_all_ends_with_2(tmp_path: Path, campaign: Campaign) -> None:
    for path, slug in ((tmp_path / "none.jsonl", campaign.slug), (written(tmp_path, GOOD), "no")):
        with pytest.raises(CommandError) as stopped:
            call_command("load_right_answers", str(path), campaign=slug)
        assert stopped.value.returncode == 2


@pytest.mark.parametrize("name", ["checks", "right_answers"])
def test_the_exports_ask_as_little_for_many_items_as_for_few(name: str) -> None:
    rater = make_user()
    asked = []
    for items in (3, 9):
        campaign = make_campaign(passages=items + 2, raters=(rater,))
        for position in range(1, items + 1):
            put_in_use(campaign, position, "training")
        for _ in range(items):
            judge_next(rater, campaign)
        # As the page and the command find it.
        campaign = with_runs(Campaign.objects.all()).get(pk=campaign.pk)
        with CaptureQueriesContext(connection) as queries:
            text = text_of(campaign, name)
        asked.append(len(queries))
        assert len(text.splitlines()) == {"checks": 1 + 3 * items, "right_answers": items}[name]
    assert asked[0] == asked[1] <= 2


def test_the_download_is_a_file_that_another_campaign_of_the_run_takes(
    tmp_path: Path, campaign: Campaign
) -> None:
    put_in_use(campaign, 1, "gold")
    put_in_use(campaign, 2, "training")
    other = make_campaign(run=campaign.runs.get(), name="Production")
    path = written(tmp_path, *text_of(campaign, "right_answers").splitlines())
    load(path, other)
    found = {item.revision_id: (item.use, answers_of(item)) for item in in_use(other)}
    assert found == {item.revision_id: (item.use, answers_of(item)) for item in in_use(campaign)}
    assert len(found) == 2
