"""The hyper-parameters of RARR, and how a setting is read."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from pipeline.rarr.errors import BadConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class RarrConfig:
    """Every hyper-parameter of RARR, with the paper's value (sections 3.1-3.3)."""

    query_samples: int = 3
    query_temperature: float = 0.7
    gate_temperature: float = 0.0
    """Of the one verdict and the one edit that a language model is asked for. The paper has 0.7
    everywhere (appendix D), its authors' program 0 here: the same answer each time."""
    edit_temperature: float = 0.0
    documents_per_query: int = 5
    """K: pages kept from each search."""
    window_sentences: int = 4
    window_stride: int = 1
    evidence_per_query: int = 1
    """J"""
    max_edit_characters: int = 50
    max_edit_ratio: float = 0.5
    """Both limits of section 3.2's footnote; the ratio is to the original text's length."""
    report_size: int = 5
    """M"""

    def __post_init__(self) -> None:
        for name in (
            "query_samples", "documents_per_query", "window_sentences", "window_stride",
            "evidence_per_query", "report_size",
        ):  # fmt: skip
            if getattr(self, name) < 1:
                raise BadConfig(f"{name} is {getattr(self, name)}: write 1 or more.")
        for name in (
            "query_temperature", "gate_temperature", "edit_temperature",
            "max_edit_characters", "max_edit_ratio",
        ):  # fmt: skip
            # Not a number compares as false with everything: no edit would ever be rejected.
            if not 0 <= getattr(self, name) < math.inf:
                raise BadConfig(f"{name} is {getattr(self, name)}: write 0 or more.")

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """A copy with `settings` (names to numbers or their text) put in place.

        Raises `BadConfig` for an unknown name or a value of the wrong kind.
        """
        values: dict[str, Any] = {}
        for name, given in settings.items():
            if name not in self.__dataclass_fields__:
                known = ", ".join(sorted(self.__dataclass_fields__))
                raise BadConfig(f"{name!r} is no setting of RARR: choose one of {known}.")
            values[name] = read_number(name, given, kind=type(getattr(self, name)))
        return replace(self, **values)


def read_number(name: str, given: object, *, kind: type[int] | type[float]) -> float:
    """A number, or its text, that is given for the setting `name`; raises `BadConfig`."""
    try:
        return kind(str(given))
    except ValueError:
        noun = "whole number" if kind is int else "number"
        raise BadConfig(f"{name}={given!r}: write a {noun}.") from None
