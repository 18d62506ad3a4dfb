"""A revision as plain JSON values and back: what the database and the files hold.

Keys are the names of the dataclasses' fields, an enum is its value, a tuple a list. A missing key
means the field's default.
"""

import json
from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Any of the algorithm's values as dicts, lists, strings, numbers, booleans and None."""
    return to_jsonable_python(value)


def from_plain(kind: type[T], plain: Any) -> T:
    """A value of a dataclass from what `to_plain` made of it; a whole number may stand for a float.

    Raises `ValueError`, which names the first field that `to_plain` cannot have made so.
    """
    try:
        adapter: TypeAdapter[T] = _adapter(cast(Hashable, kind))
        # By way of JSON: from Python's values, strict mode takes no list for a tuple. Half a
        # surrogate pair, which only a broken reply holds, becomes a question mark.
        text = json.dumps(plain, ensure_ascii=False).encode(errors="replace")
        return adapter.validate_json(text, strict=True, extra="forbid")
    except ValidationError as error:
        fault = error.errors()[0]
        if "error" in fault.get("ctx", {}):  # a sentence of the dataclass's own
            raise ValueError(str(fault["ctx"]["error"])) from None
        place = ".".join([kind.__name__, *map(str, fault["loc"])])
        raise ValueError(f"{place}: {fault['msg']}.") from None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
