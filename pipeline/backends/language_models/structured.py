"""When a reply is asked for by a JSON schema, and how (`RARR_LLM_STRUCTURED`).

The demonstrations of RARR's prompts are plain text, and their form is part of the paper's method:
so "auto" asks for a schema only where a plain reply could not be read and is asked for once more.
"on" asks so from the first. A server that refuses schemas is asked in plain words ever after.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pipeline.rarr.ports import Prompt

WAYS = ("auto", "on", "off")
KEYS_TOKENS = 64
"""For braces and keys, beside what a plain reply needs."""


def with_schema(prompt: Prompt, *, way: str) -> Prompt:
    """The prompt as it is sent: with words about its schema, or without any schema.

    What is sent decides the answer, so the kept answers go by this prompt.
    """
    if not prompt.schema or not (way == "on" or (way == "auto" and prompt.is_repair)):
        return replace(prompt, schema="", is_repair=False)
    keys = ", ".join(f'"{key}"' for key in json.loads(prompt.schema)["required"])
    return replace(
        prompt,
        text=f"{prompt.text.rstrip()}\n\nAnswer with one JSON object that has {keys}.\n",
        max_tokens=prompt.max_tokens + KEYS_TOKENS,
        stop=(),  # an object ends by itself; a line break in it is no end
        is_repair=False,
    )


def response_format(schema: str) -> Mapping[str, Any]:
    """The schema as OpenAI's interface takes it."""
    read = json.loads(schema)
    form = {"name": read.get("title", "reply"), "strict": True, "schema": read}
    return {"type": "json_schema", "json_schema": form}
