"""A dataset package: what it holds, what its card says, and that `datasets` reads it."""

import hashlib
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from annotation.exporting import load_format
from annotation.exporting.package import Contents, package_chunks
from annotation.guidelines.versions import newest, save_version
from annotation.models import Campaign
from pipeline.data.splits import Part
from pipeline.importing.passages import PassageRow, read_passages
from pipeline.runs.line_files import run_file
from rarrweb.accounts.models import User
from tests.support.exports import judge, make_campaign, make_item, make_many
from tests.support.factories import make_passage, make_revision, make_run, make_user
from tests.support.judged import judged
from tests.support.revision_rows import make_viaduct

pytestmark = pytest.mark.django_db
READ_BY_DATASETS = ("hagrid", "csv", "parquet")


def packed(campaign: Campaign, path: Path, *formats: str, **chosen: Any) -> zipfile.ZipFile:
    contents = Contents(formats=tuple(map(load_format, formats)), **chosen)
    path.write_bytes(b"".join(package_chunks(campaign, contents)))
    return zipfile.ZipFile(path)


def card_of(archive: zipfile.ZipFile) -> tuple[dict[str, Any], str]:
    """The head, and the rest."""
    _, head, text = archive.read("README.md").decode().split("---\n", 2)
    return yaml.safe_load(head), text


@pytest.fixture
def campaign() -> Campaign:
    """Two raters who differ over one sentence of three."""
    made = make_campaign(raters_per_item=2, name="Rivers: “north”")
    one, two = make_user(), make_user()
    for sentences, first, second in (
        (("One.", "Two."), (True, True), (True, False)),
        (("Three.",), (False,), (False,)),
    ):
        item = make_item(made, *sentences)
        judge(item, one, *first, slot=1)
        judge(item, two, *second, slot=2)
    return made


def test_it_holds_data_card_guidelines_manifest_and_checksums(
    campaign: Campaign, tmp_path: Path, researcher: User
) -> None:
    first = newest(campaign)
    save_version(campaign, text="Be strict.", note="Stricter", by=researcher, based_on=1)
    archive = packed(campaign, tmp_path / "p.zip", "hagrid", "csv")
    data = ("hagrid.jsonl", "hagrid.features.json", "csv.csv")
    assert archive.namelist() == [
        *(f"data/rivers-{name}" for name in data),
        *("guidelines/version-1.md", "guidelines/version-2.md"),
        *("manifest.json", "README.md", "SHA256SUMS"),
    ]
    assert archive.read("guidelines/version-1.md").decode() == first.text + "\n"
    sums = dict(
        line.split("  ", 1)[::-1] for line in archive.read("SHA256SUMS").decode().splitlines()
    )
    assert sums == {
        name: hashlib.sha256(archive.read(name)).hexdigest()
        for name in archive.namelist()
        if name != "SHA256SUMS"
    }
    manifest = json.loads(archive.read("manifest.json"))
    assert set(manifest["formats"]) == {"hagrid", "csv"}
    assert manifest["runs"][0]["config"] == {"system": "rarr", "rarr": {"report_size": 5}}
    for of_format in manifest["formats"].values():
        for each in of_format["files"]:
            assert sums[f"data/{each['name']}"] == each["sha256"]


