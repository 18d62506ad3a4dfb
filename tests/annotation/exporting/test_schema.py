"""Schemas of exports: every field of every file has its type, whatever is null in the file."""

import csv
import io
import json
import re
from types import SimpleNamespace
from typing import Any

import pytest

from annotation.exporting import FORMATS, Export, load_format, schema
from annotation.exporting.schema import features
from annotation.models import Campaign
from tests.annotation.exporting.test_exports_of_kinds import judged
from tests.annotation.exporting.test_pseudonyms import EXPORTS, judged_campaign
from tests.support.exports import judge, make_campaign, make_item
from tests.support.factories import make_passage, make_revision, make_run, make_user

pytestmark = pytest.mark.django_db

PYTHON = {"string": str, "int64": int, "float64": float, "bool": bool}
POLARS = SimpleNamespace(
    String="string", Int64="int64", Float64="float64", Boolean="bool",
    List=lambda each: [each], Struct=dict,
)  # fmt: skip
"""Stands in for `polars` where only its names of types are needed."""


def written(campaign: Campaign, name: str) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The file, its schema and its manifest."""
    export = Export(campaign=campaign, format=load_format(name))
    # Parquet is no text: tests of its own read it.
    text = b"".join(export.chunks()).decode("utf-8-sig", errors="replace")
    return text, json.loads(export.schema()), export.manifest()


def rows_of(text: str, suffix: str) -> list[dict[str, Any]]:
    if suffix == ".csv":
        return list(csv.DictReader(io.StringIO(text, newline="")))
    if suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    runs = [run for dataset in json.loads(text).values() for run in dataset.values()]
    return [answer for run in runs for answer in run.values()]


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


def assert_cell_fits(cell: str, feature: dict[str, str]) -> None:
    if feature["dtype"] == "int64":
        assert re.fullmatch(r"-?\d+", cell)
    elif feature["dtype"] == "float64":
        assert re.fullmatch(r"(-?\d+(\.\d+)?)?", cell)


def assert_file_fits(campaign: Campaign, name: str) -> int:
    """Every row of the export is as its schema says; how many there are."""
    text, fields, _ = written(campaign, name)
    suffix = load_format(name).suffix
    rows = rows_of(text, suffix)
    for row in rows:
        if suffix == ".csv":
            assert list(row) == list(fields)
            for column, cell in row.items():
                assert_cell_fits(cell, fields[column])
        else:
            assert set(row) <= set(fields)
            for key, value in row.items():
                assert_fits(value, fields[key], key)
    return len(rows)


@pytest.mark.parametrize("kind", EXPORTS)
def test_a_whole_export_is_as_its_schema_says(kind: str) -> None:
    campaign, _ = judged_campaign(kind)
    for name in EXPORTS[kind]:
        if name != "parquet":
            lines = assert_file_fits(campaign, name)
            assert lines or (name in {"checks", "right_answers"} and kind == "manual_revision")


@pytest.mark.parametrize(("kind", "name"), [("citation", "alce"), ("answer_quality", "hagrid")])
def test_so_is_one_whose_answers_cite_imported_sources(kind: str, name: str) -> None:
    campaign = judged(kind)
    assert campaign.items.get().citations
    assert assert_file_fits(campaign, name) == 1


@pytest.mark.parametrize("name", ["hagrid", "csv", "gold_edits", "right_answers", "checks"])
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


@pytest.mark.parametrize("name", FORMATS)
def test_the_manifest_tells_three_libraries_the_same_types(name: str) -> None:
    """Without the libraries: the lines are sound Python, and the types in them the schema's."""
    kind = next(iter(load_format(name).kinds), "attribution")
    _, fields, manifest = written(make_campaign(questionnaire=kind), name)
    loading = manifest["loading"]
    assert set(loading) == {"datasets", "polars", "pandas"}
    for lines in loading.values():
        compile("\n".join(lines), name, "exec")
        assert lines[0] == f"files = [{manifest['file']!r}]"
    if name == "parquet":  # which has its types in it
        return
    assert f"{manifest['file']}.features.json" in "\n".join(loading["datasets"])
    (line,) = [each for each in loading["polars"] if each.startswith("schema = ")]
    told = eval(line.removeprefix("schema = "), {"pl": POLARS})  # noqa: S307 - our own line
    assert list(told) == list(fields)
    for field, description in load_format(name).fields.items():
        # A whole number with empty cells is a float for `datasets` alone.
        assert told[field] == (
            "int64" if description == schema.WHOLE_OR_EMPTY else plain(features(description))
        )
    assert all(repr(field) in "\n".join(loading["pandas"]) for field in fields)


def plain(feature: Any) -> Any:
    if isinstance(feature, list):
        return [plain(feature[0])]
    if "_type" in feature:
        return feature["dtype"]
    return {name: plain(each) for name, each in feature.items()}


IDS = ["007", "-0", "+1", "12345678901234567890", "1e5", "2024-05-01", "NA", "null", "nan", "true",
       "=1+1", "'=1", "\u2007x", "a,b", '"q"']  # fmt: skip


@pytest.mark.parametrize("name", ["hagrid", "csv"])
def test_an_id_that_looks_like_something_else_is_a_text(name: str) -> None:
    campaign = make_campaign()
    rater = make_user()
    for known in IDS:
        passage = make_passage(campaign.runs.get().dataset, external_id=known, text="x")
        revision = make_revision(campaign.runs.get(), passage=passage)
        judge(make_item(campaign, "One.", revision=revision), rater, True)
    text, fields, _ = written(campaign, name)
    column = {"hagrid": "query_id", "csv": "passage"}[name]
    assert fields[column]["dtype"] == "string"
    found = [row[column] for row in rows_of(text, load_format(name).suffix)]
    if name == "csv":  # as the manifest's lines read it
        mark = next(
            line for line in written(campaign, name)[2]["loading"]["pandas"] if "mark =" in line
        )
        pattern = re.compile(eval(mark.partition(" = ")[2]))  # noqa: S307 - our own line
        found = [pattern.sub(r"\1", each) for each in found]
    assert found == IDS
