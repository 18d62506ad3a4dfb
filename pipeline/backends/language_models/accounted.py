"""Language models with a cache, a budget and a log of calls."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import zip_longest
from typing import Any, Protocol, Self

from pipeline.backends.calls import Call
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.response_cache import cache_key
from pipeline.backends.work import WorkContext
from pipeline.language_model import Completion, Prompt, Token
from pipeline.rarr.errors import RarrError, TransientError


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A text for each sample, or an error."""

    texts: tuple[str, ...] = ()
    tokens: tuple[tuple[Token, ...], ...] = ()
    """Of each text, () where unknown; may be shorter than `texts`."""
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    requests: int = 1
    attempts: int = 1
    error: RarrError | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", tuple(map(storable, self.texts)))

    def __add__(self, other: "Reply") -> "Reply":
        return Reply(
            texts=self.texts + other.texts,
            tokens=self.tokens + other.tokens,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            seconds=self.seconds + other.seconds,
            requests=self.requests + other.requests,
            attempts=self.attempts + other.attempts,
            error=self.error or other.error,
        )


def storable(text: str) -> str:
    """Drop NUL and half surrogate pairs, which databases refuse.

    >>> storable("It fell\\0 \\ud83d.")
    'It fell ?.'
    """
    return text.replace("\0", "").encode(errors="replace").decode()


class ModelBackend(Protocol):
    name: str
    """As in settings."""
    options: LlmOptions

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that decides a reply besides the prompt, in JSON."""
        ...

    def prepare(self) -> None:
        """Complete `identity`; raises `BadConfig` for a missing model."""
        ...

    def ask(self, prompts: Sequence[Prompt], *, first: Sequence[int]) -> Sequence[Reply]:
        """Return a reply to each prompt, in order.

        `first` counts each prompt's cached samples, which a seeded source must not repeat.
        """
        ...


class AccountedModel:
    """A `LanguageModel` with cache, budget and log."""

    def __init__(
        self, source: ModelBackend, *, work: WorkContext | None = None, step: str = ""
    ) -> None:
        self.source = source
        self.work = work or WorkContext()
        self.step = step
        extra = dict(source.options.extra_tokens)
        self._extra_tokens = extra.get(step, extra.get("", 0))

    def for_step(self, step: str) -> Self:
        return type(self)(self.source, work=self.work, step=step)

    def for_work(self, work: WorkContext) -> Self:
        return type(self)(self.source, work=work, step=self.step)

    def complete(self, prompts: Sequence[Prompt]) -> Sequence[Completion]:
        """Complete distinct prompts, from the cache where possible.

        Raises `BudgetSpent`, `BadConfig`, `RefusedPrompt` or `TransientError`, after caching the
        other replies.
        """
        self.source.prepare()
        identity = dict(self.source.identity)
        keys: dict[Prompt, tuple[str, ...]] = {}
        for prompt in prompts:
            if prompt.samples > 1 and not prompt.temperature > 0:
                raise ValueError("Several samples need a temperature above 0: all would be equal.")
            # A key for each sample: more samples reuse cached ones.
            keys[prompt] = tuple(
                cache_key(
                    "completion",
                    model=identity,
                    text=prompt.text,
                    temperature=float(prompt.temperature),
                    max_tokens=prompt.max_tokens + self._extra_tokens,
                    stop=list(prompt.stop),
                    sample=sample,
                    **({"system": prompt.system} if prompt.system else {}),
                    **({"tokens": True} if prompt.wants_tokens else {}),
                    **({"top_p": prompt.top_p} if prompt.top_p < 1 else {}),
                )
                for sample in range(prompt.samples)
            )
        cached = self.work.cache.get_many([key for some in keys.values() for key in some])
        known = {
            key: value
            for key, value in cached.items()
            if isinstance(value, dict) and isinstance(value.get("text"), str)
        }
        missing = {
            prompt: absent
            for prompt, some in keys.items()
            if (absent := [key for key in some if key not in known])
        }
        for prompt, some in keys.items():
            if prompt not in missing:
                texts = tuple(known[key]["text"] for key in some)
                self._log(prompt, Reply(texts=texts, requests=0, attempts=0))
        if missing:
            wanted = [
                replace(
                    prompt, samples=len(some), max_tokens=prompt.max_tokens + self._extra_tokens
                )
                for prompt, some in missing.items()
            ]
            first = [prompt.samples - len(some) for prompt, some in missing.items()]
            self.work.ledger.reserve(len(wanted))
            # Where the source breaks, the calls stay counted: some may have been made.
            replies = self.source.ask(wanted, first=first)
            costs = [self._log(*each) for each in zip(wanted, replies, strict=True)]
            self.work.ledger.record_usage(
                calls=sum(reply.requests for reply in replies) - len(wanted),
                tokens=sum(reply.input_tokens + reply.output_tokens for reply in replies),
                cost=sum(filter(None, costs)),
            )
            fresh: dict[str, Any] = {}
            for absent, reply in zip(missing.values(), replies, strict=True):
                fresh |= zip(absent, _cache_values(reply), strict=False)  # an error has no texts
            if fresh:
                self.work.cache.put_many(fresh)
            known |= fresh
            if errors := [reply.error for reply in replies if reply.error]:
                # Permanent errors first.
                raise next((e for e in errors if not isinstance(e, TransientError)), errors[0])
        return [
            Completion(
                texts=tuple(known[key]["text"] for key in keys[prompt]),
                tokens=tuple(_tokens(known[key]) for key in keys[prompt])
                if prompt.wants_tokens
                else (),
                cache_keys=keys[prompt],
            )
            for prompt in prompts
        ]

    def forget(self, completions: Iterable[Completion]) -> None:
        self.work.cache.put_many(
            {key: None for completion in completions for key in completion.cache_keys}
        )

    def _log(self, prompt: Prompt, reply: Reply) -> float | None:
        options = self.source.options
        cost = options.prices.cost(
            input_tokens=reply.input_tokens, output_tokens=reply.output_tokens
        )
        self.work.calls.append(
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
                prompt=prompt.joined if options.keeps_texts else "",
                texts=reply.texts if options.keeps_texts else (),
            )
        )
        return cost


def _cache_values(reply: Reply) -> Iterator[dict[str, Any]]:
    for text, tokens in zip_longest(reply.texts, reply.tokens, fillvalue=()):
        yield {"text": text, **({"tokens": [astuple(each) for each in tokens]} if tokens else {})}


def _tokens(value: Mapping[str, Any]) -> tuple[Token, ...]:
    return tuple(
        Token(text=text, alternatives=tuple((name, logprob) for name, logprob in some))
        for text, some in value.get("tokens", ())
    )
