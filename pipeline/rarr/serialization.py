"""Conversion of the algorithm's values to JSON values and back, for database and files.

Keys are field names. A missing key means the default.
"""

import json
from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Convert to dicts, lists, strings, numbers, booleans and None."""
    return to_jsonable_python(value)


def from_plain(kind: type[T], plain: Any) -> T:
    """Rebuild a value that `to_plain` converted; integers are accepted for floats.

    Raises `ValueError`, which names the first invalid field.
    """
    try:
        adapter: TypeAdapter[T] = _adapter(cast(Hashable, kind))
        # Strict mode accepts lists for tuples only in JSON. UTF-8 has no lone surrogates: they
        # become "?".
        text = json.dumps(plain, ensure_ascii=False).encode(errors="replace")
        return adapter.validate_json(text, strict=True, extra="forbid")
    except ValidationError as error:
        first = error.errors()[0]
        if "error" in first.get("ctx", {}):  # raised by the dataclass
            raise ValueError(str(first["ctx"]["error"])) from None
        field_path = ".".join([kind.__name__, *map(str, first["loc"])])
        raise ValueError(f"{field_path}: {first['msg']}.") from None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
