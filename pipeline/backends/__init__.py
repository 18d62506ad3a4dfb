"""The models behind each port: names to dotted paths, imported on first use.

A name may carry an argument after a colon, as the settings do: "hf:NAME_OR_PATH".
"""

from importlib import import_module
from typing import Any

from pipeline.rarr.types import BadConfig

_COMPACT = "pipeline.backends.compact"
BACKENDS: dict[str, dict[str, str]] = {
    "splitter": {"spacy": "pipeline.backends.sentences.SpacySplitter"},
    "query_generator": {"compact": f"{_COMPACT}.questions.CompactQueryGenerator"},
    "retriever": {"corpus": "pipeline.backends.tantivy_corpus.TantivyCorpus"},
    "relevance": {
        "compact": f"{_COMPACT}.relevance.CompactRelevance",
        "hf": "pipeline.backends.transformers_relevance.TransformersRelevance",
    },
    "agreement": {"compact": f"{_COMPACT}.agreement.CompactAgreement"},
    "editor": {"compact": f"{_COMPACT}.editing.CompactEditor"},
    "entailment": {
        "compact": f"{_COMPACT}.entailment.CompactEntailment",
        "hf": "pipeline.backends.transformers_local.TransformersEntailment",
    },
    "decontextualizer": {"compact": f"{_COMPACT}.decontextualizing.CompactDecontextualizer"},
}
SETTINGS: dict[str, tuple[str, ...]] = {
    "llm": ("query_generator", "agreement", "editor", "decontextualizer"),
    "entailment": ("entailment",),
    "relevance": ("relevance",),
    "search": ("retriever",),
}
"""Each setting that names a backend, and the kinds of port that it stands for."""
NEEDS_ARGUMENT = {"hf"}
"""Backends that are one program for many models: `hf:NAME_OR_PATH`. The others take none."""


def choices(setting: str) -> list[str]:
    """The backends that a setting may name: there for every kind of port it stands for."""
    return sorted(set.intersection(*(set(BACKENDS[kind]) for kind in SETTINGS[setting])))


def split_name(name: str) -> tuple[str, str]:
    """The backend and its argument, "" where it takes none; loads nothing.

    Raises `BadConfig` for an argument that is missing or that is too much.
    """
    base, colon, argument = name.partition(":")
    if base in NEEDS_ARGUMENT and not argument:
        raise BadConfig(f"{base} names no model: write {base}:NAME_OR_PATH.")
    if base not in NEEDS_ARGUMENT and colon:
        raise BadConfig(f"{base} takes nothing after a colon: write {base}.")
    return base, argument


def backend(kind: str, name: str) -> Any:
    """The class that stands behind `name` for one kind of port.

    Raises `BadConfig`, with the choices, for a kind or name that is not there.
    """
    if kind not in BACKENDS:
        raise BadConfig(f"{kind!r} is no kind of backend: choose one of {_listed(BACKENDS)}.")
    table = BACKENDS[kind]
    if name not in table:
        raise BadConfig(f"{name!r} is no {kind.replace('_', ' ')}: choose one of {_listed(table)}.")
    module, _, attribute = table[name].rpartition(".")
    return getattr(import_module(module), attribute)


def load(kind: str, name: str, **kwargs: Any) -> Any:
    """An object that implements the port `kind`; `kwargs` go to its constructor.

    Of "hf:NAME" the part after the colon is the constructor's first argument. Raises
    `BadConfig` for an unknown kind or name, and for one without the argument it needs.
    """
    made = backend(kind, name.partition(":")[0])
    _, argument = split_name(name)
    return made(argument, **kwargs) if argument else made(**kwargs)


def _listed(table: dict[str, Any]) -> str:
    return ", ".join(sorted(table))
