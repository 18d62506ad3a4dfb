"""Replies that a model gives as a JSON object, laid out as the lines of a plain reply."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

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
)
VERDICT = Shape(
    name="entailment",
    labels={"verdict": "Verdict"},
)
QUERIES = Shape(name="questions", labels={"questions": ""})
