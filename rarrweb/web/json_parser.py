"""A JSON parser that refuses deep nesting, which would overflow Python's stack."""

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

DEEPEST_JSON = 20
"""Levels of lists and objects; our pages send at most three."""


class ShallowJSONParser(JSONParser):
    def parse(self, stream: Any, *args: Any, **values: Any) -> Any:
        try:
            data = super().parse(stream, *args, **values)
        except RecursionError:
            raise ParseError(f"JSON deeper than {DEEPEST_JSON} levels.") from None
        if _is_deeper(data, DEEPEST_JSON):
            raise ParseError(f"JSON deeper than {DEEPEST_JSON} levels.")
        return data


def _is_deeper(data: object, levels: int) -> bool:
    if not isinstance(data, (dict, list)):
        return False
    parts = data.values() if isinstance(data, dict) else data
    return not levels or any(_is_deeper(part, levels - 1) for part in parts)
