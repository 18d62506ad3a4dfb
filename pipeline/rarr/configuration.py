"""The hyper-parameters of RARR, and validation of settings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError
from pydantic.dataclasses import dataclass

from pipeline.rarr.errors import BadConfig

Config = TypeVar("Config")
Count = Annotated[int, Field(ge=1)]
ReportFill = Literal["smallest", "full"]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
ADVICE = {
    "int_parsing": "write a whole number",
    "int_parsing_size": "write a smaller number",
    "float_parsing": "write a number",
    "finite_number": "write 0 or more",
    "greater_than_equal": "write {ge:g} or more",
    "less_than_equal": "write {le:g} or less",
    "literal_error": "choose {expected}",
}
"""What to do, by pydantic's type of error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RarrConfig:
    """The hyper-parameters of RARR, with the paper's values (sections 3.1-3.3)."""

    query_samples: Count = 3
    query_temperature: NonNegative = 0.7
    gate_temperature: NonNegative = 0.0
    """0.0 as in the authors' program, for repeatable verdicts; appendix D has 0.7."""
    edit_temperature: NonNegative = 0.0
    documents_per_query: Count = 5
    """K, pages per search."""
    window_sentences: Count = 4
    window_stride: Count = 1
    evidence_per_query: Count = 1
    """J"""
    max_edit_characters: Annotated[int, Field(ge=0)] = 50
    max_edit_ratio: NonNegative = 0.5
    """Of the original text's length; both limits are from a footnote of section 3.2."""
    report_size: Count = 5
    """M"""
    report_fill: ReportFill = "smallest"
    """The smallest set of the best coverage, or M snippets as in the authors' program."""


def with_settings(config: Config, settings: Mapping[str, Any]) -> Config:
    """Return a copy of a pydantic dataclass with `settings`: values, or their text, by field.

    Raises `BadConfig` for an invalid value.
    """
    # As text, so that pydantic reports no other types of error than those of `ADVICE`.
    texts = {name: str(value) for name, value in settings.items()}
    try:
        return replace(config, **texts)  # type: ignore[type-var]  # a dataclass
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        advice = ADVICE[first["type"]].format(**first.get("ctx", {}))
        raise BadConfig(f"{name} is {first['input']}: {advice}.", field=name) from None


def read_number(name: str, value: object, *, kind: type[int] | type[float]) -> float:
    """Parse the value of the setting `name`; raises `BadConfig`."""
    try:
        return kind(str(value))
    except ValueError:
        noun = "whole number" if kind is int else "number"
        raise BadConfig(f"{name} is {value}: write a {noun}.", field=name) from None
