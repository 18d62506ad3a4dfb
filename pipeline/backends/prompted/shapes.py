"""Replies by a JSON schema, laid out as the plain replies are: one strict reader reads both.

Only for sub-tasks whose plain reply has lines of fixed meaning. An edit is not asked for so: it
has to repeat the passage to the letter, and JSON's escapes invite a model to mend its quotation
marks and line breaks. The fields stand in the order of the chain of thought, as the paper has it:
the verdict comes after its reasons.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.backends.prompted.replies import unwrapped
from pipeline.rarr.errors import UnreadableReply

NOTHING = "None."
"""The plain line of a list without entries: an answer, not a missing one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A reply as an object: keys in their order, each with the label of its plain line."""

    name: str
    labels: Mapping[str, str]
    """By key; "" for a list whose entries are a numbered line each."""
    choices: Mapping[str, tuple[str, ...]]
    """Of the keys that have a closed set of values."""

    @property
    def schema(self) -> str:
        """The JSON schema, as text: a part of what decides an answer."""
        properties: dict[str, Any] = {}
        for key, label in self.labels.items():
            properties[key] = (
                {"type": "string"} if label else {"type": "array", "items": {"type": "string"}}
            )
            if key in self.choices:
                properties[key]["enum"] = list(self.choices[key])
        return json.dumps(
            {
                "title": self.name,
                "type": "object",
                "properties": properties,
                "required": list(self.labels),
                "additionalProperties": False,
            }
        )

    def as_text(self, reply: str) -> str:
        """An object of this shape as the lines of a plain reply; any other reply as it is.

        An object that lacks a key is for the reader to refuse: nothing is made up. Raises
        `UnreadableReply` for half an object, which a limit of tokens leaves.
        """
        text = unwrapped(reply)
        try:
            found = json.loads(text)
        except ValueError:
            if text.startswith("{"):
                raise UnreadableReply(
                    f"The reply is no whole JSON object, it ends in {text[-20:]!r}: it may want "
                    "more tokens (RARR_LLM_EXTRA_TOKENS)."
                ) from None
            return reply
        if not isinstance(found, dict) or set(found) != set(self.labels):
            return reply
        lines: list[str] = []
        for key, label in self.labels.items():
            value = found[key]
            if label and isinstance(value, str):
                lines.append(f"{label}: {' '.join(value.split())}")
            elif not label and isinstance(value, list) and all(isinstance(v, str) for v in value):
                entries = (" ".join(each.split()) for each in value)
                lines += [f"{number}. {each}" for number, each in enumerate(entries, 1) if each]
                lines += [] if value else [NOTHING]
            else:
                return reply
        return "\n".join(lines)


AGREEMENT = Shape(
    name="agreement",
    labels={
        "passage_implies": "The passage implies",
        "evidence_says": "The evidence says",
        "reasoning": "Reasoning",
        "verdict": "Verdict",
    },
    choices={"verdict": ("agrees", "disagrees", "irrelevant")},
)
VERDICT = Shape(
    name="entailment",
    labels={"verdict": "Verdict"},
    choices={"verdict": ("supports", "contradicts", "neither")},
)
QUERIES = Shape(name="questions", labels={"questions": ""}, choices={})
