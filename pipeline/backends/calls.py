"""Each call of a language model, with its tokens, time and cost."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from pydantic import TypeAdapter

from pipeline.rarr.serialization import from_plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """The prices of a million tokens, in any currency; None where a price is not known."""

    input: float | None = None
    output: float | None = None

    @property
    def are_known(self) -> bool:
        return self.input is not None or self.output is not None

    def cost(self, *, input_tokens: int, output_tokens: int) -> float | None:
        """The price of so many tokens; None where no price is known.

        >>> Prices(input=2.0, output=8.0).cost(input_tokens=500_000, output_tokens=250_000)
        3.0
        """
        if not self.are_known:
            return None
        return (input_tokens * (self.input or 0.0) + output_tokens * (self.output or 0.0)) / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One prompt and what its answer took."""

    step: str = ""
    """What the answer was for: "queries", "agreement", "edit", …"""
    requests: int = 1
    """Requests that it took: more than one where the server gives one sample at a time; 0 where
    the answer was known already."""
    samples: int = 1
    attempts: int = 1
    """Tries of all requests together, the failed ones too; 0 where the answer was known."""
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None
    error: str = ""
    """Why there is no answer."""
    prompt: str = ""
    texts: tuple[str, ...] = ()
    """Prompt and answers, only where they are asked for (`RARR_LLM_LOG_TEXTS`)."""

    @property
    def is_cached(self) -> bool:
        return self.requests == 0

    def to_plain(self) -> dict[str, Any]:
        """JSON values, without those that equal the defaults: there are many calls."""
        plain: dict[str, Any] = TypeAdapter(Call).dump_python(
            self, mode="json", exclude_defaults=True
        )
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """What `to_plain` made it of; raises `ValueError` for what it cannot have made."""
        try:
            return from_plain(cls, plain)
        except ValueError as error:
            raise ValueError(f"A call cannot be read: {error}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Calls together; the names are those of `Usage`."""

    model_calls: int = 0
    cached_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """None where no call has a price."""

    def as_usage(self) -> dict[str, Any]:
        return asdict(self)


def totals(calls: Iterable[Call]) -> Totals:
    """What the calls took together."""
    some = list(calls)
    costs = [call.cost for call in some if call.cost is not None]
    return Totals(
        model_calls=sum(call.requests for call in some),
        cached_calls=sum(call.is_cached for call in some),
        input_tokens=sum(call.input_tokens for call in some),
        output_tokens=sum(call.output_tokens for call in some),
        cost=round(sum(costs), 9) if costs else None,
    )
