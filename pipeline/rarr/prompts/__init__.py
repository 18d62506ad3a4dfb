"""The few-shot prompts of the sub-tasks (appendix D); see docs/language-models.md.

A file may begin with a system message, `<system>…</system>`, and its examples may enclose the
passage that the model writes in `<passage>` tags. Both are for chats: models that complete text get
neither message nor tags. A file without a system message is sent as it is.
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
"""The placeholders that each prompt of RARR must have."""

ALIASES = {"passage": ("claim", "text")}
"""Other spellings of placeholders, as in published prompts."""

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
    is_chat: bool = True
    """False for a model that completes text."""

    @cached_property
    def system(self) -> str:
        """The message for chats, "" if there is none."""
        system = _SYSTEM.match(self.content)
        return system["message"].strip() if system and self.is_chat else ""

    @cached_property
    def text(self) -> str:
        """The prompt without the system message, with placeholders."""
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
        """Stop sequence: the label that begins an example, such as "Passage:"; () if none does.

        After its answer, a model would go on with another example.
        """
        first_placeholder = min(self.text.find(f"{{{each}}}") for each in self._name_by_spelling())
        line = self.text.rfind("\n", 0, first_placeholder) + 1
        label = self.text[line:first_placeholder].rstrip()
        unnumbered = _NUMBER.sub("", label)
        if not unnumbered.endswith(":"):
            return ()
        # If a prompt numbers its examples, the next one has another number: stop at the rest.
        if label != unnumbered and self.text.count(f"\n{label}") <= 1:
            return (unnumbered,)
        return (f"\n{label}",)

    def render(self, **values: str) -> str:
        """Replace the placeholders by values, whose braces are literal.

        Raises `ValueError` unless `values` has exactly the names of `placeholders`.
        """
        if set(values) != set(self.placeholders):
            wanted = ", ".join(self.placeholders)
            raise ValueError(f"The prompt {self.name} takes {wanted}, not {', '.join(values)}.")
        names = self._name_by_spelling()
        pattern = re.compile("{(" + "|".join(map(re.escape, names)) + ")}")
        # A model continues the last line, such as "Questions:"; after a value it needs a new one.
        end = "\n" if self.text.endswith(tuple(f"{{{each}}}" for each in names)) else ""
        return pattern.sub(lambda match: values[names[match[1]]], self.text) + end

    def missing_placeholders(self) -> tuple[str, ...]:
        """Return the placeholders that the text lacks."""
        present = self._name_by_spelling().values()
        return tuple(name for name in self.placeholders if name not in present)

    def _name_by_spelling(self) -> dict[str, str]:
        """Return the names of placeholders by their spelling in the text."""
        return {
            spelling: name
            for name in self.placeholders
            for spelling in (name, *ALIASES.get(name, ()))
            if f"{{{spelling}}}" in self.text
        }


@dataclass(frozen=True, kw_only=True)
class Prompts:
    """All prompts of one configuration."""

    templates: Mapping[str, Template]
    """By name; `version` depends on their order."""

    def __getitem__(self, name: str) -> Template:
        return self.templates[name]

    def __iter__(self) -> Iterator[Template]:
        return iter(self.templates.values())

    @cached_property
    def version(self) -> str:
        """The first 16 hex digits of a SHA-256 of all texts."""
        texts = "".join(f"{each.name}\0{each.system}\0{each.text}\0" for each in self)
        return hashlib.sha256(texts.encode()).hexdigest()[:16]
