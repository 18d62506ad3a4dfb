"""The query parameter `lines`: the format of the lines of a download."""

from collections.abc import Sequence

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

NAME = "lines"


def lines_parameter(known: Sequence[str]) -> OpenApiParameter:
    return OpenApiParameter(
        NAME, enum=list(known), default=known[0], description="The format of the lines."
    )


def chosen_lines(request: Request, known: Sequence[str]) -> str:
    """Raises `ValidationError`."""
    name: str = request.query_params.get(NAME, known[0])
    if name not in known:
        raise ValidationError({NAME: f"Choose one of {', '.join(known)}."})
    return name
