"""The table of judgments as Parquet: the CSV's rows, typed, in groups of bounded size."""

import io
from datetime import datetime

import pyarrow.parquet
import pytest

from annotation.exporting import judgments_parquet
from annotation.exporting.judgments_csv import COLUMNS
from annotation.models import Campaign
from tests.support.exports import NOW, bytes_of, judge, make_campaign, make_item, make_many, rows_of
from tests.support.factories import make_user
from tests.support.judged import judged_campaign

pytestmark = pytest.mark.django_db


def file_of(campaign: Campaign) -> pyarrow.parquet.ParquetFile:
    return pyarrow.parquet.ParquetFile(io.BytesIO(bytes_of(campaign, "parquet")))


def plain(value: object) -> str:
    """The cell as the CSV has it."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else str(value)


@pytest.mark.parametrize("kind", ["attribution", "citation", "manual_revision", "answer_quality"])
def test_it_has_the_rows_and_columns_of_the_csv(kind: str) -> None:
    campaign, _ = judged_campaign(kind)
    rows = rows_of(campaign)
    result = file_of(campaign).read().to_pylist()
    assert [{name: plain(value) for name, value in row.items()} for row in result] == rows
    assert rows
    assert list(result[0]) == list(COLUMNS)


def test_columns_have_real_types() -> None:
    campaign = make_campaign()
    empty = file_of(campaign)
    assert (empty.metadata.num_rows, empty.schema_arrow.names) == (0, list(COLUMNS))
    judge(make_item(campaign, "=1+1"), make_user(), True)
    (row,) = file_of(campaign).read().to_pylist()
    assert row["submitted_at"] == NOW
    assert (row["late"], row["slot"], row["value"], row["weight"]) == (False, 1, 1, 1.0)
    assert row["edited_at"] is row["active_seconds"] is None
    assert row["target_text"] == "=1+1", "no spreadsheet opens it, so nothing is neutralised"


def test_half_of_a_surrogate_pair_does_not_stop_it() -> None:
    field = pyarrow.field("target_text", pyarrow.string())
    column = judgments_parquet._column(["a\ud800b"], field)
    assert column.to_pylist() == ["a?b"]


@pytest.mark.parametrize(("limit", "value"), [("GROUP_ROWS", 50), ("GROUP_CHARACTERS", 500)])
def test_no_more_than_a_row_group_is_in_memory(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(judgments_parquet, limit, value)
    result = file_of(make_many(101, text="One. Two."))
    sizes = [result.metadata.row_group(n).num_rows for n in range(result.num_row_groups)]
    assert sum(sizes) == 202
    # Each of the texts has four characters.
    assert sizes[:-1] == [50 if limit == "GROUP_ROWS" else 125] * (len(sizes) - 1)
    assert len(sizes) > 1