def test_the_card_reports_what_the_campaign_reports(campaign: Campaign, tmp_path: Path) -> None:
    archive = packed(campaign, tmp_path / "p.zip", "hagrid", licence="cc-by-4.0", language="en, de")
    head, text = card_of(archive)
    assert head["pretty_name"] == "Rivers: “north”"
    assert (head["license"], head["language"]) == ("cc-by-4.0", ["en", "de"])
    assert head["size_categories"] == ["n<1K"]
    assert head["configs"] == [
        {
            "config_name": "hagrid",
            "data_files": [{"split": "train", "path": "data/rivers-hagrid.jsonl"}],
        }
    ]
    # Two answers: of one a sentence is tied; the other is not attributable. As HAGRID's Table 3.
    assert "| all | attributable, by answer | | | | | 0: 1, null: 1 |" in text
    # asked, not judged, tied, open
    assert "| all | attributable | 3 | 0 | 1 | 1 | 0: 1, 1: 1, null: 1 |" in text
    assert "| all | 2 | 2 | 3 |" in text  # passages, answers, sentences
    assert re.search(
        r"alpha, nominal \| -?\d\.\d{3} \(no interval: fewer than 5 passages\) \| 3 \|", text
    )
    assert f"- run {campaign.runs.get().pk}: rarr, dataset " in text
    assert "cc-by-4.0, as entered" in text
    assert "The campaign was not closed" in text
    other, _ = card_of(packed(campaign, tmp_path / "a.zip", "csv", licence='Ours: "ask"'))
    assert (other["license"], other["license_name"]) == ("other", 'Ours: "ask"')
    none, text = card_of(packed(campaign, tmp_path / "b.zip", "csv"))
    assert "license" not in none
    assert "None was entered" in text


def test_the_card_claims_only_what_was_entered_and_counts_passages_once(tmp_path: Path) -> None:
    versions = {"spacy": "3.8"}
    one = make_run(system="rarr", versions={**versions, "model": "large"})
    two = make_run(system="efec", versions=versions, dataset=one.dataset)
    passages = [make_passage(one.dataset, text="One.") for _ in range(3)]
    campaign = make_campaign(runs=[one, two])
    for run in (one, two):
        for passage in passages:
            make_item(campaign, "One.", revision=make_revision(run, passage=passage))
    for name in ("hagrid", "csv"):
        head, text = card_of(packed(campaign, tmp_path / f"{name}.zip", name))
        assert set(head) == {"pretty_name", "size_categories", "configs"}
        assert "3 passages in 6 items, with 0 judgments by 0 raters" in text
        (first,) = re.findall(rf"^- run {one.pk}: rarr, .*", text, re.M)
        (second,) = re.findall(rf"^- run {two.pk}: efec, .*", text, re.M)
        assert (first.endswith(", model large"), "model" in second) == (True, False)
        assert text.count("spacy 3.8") == 1


@pytest.mark.parametrize("kind", ["citation", "intent", "manual_revision", "answer_quality"])
def test_every_questionnaire_has_a_card(kind: str, tmp_path: Path) -> None:
    campaign = judged(kind, sides="pair" if kind == "intent" else "after")
    formats = map(load_format, ("alce", "gold_edits", "hagrid", "csv"))
    names = [each.name for each in formats if each.suits(campaign)]
    head, text = card_of(packed(campaign, tmp_path / "p.zip", *names))
    lines = {name for name in names if load_format(name).suffix == ".jsonl"}
    assert {each["config_name"] for each in head["configs"]} == (lines or {"csv"})
    items = campaign.items.count()
    assert f"{items} passages in {items} items, with" in text


def test_parts_are_counted_and_configured_each(tmp_path: Path) -> None:
    campaign = make_many(40)
    parts = Part.both(dev=0.3)
    archive = packed(campaign, tmp_path / "p.zip", "hagrid", "parquet", "skips", parts=parts)
    head, text = card_of(archive)
    assert [each["split"] for each in head["configs"][0]["data_files"]] == ["train", "dev"]
    counts = re.findall(r"\| (train|dev) \| (\d+) \| (\d+) \| (\d+) \|", text)
    assert [name for name, *_ in counts] == ["train", "dev"]
    assert sum(int(items) for _, _, items, _ in counts) == 40
    assert "data/rivers-skips.csv" in archive.namelist(), "which cannot be split"
    assert "by 1 raters" in text
    assert "There is no figure. Two raters an item are needed" in text


