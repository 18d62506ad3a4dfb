"""Asking a language model and reading its replies, with one attempt to repair each."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pipeline.backends.language_models.accounted import AccountedModel
from pipeline.language_model import Forgetting, LanguageModel, Prompt, Token
from pipeline.rarr.errors import RefusedPrompt, UnreadableReply

T = TypeVar("T")

REPAIR = (
    "{prompt}\n{reply}\n\nThe reply above cannot be used: {problem} {form} Write nothing else.\n"
)
"""The second attempt: the prompt, the reply, what it lacks, and the form that is wanted."""
NOTHING: tuple[str, tuple[Token, ...]] = ("", ())
"""A reply that did not come."""
MOST_REPEATED = 2000
"""Characters of a bad reply that are shown to the model again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[T]):
    """A prompt, and how its reply is read."""

    prompt: Prompt
    read: Callable[[str], T]
    """Raises `UnreadableReply` with a sentence that says what is missing."""
    form: str
    """What the second attempt asks for: a sentence that names the form of the reply."""
    weigh: Callable[[T, Sequence[Token]], T] | None = None
    """What the chances of the reply's tokens add to what was read, where they are known."""


def ask(
    model: LanguageModel, requests: Sequence[Request[T]]
) -> list[tuple[T | UnreadableReply, ...]]:
    """For each request what its replies say, one a sample, or why one could not be read.

    All are asked together; those that cannot be read are asked together once more, one sample
    each, with the bad reply and what it lacks. Where a request has no readable reply even then,
    its replies are not kept: whoever tries again asks again. Raises what the model raises.
    """
    first = _completed(model, [request.prompt for request in requests])
    answers: list[list[T | UnreadableReply]] = []
    repairs: list[tuple[int, int, Prompt]] = []
    for place, (request, texts) in enumerate(zip(requests, first, strict=True)):
        answers.append([])
        for sample in range(request.prompt.samples):
            text, tokens = texts[sample] if sample < len(texts) else NOTHING
            answer = _read(request, text, tokens)
            answers[-1].append(answer)
            if isinstance(answer, UnreadableReply):
                repairs.append((place, sample, _repair(request, text, answer)))

    second = _completed(model, [prompt for _, _, prompt in repairs])
    for (place, sample, _), texts in zip(repairs, second, strict=True):
        answers[place][sample] = _read(requests[place], *(texts[0] if texts else NOTHING))
    _count_replies(model, answers, repaired={(place, sample) for place, sample, _ in repairs})
    unread = {
        place
        for place, some in enumerate(answers)
        if all(isinstance(answer, UnreadableReply) for answer in some)
    }
    if unread and isinstance(model, Forgetting):
        asked = [requests[place].prompt for place in sorted(unread)]
        model.forget([*asked, *(prompt for place, _, prompt in repairs if place in unread)])
    return [tuple(each) for each in answers]


def ask_each(
    model: LanguageModel, requests: Sequence[Request[T]]
) -> list[tuple[T | UnreadableReply | RefusedPrompt, ...]]:
    """As `ask`, but a prompt that the model refuses costs no other: its refusal stands there."""
    try:
        return [*ask(model, requests)]
    except RefusedPrompt as refusal:
        if len(requests) == 1:
            return [(refusal,)]
    return [answer for request in requests for answer in ask_each(model, [request])]


def ask_one(model: LanguageModel, request: Request[T]) -> T:
    """What the reply to a prompt of one sample says; raises `UnreadableReply` after the repair."""
    ((answer,),) = ask(model, [request])
    if isinstance(answer, UnreadableReply):
        raise answer
    return answer


def _completed(
    model: LanguageModel, prompts: Sequence[Prompt]
) -> list[tuple[tuple[str, tuple[Token, ...]], ...]]:
    """The texts of each prompt with their tokens, as far as those are known."""
    if not prompts:
        return []
    completions = model.complete(prompts)
    if len(completions) != len(prompts):
        raise UnreadableReply(
            f"The language model answered {len(completions)} of {len(prompts)} prompts."
        )
    return [completion.samples for completion in completions]


def _read(request: Request[T], text: str, tokens: Sequence[Token]) -> T | UnreadableReply:
    try:
        answer = request.read(text)
        return request.weigh(answer, tokens) if request.weigh and tokens else answer
    except UnreadableReply as error:
        # A reader says what is wrong; the reply itself is added here.
        return UnreadableReply(str(error), reply=text)


def _count_replies(
    model: LanguageModel,
    answers: Sequence[Sequence[object]],
    *,
    repaired: Collection[tuple[int, int]],
) -> None:
    """Count how each reply was read; `repaired` holds request and sample of second attempts."""
    if not isinstance(model, AccountedModel):
        return
    for request, samples in enumerate(answers):
        for sample, answer in enumerate(samples):
            attempts = 2 if (request, sample) in repaired else 1
            error = answer if isinstance(answer, UnreadableReply) else None
            model.count_reply(error, attempts=attempts)


def _repair(request: Request[T], reply: str, problem: UnreadableReply) -> Prompt:
    text = REPAIR.format(
        prompt=request.prompt.text.rstrip("\n"),
        reply=reply[:MOST_REPEATED].strip() or "(nothing)",
        problem=problem,
        form=request.form,
    )
    # The same words at the same temperature gave nonsense; now the likeliest words are wanted.
    return replace(request.prompt, text=text, samples=1, temperature=0.0)
