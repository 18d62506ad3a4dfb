"""The hyper-parameters of RARR, and reading of settings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError
from pydantic.dataclasses import dataclass

from pipeline.rarr.errors import BadConfig

Config = TypeVar("Config")
Count = Annotated[int, Field(ge=1)]
Limit = Annotated[float, Field(ge=0, allow_inf_nan=False)]
ADVICE = {
    "int_parsing": "write a whole number",
    "int_parsing_size": "write a smaller number",
    "float_parsing": "write a number",
    "finite_number": "write 0 or more",
    "greater_than_equal": "write {ge:g} or more",
    "less_than_equal": "write {le:g} or less",
    "literal_error": "choose {expected}",
}
"""By pydantic's error type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RarrConfig:
    """The hyper-parameters of RARR, with the paper's values (sections 3.1-3.3)."""

    query_samples: Count = 3
    query_temperature: Limit = 0.7
    gate_temperature: Limit = 0.0
    """0.0, as in the authors' program, makes verdicts repeatable; appendix D has 0.7."""
    edit_temperature: Limit = 0.0
    documents_per_query: Count = 5
    """K, pages per search."""
    window_sentences: Count = 4
    window_stride: Count = 1
    evidence_per_query: Count = 1
    """J"""
    max_edit_characters: Annotated[int, Field(ge=0)] = 50
    max_edit_ratio: Limit = 0.5
    """Of the original text's length; both limits are from a footnote of section 3.2."""
    report_size: Count = 5
    """M"""


def with_settings(config: Config, settings: Mapping[str, Any]) -> Config:
    """Return a copy of a pydantic dataclass with `settings` (field name to value or its text).

    Raises `BadConfig` for an invalid value.
    """
    try:
        return replace(config, **{name: str(each) for name, each in settings.items()})  # type: ignore[type-var]  # a dataclass
    except ValidationError as error:
        wrong = error.errors()[0]
    name = str(wrong["loc"][0])
    advice = ADVICE[wrong["type"]].format(**wrong.get("ctx", {}))
    raise BadConfig(f"{name} is {wrong['input']}: {advice}.", field=name)


def read_number(name: str, given: object, *, kind: type[int] | type[float]) -> float:
    """Parse a number given for the setting `name`; raises `BadConfig`."""
    try:
        return kind(str(given))
    except ValueError:
        noun = "whole number" if kind is int else "number"
        raise BadConfig(f"{name} is {given}: write a {noun}.", field=name) from None
