"""What all language models have in common: kept answers, the budget, and the log of calls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Protocol, Self

from pipeline.backends.answers import key_of
from pipeline.backends.calls import Call, Prices
from pipeline.backends.work import WorkContext
from pipeline.language_model import Completion, Prompt, Token
from pipeline.rarr.errors import RarrError, TransientError, UnreadableReply


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a source made of one prompt: one answer per sample, or an error."""

    texts: tuple[str, ...] = ()
    tokens: tuple[tuple[Token, ...], ...] = ()
    """Those of each text, () for one whose tokens are not known; shorter than `texts` for none."""
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    requests: int = 1
    attempts: int = 1
    error: RarrError | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", tuple(map(storable, self.texts)))


def storable(text: str) -> str:
    """The text as any database can store it: without NUL, halves of surrogate pairs as "?".

    >>> storable("It fell\\0 \\ud83d.")
    'It fell ?.'
    """
    return text.replace("\0", "").encode(errors="replace").decode()


class Source(Protocol):
    """One language model by name; answers prompts, and knows no budget and no cache."""

    @property
    def name(self) -> str:
        """As settings name it."""
        ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """JSON values: everything that decides an answer besides the prompt."""
        ...

    @property
    def prices(self) -> Prices: ...

    @property
    def keeps_texts(self) -> bool: ...

    def prepared(self, prompt: Prompt, *, step: str) -> Prompt:
        """The prompt of a sub-task as this source sends it: what its kept answers go by."""
        ...

    def ask(self, prompts: Sequence[Prompt], *, first: Sequence[int]) -> Sequence[Reply]:
        """A reply to each prompt, in order. What goes wrong with a prompt stands in its reply.

        `first` holds how many samples of each prompt are known already: a source that draws by a
        seed must not draw those again.
        """
        ...


