"""The fields of a file and their types: one description for each format.

A description is nested as a line of the file is: a `FieldType`, a list of one description, or
descriptions by name. It names every field that any file of the format can have, so that files
of different campaigns have the same schema. Every field may be null.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FieldType:
    """A plain type, as each library calls it."""

    datasets: str
    """Also the name of the type in Arrow, of which `datasets` are made."""
    polars: str
    pandas: str


TEXT = FieldType("string", "pl.String", "str")
WHOLE = FieldType("int64", "pl.Int64", "Int64")
NUMBER = FieldType("float64", "pl.Float64", "float64")
TRUTH = FieldType("bool", "pl.Boolean", "boolean")
TIME = FieldType("timestamp[ms, tz=UTC]", "pl.Datetime('ms', 'UTC')", "datetime64[ms, UTC]")
WHOLE_OR_EMPTY = FieldType("float64", "pl.Int64", "Int64")
"""A whole number in a table with empty cells: `datasets` cannot read these as whole numbers."""

Fields = Mapping[str, Any]
"""Name of a field to its description."""


def features(description: Any) -> Any:
    """The description as JSON that `datasets.Features.from_dict` reads, in all its versions.

    >>> features({"id": TEXT, "labels": [WHOLE]})["labels"]
    [{'dtype': 'int64', '_type': 'Value'}]
    """
    if isinstance(description, FieldType):
        return {"dtype": description.datasets, "_type": "Value"}
    if isinstance(description, list):
        return [features(description[0])]
    return {name: features(each) for name, each in description.items()}


def polars_type(description: Any) -> str:
    """The description as Python source of a polars type.

    >>> polars_type([{"id": TEXT}])
    "pl.List(pl.Struct({'id': pl.String}))"
    """
    if isinstance(description, FieldType):
        return description.polars
    if isinstance(description, list):
        return f"pl.List({polars_type(description[0])})"
    return f"pl.Struct({polars_fields(description)})"


def polars_fields(fields: Fields) -> str:
    """The fields as Python source of a polars schema.

    >>> polars_fields({"id": TEXT})
    "{'id': pl.String}"
    """
    return "{" + ", ".join(f"{name!r}: {polars_type(each)}" for name, each in fields.items()) + "}"
