"""A revision as plain JSON values and back: what the database and the files hold.

Keys are the names of the dataclasses' fields, an enum is its value, a tuple a list. Reading
takes a key that is missing to be the field's default, so that older rows stay readable.
"""

import enum
import types
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from pipeline.rarr.types import Revision

T = TypeVar("T")


def to_plain(revision: Revision) -> dict[str, Any]:
    """The revision as dicts, lists, strings, numbers, booleans and None."""
    return cast(dict[str, Any], value_to_plain(revision))


def revision_from_plain(plain: Mapping[str, Any]) -> Revision:
    """What `to_plain` was given; raises `ValueError` for what it cannot have made."""
    return from_plain(Revision, plain)


def value_to_plain(value: Any) -> Any:
    """Any of the algorithm's values as JSON has them."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: value_to_plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, tuple):
        return [value_to_plain(each) for each in value]
    if isinstance(value, enum.Enum):
        return value.value
    return value


def from_plain(kind: type[T], plain: Any) -> T:
    """A value of a dataclass from what `value_to_plain` made of it."""
    return cast(T, _reader(cast(Hashable, kind))(plain))


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """How to read a value of a type, worked out once."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        return _tuple_reader(_reader(arguments[0]))
    if origin in {Union, types.UnionType}:  # always `X | None` here
        inner = _reader(next(each for each in arguments if each is not type(None)))
        return lambda plain: None if plain is None else inner(plain)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        inside = {each.name: _reader(hints[each.name]) for each in fields(kind)}
        return _dataclass_reader(cast(type, kind), inside)
    if issubclass(kind, enum.Enum):
        return cast(Callable[[Any], Any], kind)
    return _scalar_reader(kind)


def _tuple_reader(inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read(plain: Any) -> Any:
        if not isinstance(plain, list | tuple):
            raise ValueError(f"A list was expected, not {plain!r:.100}.")
        return tuple(inner(each) for each in plain)

    return read


def _dataclass_reader(
    kind: type, readers: Mapping[str, Callable[[Any], Any]]
) -> Callable[[Any], Any]:
    def read(plain: Any) -> Any:
        if not isinstance(plain, Mapping):
            raise ValueError(f"An object was expected for {kind.__name__}, not {plain!r:.100}.")
        unknown = sorted(set(plain) - set(readers))
        if unknown:
            raise ValueError(f"{kind.__name__} has no {', '.join(unknown)}.")
        try:
            return kind(**{name: readers[name](value) for name, value in plain.items()})
        except TypeError as error:
            raise ValueError(f"{kind.__name__} cannot be read: {error}.") from None

    return read


def _scalar_reader(kind: type) -> Callable[[Any], Any]:
    def read(plain: Any) -> Any:
        if kind is float and type(plain) is int:
            return float(plain)  # JSON writes 1.0 as 1 in some hands
        if type(plain) is not kind:
            raise ValueError(f"A {kind.__name__} was expected, not {plain!r:.100}.")
        return plain

    return read
