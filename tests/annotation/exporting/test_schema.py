"""Schemas of JSON lines: every field has its type, whatever is null in the file."""

import json
import re
from typing import Any

import pytest

from annotation.exporting import FORMATS, Export, load_format
from annotation.models import Campaign
from annotation.questionnaires import QUESTIONNAIRES
from tests.rarrweb.web.test_csv import NEUTRALIZED
from tests.support.exports import judge, lines_of, make_campaign, make_item, rows_of
from tests.support.factories import make_passage, make_revision, make_run, make_user
from tests.support.judged import EXPORTS, judged, judged_campaign

pytestmark = pytest.mark.django_db

PYTHON = {"string": str, "int64": int, "float64": float, "bool": bool}


def schema_of(campaign: Campaign, name: str = "hagrid") -> dict[str, Any]:
    result: dict[str, Any] = json.loads(
        Export(campaign=campaign, format=load_format(name)).schema()
    )
    return result


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
    rows, fields = lines_of(campaign, name), schema_of(campaign, name)
    for row in rows:
        assert set(row) <= set(fields)
        for key, value in row.items():
            assert_fits(value, fields[key], key)
    return len(rows)


@pytest.mark.parametrize("kind", EXPORTS)
def test_a_whole_export_matches_its_schema(kind: str) -> None:
    campaign, _ = judged_campaign(kind)
    if kind == "answer_quality":  # also with citations of imported sources
        assert assert_file_fits(judged(kind), "hagrid") == 1
    for name in EXPORTS[kind]:
        if load_format(name).fields:
            lines = assert_file_fits(campaign, name)
            assert lines or (name == "reference_answers" and kind == "manual_revision")


@pytest.mark.parametrize("name", ["hagrid", "gold_edits", "reference_answers"])
def test_a_sample_of_several_runs_has_no_field_more(name: str) -> None:
    kind = next(iter(load_format(name).kinds), "attribution")
    campaign, _ = judged_campaign(kind)
    campaign.runs.add(make_run())
    Campaign.objects.filter(pk=campaign.pk).update(sample_size=2)
    assert assert_file_fits(Campaign.objects.get(pk=campaign.pk), name) > 0


def test_only_json_lines_have_a_schema() -> None:
    for name in FORMATS:
        assert load_format(name).name == name
        assert set(load_format(name).kinds) <= set(QUESTIONNAIRES)
        kind = next(iter(load_format(name).kinds), "attribution")
        manifest = Export(
            campaign=make_campaign(questionnaire=kind, slug=f"of-{name}"), format=load_format(name)
        ).manifest()
        schemas = [f"{manifest['file']}.features.json"] * manifest["file"].endswith(".jsonl")
        assert [each["name"] for each in manifest["files"]] == [manifest["file"], *schemas]


IDS = ["007", "-0", "+1", "12345678901234567890", "1e5", "2024-05-01"]
IDS += ["NA", "null", "nan", "true", "=1+1", "'=1", "\u2007x", "a,b", '"q"']


@pytest.mark.parametrize(("name", "column"), [("hagrid", "query_id"), ("csv", "passage")])
def test_an_id_that_looks_like_something_else_is_a_text(name: str, column: str) -> None:
    campaign = make_campaign()
    rater = make_user()
    for known in IDS:
        passage = make_passage(campaign.runs.get().dataset, external_id=known, text="x")
        revision = make_revision(campaign.runs.get(), passage=passage)
        judge(make_item(campaign, "One.", revision=revision), rater, True)
    if name == "csv":
        result = [re.sub(NEUTRALIZED, r"\1", row[column]) for row in rows_of(campaign)]
    else:
        assert schema_of(campaign)[column]["dtype"] == "string"
        result = [row[column] for row in lines_of(campaign)]
    assert result == IDS
