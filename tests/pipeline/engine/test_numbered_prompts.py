"""RARR by prompts in the form of its reference implementation, from a file to a file.

Their labels are numbered and they end inside an item: a completing model goes on in the middle of
the line, and a chat model often begins the line again.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import read, revise, write_lines
from tests.support.llm_script import SECOND_ATTEMPT
from tests.support.llm_server import installed

FOLDER = Path(__file__).parents[2] / "data" / "numbered_prompts"
HALL = "Marlow Hall is a concert hall in Denby. It opened in 1904. It has 812 seats."
PASSAGES = [
    ("Marlow Hall has 812 seats. It opened in 1902.", ""),
    ("It has 812 seats. It opened in 1902.", "Marlow Hall is a concert hall in Denby."),
]
"""Each with its context."""
QUESTIONS = ["When did Marlow Hall open?", "How many seats does Marlow Hall have?"]

Style = Callable[[str, str], str]
"""A reply to the item that ends the prompt, made of the text that follows the item."""


def goes_on(item: str, rest: str) -> str:
    return f" {rest}"


def goes_on_to_the_next_example(item: str, rest: str) -> str:
    first = item.splitlines()[0].split(":")[0]
    return f" {rest}\n\n{first}: Ice floats.\n2. I checked: Does ice float?"


def begins_the_line_again(item: str, rest: str) -> str:
    return f"{item.splitlines()[-1]} {rest}"


def begins_the_line_again_without_its_number(item: str, rest: str) -> str:
    return begins_the_line_again(item, rest).partition(" ")[2]


def begins_the_item_again(item: str, rest: str) -> str:
    return f"{item} {rest}"


def writes_labels_in_bold(item: str, rest: str) -> str:
    reply = begins_the_line_again(item, rest)
    return re.sub(r"(?m)^(\d\. [A-Z][a-z ]+:)", r"**\1**", reply)


STYLES = [
    goes_on,
    goes_on_to_the_next_example,
    begins_the_line_again,
    begins_the_line_again_without_its_number,
    begins_the_item_again,
    writes_labels_in_bold,
]


def answers_in(style: Style) -> Callable[[str], str]:
    """A model that finds 1902 in a statement and 1904 in the article."""

    def answer(prompt: str) -> str:
        last = prompt.rsplit("\n\n", 1)[-1]
        fields = dict(re.findall(r"(?m)^(?:\d\. )?(\w[\w ]*): (.+)$", last))
        if "You said" not in fields:  # the shipped prompts of the scores
            return f"Rewritten: {fields['Sentence']}" if "Text" in fields else "Verdict: supports"
        claim = fields["You said"]
        if last.endswith(","):
            return "\n".join(f"{i}. I googled: {each}" for i, each in enumerate(QUESTIONS, 1))
        following = 6 if "Context" in fields else 5
        if last.endswith("This suggests"):
            fixed = claim.replace("1902", "1904")
            return style(last, f"1902 is wrong.\n{following}. My fix: {fixed}")
        if "open" not in fields["I checked"]:
            verdict = "is irrelevant to"
        else:
            verdict = "disagrees with" if "1902" in claim else "agrees with"
        reason = "The article said 1904 and you said 1902."
        return style(last, f"{reason}\n{following}. Therefore: This {verdict} what you said.")

    return answer


@pytest.mark.parametrize(
    ("api", "style"),
    [*(("chat", each) for each in STYLES), *(("completions", each) for each in STYLES[:2])],
)
def test_edits_are_accepted_at_the_first_attempt(
    api: str, style: Style, settings: Any, state_folder: None, tmp_path: Path
) -> None:
    settings.RARR_PROMPTS, settings.RARR_LLM_API = str(FOLDER), api
    source = write_lines(
        tmp_path / "in.jsonl", [{"text": text, "context": context} for text, context in PASSAGES]
    )
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "hall.txt").write_text(HALL)
    out = tmp_path / "out.jsonl"
    changed = ("contextual_prompts=any", "query_samples=1", "entailment=openai:stub")
    sets = [argument for setting in changed for argument in ("--set", setting)]
    with installed(answers_in(style), settings) as server:
        status, stderr = revise(source, "--corpus", tmp_path / "pages", "--out", out, *sets)
    assert (status, stderr) == (0, "Revised: 2. Failed: 0.\n")
    for row, (text, _) in zip(read(out), PASSAGES, strict=True):
        assert row["result"]["questions"] == QUESTIONS
        revision = row["result"]["revisions"][0]
        assert revision["revised_text"] == text.replace("1902", "1904")
        assert [gate["is_open"] for gate in revision["agreement_gates"]] == [True, False]
    assert SECOND_ATTEMPT not in "".join(server.prompts)
    ours = [request for request in server.requests if "You said" in request.prompt]
    assert not any(request.system for request in ours)
