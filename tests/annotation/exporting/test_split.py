"""Train and dev: by a hash of the question, the same in every file and for ever."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from pipeline.data.splits import DEV, TRAIN, BadSplit, Part, parse_split
from tests.support.exports import bytes_of, lines_of, make_many
from tests.support.imported_campaigns import campaign_of, dataset_of

PUBLISHED = [0, 4, 5, 7, 10, 19, 23, 25, 31]
shares = st.floats(0.01, 0.99)


@given(keys=st.lists(st.text(), unique=True, max_size=30), dev=shares, salt=st.text(max_size=5))
def test_each_question_is_in_one_part(keys: list[str], dev: float, salt: str) -> None:
    train, other = Part.both(dev=dev, salt=salt)
    assert (train.name, other.name) == (TRAIN, DEV)
    assert all(train.holds(key) != other.holds(key) for key in keys)


@given(key=st.text(), shares=st.tuples(shares, shares))
def test_a_larger_dev_part_holds_all_of_a_smaller_one(
    key: str, shares: tuple[float, float]
) -> None:
    small, large = (Part(name=DEV, dev=share) for share in sorted(shares))
    assert large.holds(key) or not small.holds(key)


def test_the_rule_stays_as_published() -> None:
    """These places are in files that people have: a change of the rule would mix their parts."""
    dev = Part(name=DEV, dev=0.2)
    assert [n for n in range(40) if dev.holds(str(n))] == PUBLISHED
    assert [n for n in range(40) if Part(name=DEV, dev=0.2, salt="b").holds(str(n))] != PUBLISHED
    count = sum(dev.holds(str(n)) for n in range(10_000))
    assert 1_880 < count < 2_120  # three standard deviations


@pytest.mark.parametrize("text", ["0.1", "dev", "dev=", "dev=0", "dev=1", "test=0.1", "dev=nan"])
def test_what_is_no_split_is_refused(text: str) -> None:
    with pytest.raises(BadSplit, match=r"write dev=0\.1 for a tenth"):
        parse_split(text)


def keys_of(data: bytes, name: str) -> list[str]:
    if name == "parquet":
        return pyarrow.parquet.read_table(io.BytesIO(data))["passage"].to_pylist()
    text = data.decode("utf-8-sig")
    if name == "csv":
        return [row["passage"] for row in csv.DictReader(io.StringIO(text, newline=""))]
    return [json.loads(line)["query_id"] for line in text.splitlines()]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["hagrid", "csv", "parquet"])
def test_the_parts_are_the_whole_and_the_same_in_every_format(name: str) -> None:
    campaign = make_many(60)
    result = {part.name: bytes_of(campaign, name, part=part) for part in Part.both(dev=0.3)}
    whole = bytes_of(campaign, name)
    expected = Part(name=DEV, dev=0.3)
    keys = keys_of(whole, name)
    assert keys_of(result[DEV], name) == [key for key in keys if expected.holds(key)]
    assert keys_of(result[TRAIN], name) == [key for key in keys if not expected.holds(key)]
    assert keys_of(result[DEV], name)


@pytest.mark.django_db
def test_answers_of_one_question_stay_together(tmp_path: Path) -> None:
    def line(number: int) -> dict[str, Any]:
        answer = {"answer": "A.", "answer_type": "short", "informative": None, "attributable": 1}
        answer["sentences"] = [{"index": 0, "text": "A.", "informative": None, "attributable": 1}]
        quotes = [{"idx": 1, "docid": "d", "text": "A."}]
        return {"query": "Q", "query_id": str(number), "quotes": quotes, "answers": [answer] * 3}

    campaign = campaign_of(dataset_of(tmp_path, *map(line, range(12))), "attribution")
    for part in Part.both(dev=0.5):
        lines = lines_of(campaign, part=part)
        assert lines
        assert all(len(each["answers"]) == 3 and part.holds(each["query_id"]) for each in lines)


@pytest.mark.django_db
def test_the_command_writes_both_under_one_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = make_many(30)
    out = tmp_path / "labels.jsonl"
    options = {"campaign": campaign.slug, "format": "hagrid", "out": out, "split": "dev=0.3"}
    call_command("export", **options, salt="a")
    names = ["labels.train.jsonl", "labels.dev.jsonl", "labels.jsonl.features.json"]
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {*names, "labels.jsonl.manifest.json"}
    manifest = json.loads((tmp_path / "labels.jsonl.manifest.json").read_text())
    assert (manifest["split"]["dev"], manifest["split"]["salt"]) == (0.3, "a")
    assert [each["name"] for each in manifest["files"]] == names
    assert sum(part["counts"]["items"] for part in manifest["parts"].values()) == 30
    for each in manifest["files"]:
        assert (tmp_path / each["name"]).stat().st_size == each["bytes"]
    assert "labels.dev.jsonl" in capsys.readouterr().out
    with pytest.raises(CommandError, match="exists already"):
        call_command("export", **options)
    for wrong, refusal in (
        ({"split": "0.3"}, "is no split"),
        ({"format": "skips", "force": True}, "skips is written whole"),
    ):
        with pytest.raises(CommandError, match=refusal):
            call_command("export", **{**options, **wrong})
