"""Prompt a language model and read its replies, with one second attempt for each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pipeline.backends.language_models.accounted import AccountedModel
from pipeline.language_model import Completion, LanguageModel, Prompt, Token
from pipeline.rarr.errors import RefusedPrompt, UnreadableReply

T = TypeVar("T")

REPAIR = (
    "{prompt}\n{reply}\n\nThe reply above cannot be used: {problem} {form} Write nothing else.\n"
)
MAX_REPEATED = 2000
"""Characters of an unreadable reply that the second attempt repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[T]):
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
    completions = model.complete([request.prompt for request in requests])
    answers: list[list[T | UnreadableReply]] = []
    repairs: dict[tuple[int, int], Prompt] = {}
    for index, (request, completion) in enumerate(zip(requests, completions, strict=True)):
        answers.append([])
        for sample, text in enumerate(completion.texts):
            answer = _read(request, completion, sample)
            answers[-1].append(answer)
            if isinstance(answer, UnreadableReply):
                repairs[index, sample] = _repair(request, text, answer)
    repaired: dict[tuple[int, int], Completion] = {}
    if repairs:
        repaired = dict(zip(repairs, model.complete(list(repairs.values())), strict=True))
        for (index, sample), completion in repaired.items():
            answers[index][sample] = _read(requests[index], completion, 0)

    unread: list[Completion] = []
    for index, some in enumerate(answers):
        errors = [answer if isinstance(answer, UnreadableReply) else None for answer in some]
        if isinstance(model, AccountedModel):
            for sample, error in enumerate(errors):
                attempts = 2 if (index, sample) in repairs else 1
                model.work.replies.count(model.step, error, attempts=attempts)
        if all(errors):
            unread += completions[index], *(repaired[index, sample] for sample in range(len(some)))
    if unread:
        model.forget(unread)
    return [tuple(some) for some in answers]


def ask_each(
    model: LanguageModel, requests: Sequence[Request[T]]
) -> list[T | UnreadableReply | RefusedPrompt]:
    """Ask for one sample of each request; a refused prompt's error replaces its answer."""
    try:
        return [answer for (answer,) in ask(model, requests)]
    except RefusedPrompt as refusal:
        if len(requests) == 1:
            return [refusal]
    return [answer for request in requests for answer in ask_each(model, [request])]


def ask_one(model: LanguageModel, request: Request[T]) -> T:
    """Return the answer to a prompt of one sample; raises `UnreadableReply`."""
    ((answer,),) = ask(model, [request])
    if isinstance(answer, UnreadableReply):
        raise answer
    return answer


def _read(request: Request[T], completion: Completion, sample: int) -> T | UnreadableReply:
    text = completion.texts[sample]
    try:
        answer = request.read(text)
        if request.apply_logprobs and completion.tokens and (tokens := completion.tokens[sample]):
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
