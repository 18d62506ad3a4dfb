"""Field types of JSON lines, one description for each format.

A description is the name of an Arrow type, a list of one description, or descriptions by name.
Every field may be null.
"""

from collections.abc import Mapping
from typing import Any

TEXT = "string"
WHOLE = "int64"
NUMBER = "float64"
TRUTH = "bool"

Fields = Mapping[str, Any]


def features(description: Any) -> Any:
    """Return the description as `datasets.Features.from_dict` reads it.

    >>> features({"id": TEXT, "labels": [WHOLE]})["labels"]
    [{'dtype': 'int64', '_type': 'Value'}]
    """
    if isinstance(description, str):
        return {"dtype": description, "_type": "Value"}
    if isinstance(description, list):
        return [features(description[0])]
    return {name: features(each) for name, each in description.items()}
