"""Calls of language models."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from pydantic import TypeAdapter

from pipeline.rarr.serialization import from_plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Of a million tokens, in any currency; None where unknown."""

    input: float | None = None
    output: float | None = None

    @property
    def are_known(self) -> bool:
        return self.input is not None or self.output is not None

    def cost(self, *, input_tokens: int, output_tokens: int) -> float | None:
        """Return the cost; None without prices.

        >>> Prices(input=2.0, output=8.0).cost(input_tokens=500_000, output_tokens=250_000)
        3.0
        """
        if not self.are_known:
            return None
        return (input_tokens * (self.input or 0.0) + output_tokens * (self.output or 0.0)) / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    step: str = ""
    """"queries", "agreement", "edit", …"""
    requests: int = 1
    """More than one where the server sends samples one by one; 0 for a cached reply."""
    samples: int = 1
    attempts: int = 1
    """Of all requests, failed ones included; 0 for a cached reply."""
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None
    error: str = ""
    prompt: str = ""
    texts: tuple[str, ...] = ()
    """Prompt and replies, with `RARR_LLM_LOG_TEXTS` only."""

    @property
    def is_cached(self) -> bool:
        return self.requests == 0

    def to_plain(self) -> dict[str, Any]:
        """Return JSON values that differ from the defaults."""
        plain: dict[str, Any] = TypeAdapter(Call).dump_python(
            self, mode="json", exclude_defaults=True
        )
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Read the values of `to_plain`; raises `ValueError`."""
        try:
            return from_plain(cls, plain)
        except ValueError as error:
            raise ValueError(f"A call cannot be read: {error}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    model_calls: int = 0
    cached_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """None without prices."""


def totals(calls: Iterable[Call]) -> Totals:
    some = list(calls)
    costs = [call.cost for call in some if call.cost is not None]
    return Totals(
        model_calls=sum(call.requests for call in some),
        cached_calls=sum(call.is_cached for call in some),
        input_tokens=sum(call.input_tokens for call in some),
        output_tokens=sum(call.output_tokens for call in some),
        cost=round(sum(costs), 9) if costs else None,
    )
