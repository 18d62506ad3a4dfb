"""`manage.py export` and the files that it leaves."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.exporting import Export, load_format
from annotation.exporting.files import CannotWrite, write_exports
from annotation.models import Campaign
from tests.support.exports import judge, make_campaign, make_item
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    made = make_campaign()
    judge(make_item(made, "One."), make_user(), True)
    return made


def export(out: Path, **options: object) -> None:
    call_command("export", **{"campaign": "rivers", "format": "hagrid", "out": out, **options})


def test_it_writes_the_file_and_a_manifest_that_fits_it(
    campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "labels.jsonl"
    export(out)
    manifest = json.loads((tmp_path / "labels.jsonl.manifest.json").read_text())
    assert json.loads(out.read_text())["answers"][0]["attributable"] == 1
    assert manifest["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert manifest["file"] == "labels.jsonl"
    names = {f"labels.jsonl{suffix}" for suffix in ("", ".features.json", ".manifest.json")}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert manifest["files"] == [
        {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name in ("labels.jsonl", "labels.jsonl.features.json")
        for data in [(tmp_path / name).read_bytes()]
    ]
    assert capsys.readouterr().out == (
        f"Wrote 1 line to {out}: 1 item, 1 judgment by 1 rater. "
        "Not judged yet: attributable 0 of 1, useful 2 of 2. "
        f"Schema: {out}.features.json. Manifest: {out}.manifest.json.\n"
    )


@pytest.mark.parametrize(
    "in_the_way", ["labels.jsonl", "labels.jsonl.features.json", "labels.jsonl.manifest.json"]
)
def test_a_file_that_exists_stays_unless_it_is_forced(
    campaign: Campaign, tmp_path: Path, in_the_way: str
) -> None:
    (tmp_path / in_the_way).write_text("mine")
    with pytest.raises(CommandError, match=r"exists already: .* --force") as refused:
        export(tmp_path / "labels.jsonl")
    assert refused.value.returncode == 2
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]
    export(tmp_path / "labels.jsonl", force=True)
    assert "mine" not in [path.read_text() for path in tmp_path.iterdir()]


def test_an_export_that_breaks_leaves_what_was_there(campaign: Campaign, tmp_path: Path) -> None:
    def lines(*_: object) -> Iterator[str]:
        yield "half a file\n" * 10_000
        raise RuntimeError("the database went away")

    broken = replace(load_format("csv"), lines=lines)
    (tmp_path / "labels.txt").write_text("old")
    out = tmp_path / "labels.txt"
    with pytest.raises(RuntimeError):
        write_exports({out: Export(campaign=campaign, format=broken)}, out=out, replace=True)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("x", {"campaign": "lakes"}, "no campaign 'lakes': choose one of rivers"),
        ("", {}, "is a folder: name a file"),
        ("nowhere/x.jsonl", {}, r"There is no folder .*nowhere: make it first"),
    ],
)
def test_what_cannot_be_exported_is_explained(
    campaign: Campaign, tmp_path: Path, name: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(CommandError, match=message) as refused:
        export(tmp_path / name, **options)
    assert refused.value.returncode == 2


def test_a_disk_that_refuses_is_explained(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("annotation.exporting.files.os.fsync", full)
    out = tmp_path / "labels.csv"
    with pytest.raises(CannotWrite, match="cannot be written: no space left on device"):
        write_exports({out: Export(campaign=campaign, format=load_format("csv"))}, out=out)
    assert list(tmp_path.iterdir()) == []
