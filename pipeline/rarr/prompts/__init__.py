"""The few-shot prompts of the sub-tasks (appendix D), a text file each; docs/prompts.md.

A file may begin with `<system>…</system>` for chats. Its demonstrations then enclose passages to
write in `<passage>` tags. Both are removed for models that complete text.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "query_generation": ("passage",),
    "query_generation_with_context": ("context", "passage"),
    "agreement": ("passage", "query", "evidence"),
    "agreement_with_context": ("context", "passage", "query", "evidence"),
    "edit": ("passage", "query", "evidence"),
    "edit_with_context": ("context", "passage", "query", "evidence"),
    "efec": ("passage", "evidence"),
    "lamda_revision": ("dialog", "passage", "evidence"),
    "decontextualization": ("context", "passage", "sentence"),
    "entailment": ("evidence", "sentence"),
    "answer_extraction": ("question", "passage"),
    "passage_nq": ("question",),
    "passage_strategyqa": ("question",),
    "passage_dialog": ("dialog",),
}
"""The required placeholders of each prompt of RARR."""

ALSO_CALLED = {"passage": ("claim", "text")}
"""Accepted alternatives, as in published prompts."""

FOLDER = Path(__file__).parent
_NUMBER = re.compile(r"^\(?\d+[.)]\s*")
_SYSTEM = re.compile(r"\A\s*<system>(?P<message>.*?)</system>\s*", re.DOTALL)
_TAG = re.compile(r"</?passage>")


@dataclass(frozen=True, kw_only=True)
class Template:
    name: str
    content: str
    """The file's text."""
    placeholders: tuple[str, ...]
    """The required ones."""
    is_chat: bool = True
    """Sent as a chat, not as text to complete."""

    @cached_property
    def system(self) -> str:
        """The system message; "" if the file has none or text is completed."""
        system = _SYSTEM.match(self.content)
        return system["message"].strip() if system and self.is_chat else ""

    @cached_property
    def text(self) -> str:
        """The prompt with placeholders, without the system message."""
        system = _SYSTEM.match(self.content)
        if not system:
            return self.content
        rest = self.content[system.end() :]
        return rest if self.is_chat else _TAG.sub("", rest)

    @cached_property
    def version(self) -> str:
        """The first 12 hex digits of the SHA-256 of what is sent."""
        return hashlib.sha256(f"{self.system}\0{self.text}".encode()).hexdigest()[:12]

    @cached_property
    def stop(self) -> tuple[str, ...]:
        """The label of the input's first line, such as "Passage:", which begins a new example."""
        first = min(self.text.find(f"{{{each}}}") for each in self._spellings())
        label = self.text[self.text.rfind("\n", 0, first) + 1 : first].rstrip()
        bare = _NUMBER.sub("", label)
        if not bare.endswith(":"):
            return ()
        # A number that starts every demonstration belongs to the label.
        is_repeated = self.text.count(f"\n{label}") > 1
        return (f"\n{label}",) if bare == label or is_repeated else (bare,)

    def render(self, **values: str) -> str:
        """Fill in the input, keyed by `placeholders`; braces in values are literal.

        Raises `ValueError` unless exactly these are given.
        """
        if set(values) != set(self.placeholders):
            wanted = ", ".join(self.placeholders)
            raise ValueError(f"The prompt {self.name} takes {wanted}, not {', '.join(values)}.")
        known = {spelling: values[name] for spelling, name in self._spellings().items()}
        pattern = re.compile("{(" + "|".join(map(re.escape, known)) + ")}")
        # The model continues after a final label, such as "This suggests", or on a new line.
        end = "\n" if self.text.endswith(tuple(f"{{{each}}}" for each in known)) else ""
        return pattern.sub(lambda match: known[match[1]], self.text) + end

    def missing(self) -> tuple[str, ...]:
        return tuple(name for name in self.placeholders if name not in self._spellings().values())

    def _spellings(self) -> dict[str, str]:
        """Map placeholders as spelled in the text to their names."""
        return {
            spelling: name
            for name in self.placeholders
            for spelling in (name, *ALSO_CALLED.get(name, ()))
            if f"{{{spelling}}}" in self.text
        }


@dataclass(frozen=True, kw_only=True)
class Prompts:
    """All prompts of one configuration."""

    templates: Mapping[str, Template]
    """By name, in the order of `pipeline.generation.prompts.PLACEHOLDERS`."""

    def __getitem__(self, name: str) -> Template:
        return self.templates[name]

    def __iter__(self) -> Iterator[Template]:
        return iter(self.templates.values())

    @cached_property
    def version(self) -> str:
        """The first 16 hex digits of a SHA-256 of all texts."""
        texts = "".join(f"{each.name}\0{each.system}\0{each.text}\0" for each in self)
        return hashlib.sha256(texts.encode()).hexdigest()[:16]
