"""Step-by-step answers (ALCE, section 4: Interact, InlineSearch; appendix C).

A lookup's result is only in the prompt of the next step.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.generation.tools import Tools
from pipeline.generation.types import Question, Step
from pipeline.rarr.errors import UnreadableReply
from pipeline.replies.cleaning import json_fields, reply_text
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
_ABSTENTION = re.compile(
    r"\bnone of the (?:documents|passages)\b"
    r"|\bsorry\b.*\brelevant (?:documents?|passages?|information)\b",
    re.IGNORECASE | re.DOTALL,
)
"""The words at which ALCE's program ends an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupResult:
    query: str
    """The request, which stays in the prompt."""
    prompt_text: str
    """The passages, for the next step's prompt."""
    problem: str = ""


Lookup = Callable[[str], LookupResult | None]
"""Looks up the verb's argument; None if nothing matches."""


def write_interactively(
    question: Question,
    prompt: str,
    *,
    verb: str,
    lookup: Lookup,
    writes_after_lookup: bool,
    tools: Tools,
    **values: str,
) -> tuple[str, tuple[Step, ...]]:
    """Return the outputs and steps of at most `GenerationConfig.turns` steps.

    After a reply without an action, and after a lookup if `writes_after_lookup`, the model must
    output text; else, or after a repetition or an abstention, the answer ends. Raises
    `UnreadableReply` without any output.
    """
    outputs: list[str] = []
    lines: list[str] = []
    steps: list[Step] = []
    visible: list[str] = []
    must_write = False
    for number in range(1, tools.config.turns + 1):
        so_far = [*lines, *visible, *([_OUTPUT] if must_write else [])]
        turns = "".join(f"\n{each}" for each in so_far)
        ((reply,),) = tools.complete(
            "step", [tools.prompt(prompt, question, turns=turns, **values)]
        )
        if _ABSTENTION.search(reply):
            tools.count_reply("step", None)
            steps.append(Step(name="end", text=reply[:200]))
            break
        try:
            action = read_action(reply, verb, must_write=must_write)
        except UnreadableReply:
            action = None
        match = lookup(action[1]) if action and action[0] == verb else None
        visible = []
        if action is None or (action[0] == verb and match is None):
            tools.count_reply("step", UnreadableReply("The reply is no action.", reply=reply))
            steps.append(Step(name="problem", text=f"step {number} is no action: {reply[:200]}"))
            if must_write:
                break
            must_write = True
            continue
        tools.count_reply("step", None)
        if match:
            lines.append(f"{verb.capitalize()}: {match.query}")
            visible = [match.prompt_text]
            steps.append(Step(name=verb, text=match.query))
            if match.problem:
                steps.append(Step(name="problem", text=match.problem))
            must_write = writes_after_lookup
        elif action[0] == "end":
            steps.append(Step(name="end", text=""))
            break
        elif action[1] in outputs:
            steps.append(Step(name="problem", text=f"step {number} says the same again"))
            break
        else:
            outputs.append(action[1])
            lines.append(f"{_OUTPUT} {action[1]}")
            steps.append(Step(name="output", text=action[1]))
            must_write = False
    else:
        steps.append(Step(name="problem", text=f"it did not end in {tools.config.turns} steps"))
    if not outputs:
        raise UnreadableReply(f"There is no output in {len(steps)} steps.", reply=reply)
    return _joined(outputs, is_list=question.is_list), tuple(steps)


def read_action(reply: str, verb: str, *, must_write: bool = False) -> tuple[str, str]:
    """Parse a reply's first action: "output", "end" or `verb`, and its one-line argument.

    With `must_write` a reply without an action is an output. Raises `UnreadableReply` otherwise.
    """
    text = reply_text(reply)
    fields, _ = json_fields(text)
    if fields:
        text = _as_lines(dict(reversed(fields)))
    text = text.replace("`", "")
    action = _ACTION.search(text)
    if must_write and action is None:
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
    if not line or name not in ("output", verb) or (name == verb and must_write):
        raise UnreadableReply(f"The reply is not a step that is possible here: {text[:200]}")
    if name == "output":
        refuse_apology(line)
        refuse_brackets(line)
    return name, line


def _as_lines(fields: Mapping[str, str]) -> str:
    action = next((fields[key] for key in ("action", "step", "type") if key in fields), "")
    rest = [value for key, value in fields.items() if key in _ARGUMENTS]
    if action and not _ACTION.match(action):
        return f"{action}: {rest[0]}" if rest else action
    return action or "\n".join(f"{key}: {value}" for key, value in fields.items())


def _joined(outputs: Sequence[str], *, is_list: bool) -> str:
    if is_list:
        return f"{', '.join(each.rstrip('., ') for each in outputs)}."
    return " ".join(outputs)
