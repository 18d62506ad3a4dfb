"""An answer written step by step: the model looks something up, says a sentence, or ends.

ALCE, section 4 (Interact, InlineSearch) and appendix C. What was looked up is shown for one step.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pipeline.generation.tools import Tools
from pipeline.generation.types import Question, Step
from pipeline.rarr.errors import UnreadableReply

_ACTION = re.compile(
    r"^[*_ \t]*(?:(?P<verb>check|search|output)[*_ ]*:[*_ ]*|(?P<end>end)[*_ .]*$)",
    re.IGNORECASE | re.MULTILINE,
)
_OUTPUT = "Output:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What the model asked for."""

    told: str
    """In its own terms, as it stays in the prompt."""
    shown: str
    """The passages, as they stand in the prompt for the next step."""
    problem: str = ""


Look = Callable[[str], Looked | None]
"""Looks up what stands behind the verb; None where it asks for nothing that there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The answer, and each step to it."""

    text: str
    steps: tuple[Step, ...]


def write_in_turns(
    question: Question,
    prompt: str,
    *,
    verb: str,
    look: Look,
    speaks_after_looking: bool,
    tools: Tools,
    **values: str,
) -> Written:
    """What the model says in at most `GenerationConfig.turns` steps.

    `prompt` names a prompt with `values`, and with the steps so far as its `turns`. `verb` is how
    the model looks up. A reply that is no action is told as a problem, and the model has to say
    something next, as it has after looking where `speaks_after_looking`. Where it cannot, or says
    the same once more, the answer ends. Raises `UnreadableReply` where it never said a thing.
    """
    said: list[str] = []
    lines: list[str] = []
    steps: list[Step] = []
    shown: list[str] = []
    has_to_speak = False
    for turn in range(1, tools.config.turns + 1):
        so_far = [*lines, *shown, *([_OUTPUT] if has_to_speak else [])]
        turns = "".join(f"\n{each}" for each in so_far)
        ((reply,),) = tools.complete(
            "step", [tools.prompt(prompt, question, turns=turns, **values)]
        )
        action = _read(reply, verb, tools, has_to_speak=has_to_speak)
        found = look(action[1]) if action and action[0] == verb else None
        shown = []
        if action is None or (action[0] == verb and found is None):
            tools.count_reply("step", UnreadableReply("The reply is no action.", reply=reply))
            steps.append(Step(name="problem", text=f"step {turn} is no action: {reply[:200]}"))
            if has_to_speak:
                break
            has_to_speak = True
            continue
        tools.count_reply("step", None)
        if found:
            lines.append(f"{verb.capitalize()}: {found.told}")
            shown = [found.shown]
            steps.append(Step(name=verb, text=found.told))
            if found.problem:
                steps.append(Step(name="problem", text=found.problem))
            has_to_speak = speaks_after_looking
        elif action[0] == "end":
            steps.append(Step(name="end", text=""))
            break
        elif action[1] in said:
            steps.append(Step(name="problem", text=f"step {turn} says the same again"))
            break
        else:
            said.append(action[1])
            lines.append(f"{_OUTPUT} {action[1]}")
            steps.append(Step(name="output", text=action[1]))
            has_to_speak = False
    else:
        steps.append(Step(name="problem", text=f"it did not end in {tools.config.turns} steps"))
    if not said:
        raise UnreadableReply(f"There is no output in {len(steps)} steps.", reply=reply)
    return Written(text=_joined(said, is_list=question.is_list), steps=tuple(steps))


def _read(reply: str, verb: str, tools: Tools, *, has_to_speak: bool) -> tuple[str, str] | None:
    """The first action of a reply and what stands behind it, on one line."""
    try:
        text = tools.read(reply)
    except UnreadableReply:
        return None
    if has_to_speak and not _ACTION.match(text):
        text = f"{_OUTPUT} {text}"
    found = _ACTION.search(text)
    if found is None:
        return None
    if found["end"]:
        return "end", ""
    behind = text[found.end() :].strip()
    first = " ".join(behind.split("\n", 1)[0].split())
    name = found["verb"].lower()
    # Not what it may only do in the other strategy, nor look again where it has to speak.
    is_allowed = name == "output" or (name == verb and not has_to_speak)
    return (name, first) if first and is_allowed else None


def _joined(said: Sequence[str], *, is_list: bool) -> str:
    if is_list:
        return f"{', '.join(each.rstrip('., ') for each in said)}."
    return " ".join(said)
