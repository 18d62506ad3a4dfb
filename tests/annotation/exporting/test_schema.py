"""Schemas of JSON lines: every field has its type, whatever is null in the file."""

import csv
import io
import json
import re
from typing import Any

import pytest

from annotation.exporting import FORMATS, Export, load_format
from annotation.models import Campaign
from tests.annotation.exporting.test_exports_of_kinds import judged
from tests.annotation.exporting.test_pseudonyms import EXPORTS, judged_campaign
from tests.rarrweb.test_csv import NEUTRALIZED
from tests.support.exports import judge, make_campaign, make_item
from tests.support.factories import make_passage, make_revision, make_run, make_user

pytestmark = pytest.mark.django_db

PYTHON = {"string": str, "int64": int, "float64": float, "bool": bool}


def written(campaign: Campaign, name: str) -> tuple[str, dict[str, Any]]:
    """The file and its schema."""
    export = Export(campaign=campaign, format=load_format(name))
    return b"".join(export.chunks()).decode(), json.loads(export.schema())


def rows_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def assert_fits(value: Any, feature: Any, where: str) -> None:
    """Of objects within a line each key is there: `datasets` casts no shorter ones."""
    if isinstance(feature, list):
        for each in value:
            assert_fits(each, feature[0], f"{where}[]")
    elif "_type" not in feature:
        assert list(value) == list(feature), where
        for name, each in value.items():
            assert_fits(each, feature[name], f"{where}.{name}")
    else:
        assert value is None or type(value) is PYTHON[feature["dtype"]], (where, value)


def assert_file_fits(campaign: Campaign, name: str) -> int:
    """Every row of the export is as its schema says; how many there are."""
    text, fields = written(campaign, name)
    rows = rows_of(text)
    for row in rows:
        assert set(row) <= set(fields)
        for key, value in row.items():
            assert_fits(value, fields[key], key)
    return len(rows)


@pytest.mark.parametrize("kind", EXPORTS)
def test_a_whole_export_is_as_its_schema_says(kind: str) -> None:
    campaign, _ = judged_campaign(kind)
    for name in EXPORTS[kind]:
        if load_format(name).fields:
            lines = assert_file_fits(campaign, name)
            assert lines or (name == "right_answers" and kind == "manual_revision")


def test_so_is_one_whose_answers_cite_imported_sources() -> None:
    campaign = judged("answer_quality")
    assert campaign.items.get().citations
    assert assert_file_fits(campaign, "hagrid") == 1


@pytest.mark.parametrize("name", ["hagrid", "gold_edits", "right_answers"])
def test_a_sample_of_several_runs_has_no_field_more(name: str) -> None:
    kind = next(iter(load_format(name).kinds), "attribution")
    campaign, _ = judged_campaign(kind)
    campaign.runs.add(make_run())
    Campaign.objects.filter(pk=campaign.pk).update(sampling=Campaign.Sampling.RANDOM)
    assert assert_file_fits(Campaign.objects.get(pk=campaign.pk), name) > 0


def test_a_label_that_is_null_throughout_has_the_type_of_one_that_is_not() -> None:
    judged, unjudged = make_campaign(), make_campaign(slug="unjudged")
    judge(make_item(judged, "One."), make_user(), True)
    make_item(unjudged, "One.")
    of_judged, of_unjudged = written(judged, "hagrid"), written(unjudged, "hagrid")
    assert of_judged[1] == of_unjudged[1]
    (answer,) = of_unjudged[1]["answers"]
    assert answer["attributable"] == {"dtype": "int64", "_type": "Value"}
    assert json.loads(of_unjudged[0])["answers"][0]["attributable"] is None


def test_only_json_lines_have_a_schema() -> None:
    for name in FORMATS:
        kind = next(iter(load_format(name).kinds), "attribution")
        manifest = Export(
            campaign=make_campaign(questionnaire=kind, slug=f"of-{name}"), format=load_format(name)
        ).manifest()
        schemas = [f"{manifest['file']}.features.json"] * manifest["file"].endswith(".jsonl")
        assert [each["name"] for each in manifest["files"]] == [manifest["file"], *schemas]


IDS = ["007", "-0", "+1", "12345678901234567890", "1e5", "2024-05-01", "NA", "null", "nan", "true",
       "=1+1", "'=1", "\u2007x", "a,b", '"q"']  # fmt: skip


@pytest.mark.parametrize(("name", "column"), [("hagrid", "query_id"), ("csv", "passage")])
def test_an_id_that_looks_like_something_else_is_a_text(name: str, column: str) -> None:
    campaign = make_campaign()
    rater = make_user()
    for known in IDS:
        passage = make_passage(campaign.runs.get().dataset, external_id=known, text="x")
        revision = make_revision(campaign.runs.get(), passage=passage)
        judge(make_item(campaign, "One.", revision=revision), rater, True)
    export = Export(campaign=campaign, format=load_format(name))
    text = b"".join(export.chunks()).decode("utf-8-sig")
    if name == "csv":
        rows = csv.DictReader(io.StringIO(text, newline=""))
        found = [re.sub(NEUTRALIZED, r"\1", row[column]) for row in rows]
    else:
        assert json.loads(export.schema())[column]["dtype"] == "string"
        found = [row[column] for row in rows_of(text)]
    assert found == IDS
