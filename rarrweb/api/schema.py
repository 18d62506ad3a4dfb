"""The OpenAPI schema: what every operation has in common, and which addresses are in it."""

import inspect
from collections.abc import Iterable
from typing import Any

from drf_spectacular.openapi import AutoSchema

from rarrweb.api.problems import INTERNAL, PROBLEM_JSON, PUBLIC

PROBLEM = {
    "type": "object",
    "description": "RFC 9457: why the request was refused.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["detail"],
                "properties": {
                    "field": {"type": "string"},
                    "file": {"type": "string"},
                    "line": {"type": "integer"},
                    "value": {"type": "string"},
                    "detail": {"type": "string"},
                },
            },
        },
    },
}
REFUSALS = {
    "400": "Something in the request cannot be taken; `errors` says what.",
    "401": "No token, or one that is unknown, expired or revoked.",
    "403": "The token may only read, or a session's request has no CSRF token.",
    "404": "There is no such thing for you.",
    "406": "Only JSON can be had.",
    "429": "Too many wrong tokens came from this address.",
}
REFUSALS_OF_CHANGES = {
    "409": "It does not go with the state of things; `detail` says why.",
    "413": "The body is too large.",
    "415": "The body is not of a type that is taken here.",
}


class ApiSchema(AutoSchema):
    """Names operations by their view's resource and action."""

    def get_tags(self) -> list[str]:
        tag: str = self.view.tag  # type: ignore[attr-defined]  # a Resource's
        return [tag]

    def get_summary(self) -> str:
        """The first line of what is said of it: a whole, short sentence."""
        return self._said().partition("\n")[0]

    def get_description(self) -> str:  # type: ignore[override]  # spectacular's has no arguments
        return self._said().partition("\n")[2].strip()

    def _said(self) -> str:
        """The action's own docstring; of what every resource has, its class's."""
        action = self.view.action  # type: ignore[attr-defined]  # a Resource's
        if action == "retrieve":
            answered: Any = self.get_response_serializers()
            return f"One {answered.Meta.model._meta.verbose_name}."
        said = self.view if action == "list" else getattr(self.view, action)
        return inspect.getdoc(said) or ""


def public_only(endpoints: Iterable[Any]) -> list[Any]:
    """Without the addresses that only the judging page asks."""
    return [
        each
        for each in endpoints
        if each[0].startswith(PUBLIC) and not each[0].startswith(INTERNAL)
    ]


def with_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Every operation with the refusals that any of them may answer."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM
    components["responses"] = {
        f"Refusal{status}": {
            "description": about,
            "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status, about in (REFUSALS | REFUSALS_OF_CHANGES).items()
    }
    for path in result["paths"].values():
        for method, operation in path.items():
            refusals = REFUSALS if method == "get" else REFUSALS | REFUSALS_OF_CHANGES
            for status in refusals:
                operation["responses"].setdefault(
                    status, {"$ref": f"#/components/responses/Refusal{status}"}
                )
    return result
