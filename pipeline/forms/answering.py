"""The settings of strategies as fields of a form."""

from dataclasses import fields
from typing import Any, get_args

from django import forms

from pipeline.generation.types import SEARCH_IN, Compression, GenerationConfig

ANSWERING = {
    "passages": ("Passages shown (k)", "Sources that the model sees, and may cite."),
    "retrieved": ("Passages ranked", "How many the search finds; recall is told of these."),
    "passage_words": ("Words a passage", "Documents are cut to this length."),
    "documents": ("Documents searched", "Taken from the search before they are cut."),
    "answer_temperature": ("Answer temperature", "0 gives the same answer each time."),
    "answer_tokens": ("Longest answer, in tokens", "More is cut off by the model."),
    "answer_samples": ("Samples", "Of rerank: answers among which the best cited is chosen."),
    "compressed_passages": ("Passages compressed", "Of summ, snippet and interact."),
    "compressed_to": ("Compressed to", "What interact shows first."),
    "turns": ("Most steps", "Of interact and inline-search."),
    "search_in": ("Where inline-search looks", "In the passages found, or in everything."),
}
"""Each setting of `GenerationConfig` that a person sets: its label and what it does."""
CHOICES = {
    "compressed_to": get_args(Compression),
    "search_in": tuple(SEARCH_IN),
}


def answering_fields() -> dict[str, forms.Field]:
    """A field for each of `ANSWERING`; left empty, it is as ALCE has it."""
    return {name: _field(name, label, help_text) for name, (label, help_text) in ANSWERING.items()}


def answering_settings(cleaned: dict[str, Any]) -> dict[str, Any]:
    """What somebody set of them."""
    return {name: cleaned[name] for name in ANSWERING if cleaned.get(name) not in ("", None)}


def _field(name: str, label: str, help_text: str) -> forms.Field:
    default = {each.name: each.default for each in fields(GenerationConfig)}[name]
    shared: dict[str, Any] = {"label": label, "required": False, "initial": default}
    if name in CHOICES:
        choices = [(each, each) for each in CHOICES[name]]
        return forms.ChoiceField(choices=choices, help_text=help_text, **shared)
    shared["help_text"] = f"{help_text} Usual: {default}."
    if isinstance(default, int):
        return forms.IntegerField(widget=forms.NumberInput(attrs={"step": 1}), **shared)
    return forms.FloatField(widget=forms.NumberInput(attrs={"step": "any"}), **shared)
