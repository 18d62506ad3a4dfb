"""Checked rows and errors on their way to the tables."""

import csv
from pathlib import Path

import pytest

from pipeline.data.datasets import add_passages, create_dataset
from pipeline.data.staging import batches, check_rows, staged_rows, to_stage
from pipeline.importing.rows import FileNotes, RowError
from tests.support.factories import make_row


def test_a_check_counts_sets_aside_and_writes_errors_down(tmp_path: Path) -> None:
    staged, errors = tmp_path / "rows", tmp_path / "errors"
    error = RowError(file="in", line=1, field="text", value="=cmd()", problem="bad", fix="mend it")
    check = check_rows(
        [make_row("new"), error, make_row("same"), make_row("changed", "b")],
        stored=lambda keys: dict.fromkeys(["same", "changed"], make_row("same").content_hash),
        notes=FileNotes(),
        staged=staged,
        errors=errors,
    )
    assert (check.new, check.same, check.changed, check.wrong) == (1, 1, 1, 1)
    assert [each.external_id for each in staged_rows(staged)] == ["new", "same", "changed"]
    with errors.open(encoding="utf-8-sig", newline="") as file:
        (written,) = csv.DictReader(file)
    assert written["value"] == "'=cmd()"
    assert written["line"] == "1"


def test_progress_is_reported_after_each_batch() -> None:
    reported: list[int] = []
    rows = [make_row(str(number)) for number in range(1_100)]
    check_rows(rows, stored=lambda keys: {}, notes=FileNotes(), progress=reported.append)
    assert reported == [500, 1000, 1100]


def test_long_texts_make_short_batches() -> None:
    rows = [to_stage(make_row(str(number), "x" * 6)) for number in range(5)]
    assert [len(batch) for batch in batches(rows, characters=10)] == [2, 2, 1]


@pytest.mark.django_db
def test_the_database_gets_the_json_that_was_staged() -> None:
    source = {"b": "Zoë 𝄞 \u2028", "a": [1.5, 10**30, None, True]}
    dataset = create_dataset(name="Rivers")
    given = make_row(source=source)
    add_passages(dataset, [given])
    assert dataset.passages.get().source.extra == source
    changed = make_row(source={**source, "b": "\\u0041"})
    add_passages(dataset, [changed])
    assert dataset.passages.get().source == changed.source
