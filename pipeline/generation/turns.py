"""An answer written step by step: the model looks something up, says a sentence, or ends.

ALCE, section 4 (Interact, InlineSearch) and appendix C. What was looked up is shown for one step.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.generation.tools import Tools
from pipeline.generation.types import Question, Step
from pipeline.rarr.errors import UnreadableReply
from pipeline.replies.cleaning import reply_text
from pipeline.replies.json_fields import json_fields
from pipeline.replies.markup import plain_answer, without_quotes
from pipeline.replies.remarks import refuse_apology, refuse_brackets, without_opening

_ACTION = re.compile(
    r"^[^\w\n\[(]{0,12}(?:(?:step|action|turn)[ ]?\d{0,2}[.:)]?[*_ \t]{1,4}"
    r"|\d{1,2}[.)][*_ \t]{1,4})?"
    r"(?:action[*_]{0,2}:[*_ \t]{0,4})?"
    r"(?:(?P<verb>check|search|output)(?:[*_ ]{0,4}:[*_ ]{0,4}"
    r"|[*_]{0,2}\n(?:[^\w\n]{0,4}(?:action )?(?:input|query|argument|text)[*_]{0,2}:[ \t]*)"
    r"|[*_]{0,2}(?P<bracket>[\[(])(?!\d+[\])])[\"“]?)"
    r"|\[?(?P<end>end)(?: of (?:the )?answer)?\b[\]*_ .!]{0,8}(?:$|[-–—:(]))",
    re.IGNORECASE | re.MULTILINE,
)
_ARGUMENTS = (
    "input",
    "action input",
    "query",
    "argument",
    "text",
    "content",
    "value",
    "output",
    "documents",
    "search",
    "check",
)
_END_IN_BRACKETS = re.compile(r"\s?[(\[*]{1,2}end[)\]*]{1,2}\.?\s*$", re.IGNORECASE)
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


def write_in_turns(
    question: Question,
    prompt: str,
    *,
    verb: str,
    look: Look,
    speaks_after_looking: bool,
    tools: Tools,
    **values: str,
) -> tuple[str, tuple[Step, ...]]:
    """What the model says in at most `GenerationConfig.turns` steps, and each of them.

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
        try:
            action = read_action(reply, verb, has_to_speak=has_to_speak)
        except UnreadableReply:
            action = None
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
    return _joined(said, is_list=question.is_list), tuple(steps)


def read_action(reply: str, verb: str, *, has_to_speak: bool = False) -> tuple[str, str]:
    """The first action of a reply: "output", "end" or `verb`, and what follows it on one line.

    With `has_to_speak` a reply without an action is an output. Raises `UnreadableReply` for any
    other reply, and for the verb of the other strategy.
    """
    text = reply_text(reply)
    known, _ = json_fields(text)
    if known:
        text = _as_lines(dict(reversed(known)))
    text = text.replace("`", "")
    action = _ACTION.search(text)
    if has_to_speak and action is None:
        text = f"{_OUTPUT} {without_opening(text)}"
        action = _ACTION.search(text)
    if action is None:
        raise UnreadableReply(f"The reply is not a step: {text[:200]}")
    if action["end"]:
        return "end", ""
    name = action["verb"].lower()
    line = next((each for each in text[action.end() :].strip().split("\n")), "")
    if _ACTION.match(line):
        line = ""
    if action["bracket"]:
        line = line.partition("]" if action["bracket"] == "[" else ")")[0]
    line = " ".join(without_quotes(plain_answer(_END_IN_BRACKETS.sub("", line))).split())
    if name == "output" and line.strip(" .").lower() == "end":
        return "end", ""
    # Not what it may only do in the other strategy, nor look again where it has to speak.
    if not line or name not in ("output", verb) or (name == verb and has_to_speak):
        raise UnreadableReply(f"The reply is not a step that is possible here: {text[:200]}")
    if name == "output":
        refuse_apology(line)
        refuse_brackets(line)
    return name, line


def _as_lines(known: Mapping[str, str]) -> str:
    """The fields of a JSON reply as the line of a step."""
    action = next((known[key] for key in ("action", "step", "type") if key in known), "")
    rest = [value for key, value in known.items() if key in _ARGUMENTS]
    if action and not _ACTION.match(action):
        return f"{action}: {rest[0]}" if rest else action
    return action or "\n".join(f"{key}: {value}" for key, value in known.items())


def _joined(said: Sequence[str], *, is_list: bool) -> str:
    if is_list:
        return f"{', '.join(each.rstrip('., ') for each in said)}."
    return " ".join(said)
