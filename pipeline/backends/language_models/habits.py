"""What one model at one server turned out to take, learned from its refusals.

Servers that call themselves compatible differ: in how the limit of tokens is called, whether
several samples come by one request, whether a reply can be held to a JSON schema, and which knobs
a reasoning model leaves alone. Each is tried once a process, and remembered.
"""

import re
from functools import lru_cache
from typing import Any

import openai

MAY_BE_LEFT_OUT = ("temperature", "stop")
"""What reasoning models refuse. Stop strings are then cut off here; an answer is sampled at the
server's own temperature."""
_ABOUT_SCHEMAS = re.compile(
    r"response_?format|json_?schema|\bschema\b|structured|guided|grammar", re.IGNORECASE
)


class Habits:
    """Shared by threads, harmless if late."""

    def __init__(self) -> None:
        self.takes_n = True
        self.takes_schema = True
        self.limit_name = "max_tokens"
        self.left_out: frozenset[str] = frozenset()

    def learn(self, error: openai.APIError, body: dict[str, Any]) -> bool:
        """Whether the server refused something of the body that can be left out next time."""
        if not isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError):
            return False
        said = f"{error.param or ''} {error.message}"
        if "n" in body and re.search(r"\bn\b", said):
            self.takes_n = False
            return True
        if "max_tokens" in body and "max_completion_tokens" in said:
            self.limit_name = "max_completion_tokens"
            return True
        if "response_format" in body and _ABOUT_SCHEMAS.search(said):
            self.takes_schema = False
            return True
        for name in MAY_BE_LEFT_OUT:
            refused = error.param == name or f"'{name}'" in error.message
            if name in body and refused:
                self.left_out |= {name}
                return True
        return False


@lru_cache(maxsize=256)
def habits_of(server: str, model: str, api: str) -> Habits:
    """Of a model by its server's address, learned so far by this process."""
    return Habits()
