"""Reads a request's JSON, and refuses what is nested so deeply that Python's stack ends."""

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

DEEPEST_JSON = 20
"""Levels of lists and objects; the deepest that our pages send has three."""


class ShallowJSONParser(JSONParser):
    """Reads a request's JSON; raises `ParseError`, a 400, also for JSON that is too deep."""

    def parse(self, stream: Any, *args: Any, **values: Any) -> Any:
        try:
            data = super().parse(stream, *args, **values)
        except RecursionError:
            raise ParseError(f"JSON deeper than {DEEPEST_JSON} levels.") from None
        if _is_deeper(data, DEEPEST_JSON):
            raise ParseError(f"JSON deeper than {DEEPEST_JSON} levels.")
        return data


def _is_deeper(data: object, levels: int) -> bool:
    """Whether lists and mappings stand in each other more than `levels` times."""
    if not isinstance(data, (dict, list)):
        return False
    parts = data.values() if isinstance(data, dict) else data
    return not levels or any(_is_deeper(part, levels - 1) for part in parts)
