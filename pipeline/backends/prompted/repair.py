"""Prompt a language model and read its replies, with one second attempt for each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pipeline.backends.language_models.accounted import AccountedModel
from pipeline.language_model import Forgetting, LanguageModel, Prompt, Token
from pipeline.rarr.errors import RefusedPrompt, UnreadableReply

T = TypeVar("T")

REPAIR = (
    "{prompt}\n{reply}\n\nThe reply above cannot be used: {problem} {form} Write nothing else.\n"
)
MAX_REPEATED = 2000
"""Characters of an unreadable reply that the second attempt repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[T]):
    """A prompt with the reader of its replies."""

    prompt: Prompt
    read: Callable[[str], T]
    """Raises `UnreadableReply` with a sentence about what is missing."""
    form: str
    """A sentence for the second attempt about the reply's form."""
    apply_logprobs: Callable[[T, Sequence[Token]], T] | None = None
    """Adds the probabilities of the reply's tokens, where known."""


def ask(
    model: LanguageModel, requests: Sequence[Request[T]]
) -> list[tuple[T | UnreadableReply, ...]]:
    """Return an answer or an error for each sample of each request.

    All requests are sent together. Unreadable replies are sent together once more, one sample
    each. Requests without any readable reply leave the cache. Raises what the model raises.
    """
    if not requests:
        return []
    answers: list[list[T | UnreadableReply]] = []
    repairs: dict[tuple[int, int], Prompt] = {}
    completions = model.complete([request.prompt for request in requests])
    for index, (request, completion) in enumerate(zip(requests, completions, strict=True)):
        tokens = completion.tokens or ((),) * len(completion.texts)
        answers.append([])
        for sample, reply in enumerate(zip(completion.texts, tokens, strict=True)):
            answer = _read(request, *reply)
            answers[-1].append(answer)
            if isinstance(answer, UnreadableReply):
                repairs[index, sample] = _repair(request, reply[0], answer)

    if repairs:
        completions = model.complete(list(repairs.values()))
        for (index, sample), completion in zip(repairs, completions, strict=True):
            answers[index][sample] = _read(
                requests[index],
                completion.texts[0],
                completion.tokens[0] if completion.tokens else (),
            )

    unread: list[Prompt] = []
    for index, some in enumerate(answers):
        for sample, answer in enumerate(some):
            if isinstance(model, AccountedModel):
                error = answer if isinstance(answer, UnreadableReply) else None
                model.count_reply(error, attempts=2 if (index, sample) in repairs else 1)
        if all(isinstance(answer, UnreadableReply) for answer in some):
            unread.append(requests[index].prompt)
            unread += [repairs[index, sample] for sample in range(len(some))]
    if unread and isinstance(model, Forgetting):
        model.forget(unread)
    return [tuple(some) for some in answers]


def ask_each(
    model: LanguageModel, requests: Sequence[Request[T]]
) -> list[tuple[T | UnreadableReply | RefusedPrompt, ...]]:
    """Do as `ask`, and return a refused prompt's error in place of its answers."""
    try:
        return [*ask(model, requests)]
    except RefusedPrompt as refusal:
        if len(requests) == 1:
            return [(refusal,)]
    return [answer for request in requests for answer in ask_each(model, [request])]


def ask_one(model: LanguageModel, request: Request[T]) -> T:
    """Return the answer to a prompt of one sample; raises `UnreadableReply`."""
    ((answer,),) = ask(model, [request])
    if isinstance(answer, UnreadableReply):
        raise answer
    return answer


def _read(request: Request[T], text: str, tokens: Sequence[Token]) -> T | UnreadableReply:
    try:
        answer = request.read(text)
        if request.apply_logprobs and tokens:
            answer = request.apply_logprobs(answer, tokens)
        return answer
    except UnreadableReply as error:
        return UnreadableReply(str(error), reply=text)


def _repair(request: Request[T], reply: str, problem: UnreadableReply) -> Prompt:
    text = REPAIR.format(
        prompt=request.prompt.text.rstrip("\n"),
        reply=reply[:MAX_REPEATED].strip() or "(nothing)",
        problem=problem,
        form=request.form,
    )
    # The same words at the same temperature failed; now the likeliest words are wanted.
    return replace(request.prompt, text=text, samples=1, temperature=0.0)
