"""What a command asked of a language model, in a sentence."""

from collections.abc import Iterable

from pipeline.backends.calls import Call, totals


def in_a_sentence(calls: Iterable[Call]) -> str:
    """Requests, tokens and, where a price is known, money.

    >>> in_a_sentence([Call(requests=2, input_tokens=900, output_tokens=100)])
    'The language model was asked 2 times: 900 tokens in, 100 out.'
    >>> in_a_sentence([])
    'The language model was not asked.'
    """
    spent = totals(calls)
    known = f" {spent.cached_calls:,} answers were known already." if spent.cached_calls else ""
    if not spent.model_calls:
        return f"The language model was not asked.{known}"
    times = "once" if spent.model_calls == 1 else f"{spent.model_calls:,} times"
    money = "" if spent.cost is None else f", at a cost of {spent.cost:.4g}"
    return (
        f"The language model was asked {times}: {spent.input_tokens:,} tokens in, "
        f"{spent.output_tokens:,} out{money}.{known}"
    )
