"""What all language models have in common: cached answers, the budget, the log of calls."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from pipeline.backends.budgets import Budget, BudgetSpent, LocalLedger
from pipeline.backends.calls import Call, Prices, Totals, totals
from pipeline.backends.language_models.accounted import AccountedModel, ModelBackend, Reply
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.work import WorkContext
from pipeline.language_model import Completion, Prompt, Token
from pipeline.rarr.errors import BadConfig, RarrError, TransientError
from tests.support.scripted_model import MemoryCache


class Parrot:
    """A source that answers with the prompt in capitals and the number of the sample."""

    name = "parrot"

    def __init__(self, *, prices: Prices | None = None, model: str = "m") -> None:
        self.options = LlmOptions(prices=prices or Prices())
        self.identity = {"model": model}
        self.received: list[Prompt] = []
        self.firsts: list[int] = []
        self.errors: dict[str, RarrError] = {}

    def prepare(self) -> None: ...

    def ask(self, prompts: Sequence[Prompt], *, first: Sequence[int]) -> Sequence[Reply]:
        self.firsts += first
        position = len(self.received)
        self.received += prompts
        return [
            Reply(error=self.errors[prompt.text], attempts=2)
            if prompt.text in self.errors
            else Reply(
                texts=tuple(f"{prompt.text.upper()} {position}.{i}" for i in range(prompt.samples)),
                input_tokens=10,
                output_tokens=prompt.samples,
                seconds=0.5,
            )
            for prompt in prompts
        ]


def cached(source: ModelBackend, cache: MemoryCache) -> AccountedModel:
    return AccountedModel(source, work=WorkContext(cache=cache))


def texts(completions: Sequence[Completion]) -> list[tuple[str, ...]]:
    return [each.texts for each in completions]


A, B = Prompt(text="a"), Prompt(text="b")
WITH_TOKENS = replace(A, wants_tokens=True)


def sampled(samples: int) -> Prompt:
    return Prompt(text="s", samples=samples, temperature=0.7)


def test_a_prompt_is_sent_once_to_a_model_with_the_same_cache() -> None:
    parrot, other, cache = Parrot(), Parrot(model="n"), MemoryCache()
    first = cached(parrot, cache).complete([A, B, A])
    again = cached(parrot, cache).complete([B, A])
    assert parrot.received == [A, B]
    assert first[0] == first[2] != first[1]
    assert texts(again) == texts(first)[1::-1]
    cached(other, cache).complete([A])
    assert other.received == [A]
    AccountedModel(other).complete([A])
    assert other.received == [A, A]


def test_tokens_are_cached_with_the_answer_and_only_where_they_are_wanted() -> None:
    token = Token(text="A", alternatives=(("A", -0.5), ("B", -1.0)))

    class WithTokens(Parrot):
        def ask(self, prompts: Sequence[Prompt], *, first: Sequence[int]) -> Sequence[Reply]:
            return [replace(each, tokens=((token,),)) for each in super().ask(prompts, first=first)]

    source, stored = WithTokens(), MemoryCache()
    [first] = cached(source, stored).complete([WITH_TOKENS])
    assert first.tokens == ((token,),)
    stored.stored = json.loads(json.dumps(stored.stored))  # what a store returns
    [again] = cached(source, stored).complete([WITH_TOKENS])
    assert (again.tokens, len(source.received)) == (first.tokens, 1)
    [plain] = cached(source, stored).complete([A])
    assert (plain.tokens, len(source.received)) == ((), 2), "an answer without them is another one"


def test_samples_are_cached_one_by_one() -> None:
    parrot, cache = Parrot(), MemoryCache()
    model = cached(parrot, cache)
    two = model.complete([sampled(2)])[0].texts
    three = model.complete([sampled(3)])[0].texts
    assert three[:2] == two
    assert [prompt.samples for prompt in parrot.received] == [2, 1]
    assert parrot.firsts == [0, 2]
    assert model.complete([sampled(1)])[0].texts == two[:1]
    assert len(parrot.received) == 2


def test_all_of_a_prompt_decides_its_answer() -> None:
    parrot = Parrot()
    model = cached(parrot, MemoryCache())
    changes: dict[str, Any] = {"text": "a ", "system": "b", "temperature": 0.5, "max_tokens": 7}
    changes |= {"stop": ("\n",), "top_p": 0.95}
    prompts = [A, *(replace(A, **{name: value}) for name, value in changes.items())]
    for prompt in prompts:
        model.complete([prompt])
    assert parrot.received == prompts


@pytest.mark.parametrize("value", [None, "text", {"text": 7}, []])
def test_an_invalid_cached_value_is_requested_again(value: object) -> None:
    parrot, cache = Parrot(), MemoryCache()
    model = cached(parrot, cache)
    model.complete([A])
    cache.stored = dict.fromkeys(cache.stored, value)
    assert model.complete([A])[0].texts == ("A 1.0",)


def test_several_samples_without_temperature_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="temperature"):
        AccountedModel(Parrot()).complete([Prompt(text="a", samples=2)])


def test_an_error_is_raised_after_the_other_answers_are_cached_permanent_ones_first() -> None:
    parrot, cache = Parrot(), MemoryCache()
    parrot.errors = {"b": TransientError("later")}
    model = cached(parrot, cache)
    with pytest.raises(TransientError, match="later"):
        model.complete([A, B])
    parrot.errors = {}
    model.complete([A, B])
    assert parrot.received == [A, B, B]
    parrot.errors = {"a": TransientError("later"), "b": BadConfig("never")}
    with pytest.raises(BadConfig, match="never"):
        AccountedModel(parrot).complete([A, B])


def test_every_call_is_logged_with_what_it_took() -> None:
    parrot = Parrot(prices=Prices(input=1_000_000.0, output=2_000_000.0))
    parrot.errors = {"b": TransientError("later")}
    work = WorkContext(cache=MemoryCache())
    model = AccountedModel(parrot, work=work).for_step("agreement")
    model.complete([A])
    model.complete([A])
    with pytest.raises(TransientError):
        model.complete([B])
    paid, known, failed = log = work.calls
    assert paid == Call(step="agreement", input_tokens=10, output_tokens=1, seconds=0.5, cost=12.0)
    assert (known.is_cached, known.cost, known.attempts) == (True, 0.0, 0)
    assert (failed.error, failed.attempts) == ("TransientError: later", 2)
    counts = {"model_calls": 2, "cached_calls": 1, "input_tokens": 10, "output_tokens": 1}
    assert totals(log) == Totals(**counts, cost=12.0)
    assert [Call.from_plain(call.to_plain()) for call in log] == log
    assert known.to_plain() == {"step": "agreement", "requests": 0, "attempts": 0, "cost": 0.0}
    for plain in ({"colour": 1}, {"texts": 3}):
        with pytest.raises(ValueError, match="cannot be read"):
            Call.from_plain(plain)


def test_texts_are_logged_where_they_are_wanted_and_costs_where_prices_are_known() -> None:
    open_parrot, work = Parrot(), WorkContext()
    open_parrot.options = LlmOptions(keeps_texts=True)
    AccountedModel(Parrot(), work=work).complete([A])
    AccountedModel(open_parrot, work=work).complete([A])
    assert [(call.prompt, call.texts) for call in work.calls] == [("", ()), ("a", ("A 0.0",))]
    assert Call.from_plain(work.calls[1].to_plain()) == work.calls[1]
    assert work.calls[0].cost is totals(work.calls).cost is None
    assert totals([]) == Totals()


def test_passages_of_one_work_share_all_but_their_calls() -> None:
    work = WorkContext(cache=MemoryCache(), ledger=LocalLedger(Budget(calls=1)))
    one, other = work.for_passage(), work.for_passage()
    AccountedModel(Parrot(), work=one).complete([A])
    AccountedModel(Parrot(), work=other).complete([A])
    assert [each.is_cached for each in (*one.calls, *other.calls)] == [False, True]
    with pytest.raises(BudgetSpent):
        AccountedModel(Parrot(), work=other).complete([B])


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (Budget(calls=2), "budget of 2 calls is used up: 2 were made."),
        (Budget(tokens=20), "budget of 20 tokens is used up: 22 were spent."),
        (Budget(cost=0.5), r"budget of 0\.5 is used up: 0\.56 was spent."),
    ],
)
def test_a_budget_that_is_used_up_stops_the_next_call(budget: Budget, expected: str) -> None:
    parrot = Parrot(prices=Prices(input=10_000.0, output=180_000.0))
    ledger = LocalLedger(budget)
    model = AccountedModel(parrot, work=WorkContext(cache=MemoryCache(), ledger=ledger))
    model.complete([A])
    model.complete([B])
    with pytest.raises(BudgetSpent, match=expected):
        model.complete([Prompt(text="c")])
    assert len(model.complete([A, B])) == 2, "known answers cost nothing"
    assert len(parrot.received) == 2
    assert (ledger.spent.calls, ledger.spent.tokens) == (2, 22)
    assert ledger.spent.cost == pytest.approx(0.56)


def test_a_step_beyond_the_calls_left_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    parrot = Parrot()
    ledger = LocalLedger(Budget(calls=3))
    model = AccountedModel(parrot, work=WorkContext(ledger=ledger))
    model.complete([A, B])
    with pytest.raises(BudgetSpent, match="2 were made, and the next step needs 2"):
        model.complete([A, B])
    assert ledger.spent.calls == 2

    def broken(prompts: Sequence[Prompt], *, first: Sequence[int]) -> Sequence[Reply]:
        raise RuntimeError("broken")

    monkeypatch.setattr(parrot, "ask", broken)
    with pytest.raises(RuntimeError):
        model.complete([A])
    assert ledger.spent.calls == 3, "a call counts though its source breaks"


def test_a_budget_below_nothing_is_refused() -> None:
    for values in ({"calls": -1}, {"tokens": -5}, {"cost": float("nan")}):
        with pytest.raises(BadConfig, match=r"write 0 \(no limit\) or more"):
            Budget(**values)  # type: ignore[arg-type]
    assert bool(Budget(cost=0.01)) is not bool(Budget())
