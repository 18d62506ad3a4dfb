"""The few-shot prompts of the sub-tasks (appendix D): a text file for each.

A file holds an instruction, demonstrations separated by blank lines, and at its end the new input
with placeholders: `{passage}`, `{context}`, `{query}`, `{evidence}` and so on (`PLACEHOLDERS`).
Every other brace is text, in the file and in the values. Files of the same names in a user's
folder take their place, so the prompts that the paper's authors published can be dropped in, with
`{claim}` or `{text}` for the passage.

A file may begin with `<system>…</system>`: what a chat's system message states about the form of
the reply. Its demonstrations then put a passage that the model writes between `<passage>` and
`</passage>`. A model that completes text gets neither: the paper's few-shot form is left.

The demonstrations are this project's own, with facts that hold in the real world; only passages
that a demonstration asks about or corrects contain mistakes.
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
"""The placeholders that each of RARR's prompts must have, each at least once."""

ALSO_CALLED = {"passage": ("claim", "text")}
"""Other names for a placeholder, as in published prompts."""

FOLDER = Path(__file__).parent
_NUMBER = re.compile(r"^\(?\d+[.)]\s*")
_SYSTEM = re.compile(r"\A\s*<system>(?P<message>.*?)</system>\s*", re.DOTALL)
_TAG = re.compile(r"</?passage>")


@dataclass(frozen=True, kw_only=True)
class Template:
    """One prompt, before the new input is put in."""

    name: str
    content: str
    """Of the file."""
    placeholders: tuple[str, ...]
    """Those that it must have."""
    is_chat: bool = True
    """Whether it is sent as a chat, and not as a text to complete."""

    @cached_property
    def system(self) -> str:
        """The system message; "" where the file has none, and for a text to complete."""
        found = _SYSTEM.match(self.content)
        return found["message"].strip() if found and self.is_chat else ""

    @cached_property
    def text(self) -> str:
        """The prompt with its placeholders, without the system message."""
        found = _SYSTEM.match(self.content)
        if not found:
            return self.content
        rest = self.content[found.end() :]
        return rest if self.is_chat else _TAG.sub("", rest)

    @cached_property
    def version(self) -> str:
        """The beginning of the SHA-256 of what is sent."""
        return hashlib.sha256(f"{self.system}\0{self.text}".encode()).hexdigest()[:12]

    @cached_property
    def stop(self) -> tuple[str, ...]:
        """Where to stop a model that begins a demonstration of its own: at the label of the
        new input's first line, such as "Passage:"."""
        first = min(self.text.find(f"{{{each}}}") for each in self._spellings())
        label = self.text[self.text.rfind("\n", 0, first) + 1 : first].rstrip()
        bare = _NUMBER.sub("", label)
        if not bare.endswith(":"):
            return ()
        # A number that each demonstration begins with is a part of the label, and no count.
        is_repeated = self.text.count(f"\n{label}") > 1
        return (f"\n{label}",) if bare == label or is_repeated else (bare,)

    def render(self, **values: str) -> str:
        """The prompt with its input; it ends where the model begins.

        Every placeholder needs its value, as it is called in `placeholders`. A value is put in
        as it is: what looks like a placeholder in it stays as it is.
        """
        if set(values) != set(self.placeholders):
            wanted = ", ".join(self.placeholders)
            raise ValueError(f"The prompt {self.name} takes {wanted}, not {', '.join(values)}.")
        known = {spelling: values[name] for spelling, name in self._spellings().items()}
        pattern = re.compile("{(" + "|".join(map(re.escape, known)) + ")}")
        # With a group in the pattern, every second stretch is a placeholder's name.
        stretches = pattern.split(self.text)
        # After the input comes a new line; after a label, such as "This suggests", its own.
        stretches[-1] = stretches[-1] or "\n"
        return "".join(known[text] if number % 2 else text for number, text in enumerate(stretches))

    def missing(self) -> tuple[str, ...]:
        """The placeholders that the text lacks."""
        return tuple(name for name in self.placeholders if name not in self._spellings().values())

    def _spellings(self) -> dict[str, str]:
        """The placeholders as the text spells them, each with its name in `placeholders`."""
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
    """One for each name in `pipeline.generation.prompts.PLACEHOLDERS`, in that order."""

    def __getitem__(self, name: str) -> Template:
        return self.templates[name]

    def __iter__(self) -> Iterator[Template]:
        return iter(self.templates.values())

    @cached_property
    def version(self) -> str:
        """A digest of all texts: two runs with the same one asked with the same prompts."""
        texts = "".join(f"{each.name}\0{each.system}\0{each.text}\0" for each in self)
        return hashlib.sha256(texts.encode()).hexdigest()[:16]
