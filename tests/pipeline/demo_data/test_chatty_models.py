"""The demo's passages revised by a model that is right, in the styles of chat models.

The scripted server knows the planted errors. Whatever it writes around its replies, each passage
loses its errors and nothing else, and nothing is asked a second time.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pipeline.demo_data import DOCUMENTS, PASSAGES, PlantedError, planted
from pipeline.importing.passages import PassageRow, read_passages
from tests.support.commands import read, revise
from tests.support.llm_script import SECOND_ATTEMPT
from tests.support.llm_server import installed

PLANTED = planted()
TEXTS = {
    row.external_id: row.text for row in read_passages(PASSAGES) if isinstance(row, PassageRow)
}
SETTINGS = [
    "--set=query_samples=1",
    "--set=documents_per_query=2",
    "--set=evidence_per_query=1",
    "--set=entailment=openai:stub",
]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The right reply to a prompt: lines behind labels, or a list of questions."""

    lines: Mapping[str, str]
    """By label."""
    questions: tuple[str, ...] = ()

    @property
    def is_edit(self) -> bool:
        return "Fixed passage" in self.lines


def plain(reply: Reply) -> str:
    labelled = [f"{label}: {text}" for label, text in reply.lines.items()]
    listed = [f"{number}. {text}" for number, text in enumerate(reply.questions, 1)]
    return "\n".join([*labelled, *listed])


def after_a_greeting(reply: Reply) -> str:
    return f"Sure! Here is what you asked for:\n\n{plain(reply)}"


def with_bold_labels(reply: Reply) -> str:
    return re.sub(r"(?m)^([A-Z][a-z ]+:|\d+\.)", r"**\1**", plain(reply))


def in_a_fence(reply: Reply) -> str:
    return f"```text\n{plain(reply)}\n```"


def as_json(reply: Reply) -> str:
    keys = {label.lower().replace(" ", "_"): text for label, text in reply.lines.items()}
    result = {"questions": reply.questions} if reply.questions else keys
    return f"Here is the result as JSON:\n\n```json\n{json.dumps(result, indent=2)}\n```"


def under_headings(reply: Reply) -> str:
    sections = [f"### {label}\n\n{text}" for label, text in reply.lines.items()]
    return "\n\n".join(sections) or f"### Questions\n\n{plain(reply)}"


def with_a_closing_offer(reply: Reply) -> str:
    return f"{plain(reply)}\n\nLet me know if you would like me to check anything else!"


def with_a_remark_in_brackets(reply: Reply) -> str:
    apart = " " if reply.is_edit else "\n\n"
    return f"{plain(reply)}{apart}(Note: I have changed as little as possible.)"


def with_numbered_labels(reply: Reply) -> str:
    labelled = [f"{i}. {label}: {text}" for i, (label, text) in enumerate(reply.lines.items(), 1)]
    listed = [f"Q{number}: {text}" for number, text in enumerate(reply.questions, 1)]
    return "\n".join([*labelled, *listed])


def after_thoughts(reply: Reply) -> str:
    return f"<think>\nVerdict: agrees? Fixed passage: none yet.\n</think>\n\n{plain(reply)}"


def with_html_and_a_special_token(reply: Reply) -> str:
    return re.sub(r"(?m)^([A-Z][a-z ]+:)", r"<b>\1</b>", plain(reply)) + "<|im_end|>"


STYLES = [
    plain,
    after_a_greeting,
    with_bold_labels,
    in_a_fence,
    as_json,
    under_headings,
    with_a_closing_offer,
    with_a_remark_in_brackets,
    with_numbered_labels,
    after_thoughts,
    with_html_and_a_special_token,
]


def right_reply(prompt: str) -> Reply:
    """What a model that knows the planted errors replies to a prompt."""
    last = prompt.rstrip().rsplit("\n\n", 1)[-1]
    fields = dict(line.split(": ", 1) for line in last.splitlines() if ": " in line)
    if "Text" in fields:
        return Reply(lines={"Rewritten": fields["Sentence"]})
    if "Sentence" in fields:
        is_about = fields["Sentence"].split()[0] in fields["Evidence"]
        return Reply(lines={"Verdict": "supports" if is_about else "neither"})
    passage = fields["Passage"]
    known = next(each for each in PLANTED.values() if is_version(passage, each.id))
    if last.endswith("Questions:"):
        requests = [question_about(error, passage) for error in known.errors]
        return Reply(lines={}, questions=(*requests, f"Is this true: {passage.split('. ')[0]}?"))
    questions = {question_about(each, TEXTS[known.id]): each for each in known.errors}
    error = questions.get(fields["Question"])
    if "Fixed passage:" in prompt:
        assert error
        fixed = passage.replace(error.wrong, error.right)
        # Some models copy the tags, others do not.
        fixed = fixed if len(passage) % 2 else f"<passage>{fixed}</passage>"
        change = f'"{error.wrong}" has to become "{error.right}".'
        return Reply(lines={"Change": change, "Fixed passage": fixed})
    is_wrong = error and error.wrong in passage and error.right in fields["Evidence"]
    lines = {
        "The passage implies": "What it states.",
        "The evidence says": "What the article has.",
        "Reasoning": "The two are compared.",
        "Verdict": "disagrees" if is_wrong else "agrees",
    }
    return Reply(lines=lines)


def is_version(text: str, name: str) -> bool:
    """Whether a text is that passage with some of its errors put right."""
    return PLANTED[name].corrected(text) == PLANTED[name].corrected(TEXTS[name])


def question_about(error: PlantedError, passage: str) -> str:
    (sentence,) = [each for each in passage.split(". ") if error.wrong in each]
    title = Path(error.document).stem.replace("-", " ").title()
    return f"About {title}, is it {error.right} or {error.wrong} where {sentence.rstrip('.')}?"


def answers_in(style: Callable[[Reply], str]) -> Callable[[str], str]:
    """A model that writes so; asked again, it writes the reply alone."""
    first_prompts: list[str] = []

    def answer(prompt: str) -> str:
        if SECOND_ATTEMPT in prompt:
            first = next(each for each in first_prompts if prompt.startswith(each.rstrip("\n")))
            return plain(right_reply(first))
        first_prompts.append(prompt)
        return style(right_reply(prompt))

    return answer


@pytest.mark.parametrize("style", STYLES)
def test_each_passage_loses_its_errors_and_nothing_else(
    style: Callable[[Reply], str], settings: Any, state_folder: None, tmp_path: Path
) -> None:
    settings.RARR_JUDGE_SAMPLES = 1
    settings.RARR_LLM_PATIENCE = 0.0
    out = tmp_path / "out.jsonl"
    with installed(answers_in(style), settings) as server:
        status, stderr = revise(PASSAGES, "--corpus", DOCUMENTS, "--out", out, *SETTINGS)
    assert stderr == "Revised: 30. Failed: 0.\n"
    assert status == 0
    revised = {row["id"]: row["result"]["revisions"][0]["revised_text"] for row in read(out)}
    assert revised == {name: PLANTED[name].corrected(text) for name, text in TEXTS.items()}
    if style is not with_a_remark_in_brackets:
        assert [prompt for prompt in server.prompts if SECOND_ATTEMPT in prompt] == []
