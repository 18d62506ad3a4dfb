"""The fields of JSON lines and their types: one description for each format.

A description is nested as a line of the file is: the name of an Arrow type, a list of one
description, or descriptions by name. It names every field that any file of the format can have,
so that files of different campaigns have the same schema. Every field may be null.
"""

from collections.abc import Mapping
from typing import Any

TEXT = "string"
WHOLE = "int64"
NUMBER = "float64"
TRUTH = "bool"

Fields = Mapping[str, Any]
"""Name of a field to its description."""


def features(description: Any) -> Any:
    """The description as JSON that `datasets.Features.from_dict` reads, in all its versions.

    >>> features({"id": TEXT, "labels": [WHOLE]})["labels"]
    [{'dtype': 'int64', '_type': 'Value'}]
    """
    if isinstance(description, str):
        return {"dtype": description, "_type": "Value"}
    if isinstance(description, list):
        return [features(description[0])]
    return {name: features(each) for name, each in description.items()}