def test_the_revisions_of_its_runs_can_be_in_it(tmp_path: Path) -> None:
    row = make_viaduct()
    campaign = make_campaign(runs=[row.run])
    make_item(campaign, "One.", revision=row)
    archive = packed(campaign, tmp_path / "p.zip", "hagrid", with_revisions=True)
    name = f"run-{row.run_id}-rarr.jsonl"
    data = archive.read(f"data/{name}")
    assert data == b"".join(run_file(row.run).chunks())
    (reported,) = json.loads(archive.read("manifest.json"))["revisions"]
    assert (reported["file"], reported["bytes"]) == (name, len(data))
    assert f"`data/{name}` | rarr |" in card_of(archive)[1]


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """`datasets`, with no way to the Hub and a cache of the test's own."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
    return datasets


@pytest.mark.parametrize("name", READ_BY_DATASETS)
def test_load_dataset_reads_each_file(
    campaign: Campaign, tmp_path: Path, offline: Any, name: str
) -> None:
    packed(campaign, tmp_path / "p.zip", name).extractall(tmp_path / "p")
    (file,) = [each for each in (tmp_path / "p/data").iterdir() if each.suffix != ".json"]
    builder = {".jsonl": "json"}.get(file.suffix, file.suffix[1:])
    options: dict[str, Any] = {}
    if name == "hagrid":
        described = json.loads(file.with_suffix(".features.json").read_text())
        options["features"] = offline.Features.from_dict(described)
    result = offline.load_dataset(
        builder, data_files=str(file), split="train", cache_dir=str(tmp_path / "c"), **options
    )
    if name == "hagrid":
        labels = [
            [each["attributable"] for each in row["answers"][0]["sentences"]] for row in result
        ]
        assert sorted(map(str, labels)) == ["[0]", "[1, None]"]
    else:
        assert len(result) == 6
        assert set(result["value"]) == {0, 1}


def test_load_dataset_reads_the_package_by_its_card(tmp_path: Path, offline: Any) -> None:
    parts = Part.both(dev=0.3)
    campaign = make_many(20)
    for name, neighbour, rows in (("hagrid", "parquet", 20), ("parquet", "csv", 40)):
        archive = packed(campaign, tmp_path / "p.zip", neighbour, name, parts=parts)
        archive.extractall(tmp_path / name)
        result = offline.load_dataset(str(tmp_path / name), name, cache_dir=str(tmp_path / "c"))
        assert set(result) == {"train", "dev"}
        assert result["train"].num_rows + result["dev"].num_rows == rows


def test_the_command_writes_it_too(
    campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rivers.zip"
    options = {"campaign": "rivers", "format": "package", "out": out, "split": "dev=0.5"}
    call_command("export", **options, files="csv, hagrid", license="cc0-1.0", labels="majority")
    head, text = card_of(zipfile.ZipFile(out))
    assert [each["config_name"] for each in head["configs"]] == ["hagrid"]
    assert head["license"] == "cc0-1.0"
    assert "by the rule “majority”" in text
    reported = capsys.readouterr().out
    assert f"SHA-256 {hashlib.sha256(out.read_bytes()).hexdigest()}" in reported
    assert [path.name for path in tmp_path.iterdir()] == ["rivers.zip"]
    for wrong, refusal in (
        ({}, "exists already"),
        (
            {"out": tmp_path / "b.zip", "files": "xml"},
            "'xml' is no export format: choose one of .*hagrid, .*alce",
        ),
        ({"out": tmp_path / "b.zip", "files": "alce"}, "no place"),
        ({"out": tmp_path / "b.zip", "files": "rarr"}, "at least one file of labels"),
    ):
        with pytest.raises(CommandError, match=refusal):
            call_command("export", **{**options, **wrong})
    with pytest.raises(CommandError, match="of a campaign"):
        call_command("export", dataset="rivers", format="package", out=tmp_path / "b.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["rivers.zip"]


@pytest.mark.parametrize(
    "formats", [("hagrid", "csv", "parquet"), ("csv", "parquet"), ("parquet",)]
)
def test_a_package_comes_in_again(
    campaign: Campaign, tmp_path: Path, formats: tuple[str, ...]
) -> None:
    packed(campaign, tmp_path / "package.zip", *formats)
    rows = list(read_passages(tmp_path / "package.zip"))
    assert all(isinstance(row, PassageRow) for row in rows), [*map(str, rows)]
    texts = {row.text for row in rows if isinstance(row, PassageRow)}
    assert texts == ({"One. Two.", "Three."} if "hagrid" in formats else {"One.", "Two.", "Three."})
