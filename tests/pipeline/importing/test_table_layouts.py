"""Any table comes in with equal texts and values, however pandas writes it."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.importing.passages import PassageRow, inspect_file, read_passages

Write = Callable[["pandas.DataFrame", Path], object]
Row = tuple[str, str, str, Any]


def json_in(orient: Any) -> Write:
    return lambda table, path: table.to_json(path, orient=orient)


def csv_in(delimiter: str, encoding: str) -> Write:
    return lambda table, path: table.to_csv(path, sep=delimiter, encoding=encoding, index=False)


def lists_in_json(table: "pandas.DataFrame", path: Path) -> object:
    return path.write_text(json.dumps(table.to_dict("list")))


def rows_in_json(table: "pandas.DataFrame", path: Path) -> object:
    return path.write_text(json.dumps([[*table], *table.to_numpy().tolist()]))


def rows_in_lines(table: "pandas.DataFrame", path: Path) -> object:
    rows = [[*table], *table.to_numpy().tolist()]
    return path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def parquet(table: "pandas.DataFrame", path: Path) -> object:
    out = io.BytesIO()
    table.to_parquet(out)
    return path.write_bytes(out.getvalue())


LAYOUTS: dict[str, Write] = {
    **{
        f"json {orient}": json_in(orient)
        for orient in ("records", "index", "columns", "split", "table")
    },
    "json lines": lambda table, path: table.to_json(path, orient="records", lines=True),
    "json pretty": lambda table, path: table.to_json(path, orient="records", indent=2),
    "json lists": lists_in_json,
    "json rows": rows_in_json,
    "json rows in lines": rows_in_lines,
    **{
        f"csv {delimiter!r} {encoding}": csv_in(delimiter, encoding)
        for delimiter in ",;\t|"
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le")
    },
    "parquet": parquet,
}
TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"])
    | st.sampled_from([*",;|\t\"'[]{}\n"]),
    min_size=1,
    max_size=30,
).filter(lambda text: bool(text.strip()) and text.isprintable() | ("\n" in text))
tables = st.lists(st.tuples(TEXT, TEXT, st.integers(-9, 9)), min_size=1, max_size=6)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=tables)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_table_comes_in_with_equal_texts_and_values(
    tmp_path: Path, layout: str, rows: list[tuple[str, str, int]]
) -> None:
    expected: list[Row] = [
        (f"r{number}", text, note, score) for number, (text, note, score) in enumerate(rows)
    ]
    table = pandas.DataFrame(expected, columns=["id", "text", "context", "Score & more"])
    path = tmp_path / "table"
    LAYOUTS[layout](table, path)
    rows = list(read_passages(path))
    assert all(isinstance(row, PassageRow) for row in rows), [*map(str, rows)]
    read = [
        (row.external_id, row.text, row.context, int(row.source.extra["Score & more"]))
        for row in rows
        if isinstance(row, PassageRow)
    ]
    assert read == expected


@pytest.mark.parametrize("layout", ["json index", "json columns", "json split", "parquet"])
def test_names_of_rows_are_kept(tmp_path: Path, layout: str) -> None:
    table = pandas.DataFrame({"claim": ["One.", "Two."]}, index=["a", "b"])
    path = tmp_path / "table"
    LAYOUTS[layout](table, path)
    rows = [row for row in read_passages(path) if isinstance(row, PassageRow)]
    names = [{row.external_id, *map(str, row.source.extra.values())} for row in rows]
    assert ["a" in names[0], "b" in names[1]] == [True, True]
    assert inspect_file(path).columns["text"] == "claim"
