"""The OpenAPI schema, as a file and as a page for people."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from rarrweb.api.resources import Resource
from rarrweb.http import UserRequest

METHODS = ("get", "post", "put", "patch", "delete")


@cache
def whole_schema() -> dict[str, Any]:
    """The OpenAPI document, made once a process."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return made


class SchemaRenderer(OpenApiYamlRenderer):
    def render(self, data: Any, media_type: Any = None, context: Any = None) -> Any:
        if "openapi" not in data:
            return json.dumps(data)  # why there is none
        return super().render(data, media_type, context or {})


class Schema(Resource[Any]):
    """The OpenAPI document; docs/openapi.yaml is the same, and a test keeps it so."""

    schema = None
    renderer_classes = [SchemaRenderer]

    def read(self, request: Request) -> Response:
        return Response(whole_schema())


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A parameter, or a part of a body."""

    name: str
    type: str
    about: str
    is_required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one address."""

    id: str
    method: str
    path: str
    summary: str
    about: str
    parameters: tuple[Field, ...]
    bodies: tuple[tuple[str, tuple[Field, ...]], ...]
    """Media type, and the parts of the body."""
    answers: tuple[tuple[str, str, tuple[Field, ...]], ...]
    """Status, media type, and the parts of the body; refusals are the same for all."""


@require_safe
def reference(request: UserRequest) -> HttpResponse:
    """Every operation with what it takes and what it answers."""
    if not request.user.is_researcher:
        raise Http404
    return render(request, "api/docs.html", {"tags": operations()})


@cache
def operations() -> dict[str, list[Operation]]:
    """The operations by resource."""
    schema = whole_schema()
    found: dict[str, list[Operation]] = {}
    for path, item in schema["paths"].items():
        for method in METHODS:
            if said := item.get(method):
                operation = _operation(schema, path, method, said)
                found.setdefault(said["tags"][0], []).append(operation)
    return found


def _operation(
    schema: Mapping[str, Any], path: str, method: str, said: Mapping[str, Any]
) -> Operation:
    bodies = said.get("requestBody", {}).get("content", {})
    return Operation(
        id=said["operationId"],
        method=method.upper(),
        path=path,
        summary=said["summary"],
        about=_words(said),
        parameters=tuple(
            Field(
                name=each["name"],
                type=_type(each["schema"]),
                about=_words(each),
                is_required=each.get("required", False),
            )
            for each in said.get("parameters", ())
        ),
        bodies=tuple(
            (kind, tuple(_fields(schema, body["schema"]))) for kind, body in bodies.items()
        ),
        answers=tuple(
            (status, kind, tuple(_fields(schema, body.get("schema", {}))))
            for status, answer in said["responses"].items()
            if status.startswith("2")
            for kind, body in (answer.get("content") or {"": {}}).items()
        ),
    )


def _fields(
    schema: Mapping[str, Any], part: Mapping[str, Any], prefix: str = ""
) -> Iterator[Field]:
    """The fields of an object, with those of objects in it by their dotted names."""
    part = _resolved(schema, part)
    required = part.get("required", ())
    for name, inner in part.get("properties", {}).items():
        whole = _resolved(schema, inner)
        items = _resolved(schema, whole.get("items", {}))
        yield Field(
            name=f"{prefix}{name}",
            type=_type(whole),
            about=_words(inner),
            is_required=name in required,
        )
        if prefix.count(".") < 3:
            yield from _fields(schema, whole, f"{prefix}{name}.")
            yield from _fields(schema, items, f"{prefix}{name}[].")


def _resolved(schema: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    for inner in (*part.get("allOf", ()), *part.get("oneOf", ()), part):
        if "$ref" in inner:
            named: Mapping[str, Any] = schema["components"]["schemas"][inner["$ref"].split("/")[-1]]
            return named
    return part


def _words(said: Mapping[str, Any]) -> str:
    """The description, without the marks of code that only Markdown shows."""
    return str(said.get("description", "")).replace("`", "")


def _type(part: Mapping[str, Any]) -> str:
    """What a value is, in a word or two: its type, or what it may be."""
    if "enum" in part:
        return " | ".join(str(each) for each in part["enum"] if each is not None)
    kind = str(part.get("format") or part.get("type", "object"))
    return f"{kind} or null" if part.get("nullable") else kind
