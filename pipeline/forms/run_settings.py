"""Form fields for the settings of systems and strategies."""

from collections.abc import Mapping
from typing import Any, get_args

from django import forms

from pipeline.generation.types import Compression, GenerationConfig, SearchIn
from pipeline.rarr.configuration import RarrConfig

HYPER_PARAMETERS = {
    "query_samples": (
        "Query samples",
        "How many times questions are generated; duplicates are dropped.",
    ),
    "query_temperature": (
        "Query temperature",
        "Sampling temperature for questions; the compact models ignore it.",
    ),
    "documents_per_query": ("Documents per query (K)", "Pages kept from each search."),
    "window_sentences": ("Window size, in sentences", "How long a snippet of evidence is."),
    "window_stride": ("Window stride", "Sentences from one window's start to the next one's."),
    "evidence_per_query": ("Evidence per query (J)", "Best snippets kept for each question."),
    "max_edit_characters": (
        "Longest edit, in characters",
        "An edit that changes more characters than this is rejected.",
    ),
    "max_edit_ratio": (
        "Longest edit, as a share of the passage",
        "An edit that changes more than this share of the original's length is rejected.",
    ),
    "report_size": ("Size of the attribution report (M)", "Snippets in the report, at most."),
}
"""Settings of `RarrConfig` for all models: label and help text."""
TEMPERATURES = {
    "gate_temperature": (
        "Gate temperature",
        "Of the agreement model; 0 gives the same verdict each time.",
    ),
    "edit_temperature": ("Edit temperature", "Of the edit model; 0 gives the same edit each time."),
}
"""Settings of `RarrConfig` for language models only."""
ANSWERING = {
    "passages": ("Passages shown (k)", "Sources that the model sees, and may cite."),
    "retrieved": ("Passages ranked", "How many the search returns; recall is of these."),
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
"""Settings of `GenerationConfig` for users."""
CHOICES = {"compressed_to": get_args(Compression), "search_in": get_args(SearchIn)}


def setting_fields() -> dict[str, forms.Field]:
    """Return a field for each setting, initially the paper's value."""
    paper, alce = RarrConfig(), GenerationConfig()
    return {
        **_fields(HYPER_PARAMETERS, paper, source="The paper", required=True),
        **_fields(TEMPERATURES, paper, source="The paper", required=False),
        **_fields(ANSWERING, alce, source="Usual", required=False),
    }


def _fields(
    table: Mapping[str, tuple[str, str]], defaults: object, *, source: str, required: bool
) -> dict[str, forms.Field]:
    result: dict[str, forms.Field] = {}
    for name, (label, help_text) in table.items():
        default = getattr(defaults, name)
        shared: dict[str, Any] = {"label": label, "required": required, "initial": default}
        if name in CHOICES:
            choices = [(each, each) for each in CHOICES[name]]
            result[name] = forms.ChoiceField(choices=choices, help_text=help_text, **shared)
            continue
        whole = isinstance(default, int)
        result[name] = (forms.IntegerField if whole else forms.FloatField)(
            help_text=f"{help_text} {source}: {default}.",
            widget=forms.NumberInput(attrs={"step": 1 if whole else "any"}),
            **shared,
        )
    return result
