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
    "relevance": {"compact": f"{_COMPACT}.relevance.CompactRelevance"},
    "agreement": {"compact": f"{_COMPACT}.agreement.CompactAgreement"},
    "editor": {"compact": f"{_COMPACT}.editing.CompactEditor"},
    "entailment": {
        "compact": f"{_COMPACT}.entailment.CompactEntailment",
        "hf": "pipeline.backends.transformers_local.TransformersEntailment",
    },
    "decontextualizer": {"compact": f"{_COMPACT}.decontextualizing.CompactDecontextualizer"},
}


def backend(kind: str, name: str) -> Any:
    """The class that stands behind `name` for one kind of port.

    Raises `BadConfig`, with the choices, for a kind or name that is not there.
    """
    if kind not in BACKENDS:
        raise BadConfig(f"{kind!r} is no kind of backend: choose one of {_choices(BACKENDS)}.")
    table = BACKENDS[kind]
    if name not in table:
        raise BadConfig(
            f"{name!r} is no {kind.replace('_', ' ')}: choose one of {_choices(table)}."
        )
    module, _, attribute = table[name].rpartition(".")
    return getattr(import_module(module), attribute)


def load(kind: str, name: str, **kwargs: Any) -> Any:
    """An object that implements the port `kind`; `kwargs` go to its constructor.

    Of "hf:NAME" the part after the colon is the constructor's first argument. Raises
    `BadConfig` for an unknown kind or name, and for a name without the argument it needs.
    """
    base, colon, argument = name.partition(":")
    made = backend(kind, base)
    if base == "hf" and not argument:
        raise BadConfig(f"{name!r} names no model: write hf:NAME_OR_PATH.")
    return made(argument, **kwargs) if colon else made(**kwargs)


def _choices(table: dict[str, Any]) -> str:
    return ", ".join(sorted(table))
