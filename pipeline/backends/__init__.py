"""The models behind each port: names to dotted paths, imported on first use.

A name may carry an argument after a colon, as the settings do: "hf:NAME_OR_PATH".
"""

from importlib import import_module
from typing import Any

from pipeline.rarr.errors import BadConfig

_COMPACT = "pipeline.backends.compact"
_LLMS = "pipeline.backends.language_models"
BACKENDS: dict[str, dict[str, str]] = {
    "query_generator": {"compact": f"{_COMPACT}.queries.CompactQueryGenerator"},
    "retriever": {
        "corpus": "pipeline.backends.tantivy_corpus.TantivyCorpus",
        "sources": "pipeline.backends.own_sources.OwnSources",
        # Made by `searches.make_retriever`, each around its own search engine.
        "searxng": "pipeline.backends.web.retriever.WebRetriever",
        "json": "pipeline.backends.web.retriever.WebRetriever",
    },
    "relevance": {
        "compact": f"{_COMPACT}.relevance.CompactRelevance",
        "hf": "pipeline.backends.transformers_relevance.TransformersRelevance",
    },
    "agreement": {"compact": f"{_COMPACT}.revision.agreement.CompactAgreement"},
    "editor": {"compact": f"{_COMPACT}.revision.editor.CompactEditor"},
    "corrector": {
        "compact": f"{_COMPACT}.revision.editor.CompactRewriter",
        "hf": "pipeline.backends.transformers_rewriter.TransformersRewriter",
    },
    "entailment": {
        "compact": f"{_COMPACT}.entailment.scorer.CompactEntailment",
        "hf": "pipeline.backends.transformers_entailment.TransformersEntailment",
        "minicheck": "pipeline.backends.minicheck.MiniCheckEntailment",
        # Made by `load_judge`, around the language model of its name.
        "openai": "pipeline.backends.prompted.entailment.PromptedEntailment",
    },
    "language_model": {
        "openai": f"{_LLMS}.openai_compatible.OpenAICompatible",
        "hf": f"{_LLMS}.transformers_text.TransformersText",
    },
    "token_vectors": {
        "compact": "pipeline.backends.token_vectors.CompactVectors",
        "hf": "pipeline.backends.token_vectors.TransformersVectors",
    },
    "decontextualizer": {
        "compact": f"{_COMPACT}.coreference.references.CompactDecontextualizer",
        "hf": "pipeline.backends.transformers_decontextualizer.TransformersDecontextualizer",
    },
}
SETTINGS: dict[str, tuple[str, ...]] = {
    "llm": ("query_generator", "agreement", "editor", "decontextualizer"),
    "entailment": ("entailment",),
    "relevance": ("relevance",),
    "search": ("retriever",),
}
"""Each setting that names a backend, and the kinds of port that it stands for."""
JUDGES = ("openai",)
"""The entailment backends that are language models."""
FOLLOWS_LLM = "llm"
"""The value of a setting that follows the setting `llm`."""
NEEDS_ARGUMENT = {
    "hf": "NAME_OR_PATH", "minicheck": "NAME_OR_PATH", "openai": "MODEL", "searxng": "URL",
    "json": "NAME",
}  # fmt: skip
"""Backends that are one program for many models or servers, and what follows their colon. The
others take no argument.
"""


def choices(setting: str) -> list[str]:
    """The backends that a setting may name: there for every kind of port it stands for."""
    whole = set.intersection(*(set(BACKENDS[kind]) for kind in SETTINGS[setting]))
    return sorted(whole | set(BACKENDS["language_model"]) if setting == "llm" else whole)


def is_language_model(name: str) -> bool:
    """Whether RARR's steps are built around a language model of that name, by prompts."""
    return name.partition(":")[0] in BACKENDS["language_model"]


def is_judge(name: str) -> bool:
    """Whether an entailment model of that name is a language model, asked by a prompt.

    "hf:…" is none: there it names an NLI model.
    """
    return name.partition(":")[0] in JUDGES


def asks_language_model(*, llm: str, entailment: str) -> bool:
    """Whether work with these two settings asks a language model by prompts."""
    return is_language_model(llm) or is_judge(entailment)


def kinds_of(setting: str, name: str) -> tuple[str, ...]:
    """The kinds of port that `name` has to be there for, as the value of a setting."""
    if setting == "llm" and is_language_model(name):
        return ("language_model",)
    return SETTINGS[setting]


def split_name(name: str) -> tuple[str, str]:
    """The backend and its argument, "" where it takes none; loads nothing.

    Raises `BadConfig` for an argument that is missing or that is too much.
    """
    base, colon, argument = name.partition(":")
    if base in NEEDS_ARGUMENT and not argument:
        what = "search" if base in BACKENDS["retriever"] else "model"
        raise BadConfig(f"{base} names no {what}: write {base}:{NEEDS_ARGUMENT[base]}.")
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
        what = f"{kind} model" if kind in SETTINGS else kind.replace("_", " ")
        raise BadConfig(f"{name!r} is no {what}: choose one of {_listed(table)}.")
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


def check_decontextualizer(name: str) -> None:
    """Raise `BadConfig` for a value of that setting which stands for nothing."""
    if name == FOLLOWS_LLM:
        return
    try:
        backend("decontextualizer", name.partition(":")[0])
        split_name(name)
    except BadConfig as error:
        raise BadConfig(
            f"decontextualizer={name!r}: {error} Or write {FOLLOWS_LLM}.", field="decontextualizer"
        ) from None


def _listed(table: dict[str, Any]) -> str:
    return ", ".join(sorted(table))