class AccountedModel:
    """A `LanguageModel` that asks each prompt once, within the budget, and logs every call."""

    def __init__(self, source: Source, *, work: WorkContext | None = None, step: str = "") -> None:
        self.source = source
        self._work = work or WorkContext()
        self.step = step

    @property
    def name(self) -> str:
        return self.source.name

    def for_step(self, step: str) -> Self:
        """The same model, its calls logged under the name of a step."""
        return type(self)(self.source, work=self._work, step=step)

    def for_work(self, work: WorkContext) -> Self:
        """The same model; its answers, budget and log are those of the work."""
        return type(self)(self.source, work=work, step=self.step)

    def count_reply(self, error: UnreadableReply | None, *, attempts: int) -> None:
        """Count a reply of the step; see `ReplyCounter.count`."""
        self._work.replies.count(self.step, error, attempts=attempts)

    def complete(self, prompts: Sequence[Prompt]) -> Sequence[Completion]:
        """The answers, in order; those that are known come from the kept ones.

        Raises `BudgetSpent` before anything is asked; `BadConfig` where the model cannot answer
        at all; `RefusedPrompt` where it refuses one of the prompts; `TransientError` where a
        prompt stayed unanswered. The answers to the other prompts are kept in each case, so
        asking again costs only what is missing.
        """
        prompts = [self.source.prepared(prompt, step=self.step) for prompt in prompts]
        distinct = list(dict.fromkeys(prompts))
        for prompt in distinct:
            if prompt.samples > 1 and not prompt.temperature > 0:
                raise ValueError("Several samples need a temperature above 0: all would be equal.")
        keys = {prompt: self._keys(prompt) for prompt in distinct}
        known = dict(self._work.answers.get_many([key for some in keys.values() for key in some]))
        known = {key: value for key, value in known.items() if _is_answer(value)}
        asked = {
            prompt: replace(prompt, samples=missing)
            for prompt in distinct
            if (missing := sum(key not in known for key in keys[prompt]))
        }
        for prompt in distinct:
            if prompt not in asked:
                texts = tuple(known[key]["text"] for key in keys[prompt])
                self._log(prompt, Reply(texts=texts, requests=0, attempts=0))
        first = [prompt.samples - some.samples for prompt, some in asked.items()]
        found = self._ask(list(asked.values()), first) if asked else []
        replies = dict(zip(asked, found, strict=True))

        fresh: dict[str, Any] = {}
        for prompt, reply in replies.items():
            absent = [key for key in keys[prompt] if key not in known]
            # Fewer texts than keys only where the reply is an error.
            fresh |= dict(zip(absent, _kept(reply), strict=False))
        if fresh:
            self._work.answers.put_many(fresh)
        if errors := [reply.error for reply in found if reply.error]:
            # What no other try will cure is said first.
            raise next((e for e in errors if not isinstance(e, TransientError)), errors[0])

        known |= fresh
        nothing = Reply(requests=0)
        return [
            Completion(
                texts=tuple(known[key]["text"] for key in keys[prompt]),
                tokens=tuple(_tokens(known[key]) for key in keys[prompt])
                if prompt.wants_tokens
                else (),
                input_tokens=replies.get(prompt, nothing).input_tokens,
                output_tokens=replies.get(prompt, nothing).output_tokens,
            )
            for prompt in prompts
        ]

    def forget(self, prompts: Sequence[Prompt]) -> None:
        """Ask these anew next time; see `Forgetting`."""
        prompts = [self.source.prepared(prompt, step=self.step) for prompt in prompts]
        # What is no answer is as good as none.
        self._work.answers.put_many({key: None for prompt in prompts for key in self._keys(prompt)})

    def _ask(self, prompts: Sequence[Prompt], first: Sequence[int]) -> Sequence[Reply]:
        """Ask within the budget. Every reply is logged and paid for, also one without an answer."""
        ledger = self._work.ledger
        ledger.reserve(len(prompts))
        # Where the source breaks, the calls stay counted: nobody knows which were made.
        replies = self.source.ask(prompts, first=first)
        costs = [self._log(*each) for each in zip(prompts, replies, strict=True)]
        ledger.settle(
            calls=sum(reply.requests for reply in replies) - len(prompts),
            tokens=sum(reply.input_tokens + reply.output_tokens for reply in replies),
            cost=sum(filter(None, costs)),
        )
        return replies

    def _log(self, prompt: Prompt, reply: Reply) -> float | None:
        """Enter the call in the log; what it cost."""
        cost = self.source.prices.cost(
            input_tokens=reply.input_tokens, output_tokens=reply.output_tokens
        )
        self._work.calls.append(
            Call(
                step=self.step,
                requests=reply.requests,
                samples=prompt.samples,
                attempts=reply.attempts,
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                seconds=round(reply.seconds, 6),
                cost=cost,
                error=f"{type(reply.error).__name__}: {reply.error}" if reply.error else "",
                prompt=prompt.joined if self.source.keeps_texts else "",
                texts=reply.texts if self.source.keeps_texts else (),
            ),
        )
        return cost

    def _keys(self, prompt: Prompt) -> list[str]:
        """One key per sample, so that a run with more samples finds the answers of a run with
        fewer.
        """
        return [
            key_of(
                "completion",
                model=dict(self.source.identity),
                text=prompt.text,
                temperature=float(prompt.temperature),
                max_tokens=prompt.max_tokens,
                stop=list(prompt.stop),
                sample=sample,
                **({"system": prompt.system} if prompt.system else {}),
                **({"tokens": True} if prompt.wants_tokens else {}),
            )
            for sample in range(prompt.samples)
        ]


def _kept(reply: Reply) -> Iterator[dict[str, Any]]:
    """What is kept of each text of a reply."""
    for text, tokens in Completion(texts=reply.texts, tokens=reply.tokens).samples:
        yield {"text": text, **({"tokens": [astuple(each) for each in tokens]} if tokens else {})}


def _tokens(answer: Mapping[str, Any]) -> tuple[Token, ...]:
    """The tokens of a kept answer; () where none were told."""
    return tuple(
        Token(text=text, alternatives=tuple((name, chance) for name, chance in some))
        for text, some in answer.get("tokens", ())
    )


def _is_answer(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("text"), str)
