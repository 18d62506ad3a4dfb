"""Models behind each port: dotted paths by name, imported on first use.

An argument follows a colon: "hf:NAME_OR_PATH".
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
        "sources": "pipeline.backends.searches.PassageSources",
        # `searches.make_retriever` makes these around search engines.
        "searxng": "pipeline.backends.web.retriever.WebRetriever",
        "json": "pipeline.backends.web.retriever.WebRetriever",
    },
    "relevance": {
        "compact": f"{_COMPACT}.relevance.CompactRelevance",
        "hf": "pipeline.backends.transformers_relevance.TransformersRelevance",
    },
    "agreement_model": {"compact": f"{_COMPACT}.revision.agreement.CompactAgreement"},
    "edit_model": {"compact": f"{_COMPACT}.revision.editor.CompactEditor"},
    "corrector": {
        "compact": f"{_COMPACT}.revision.editor.CompactRewriter",
        "hf": "pipeline.backends.transformers_rewriter.TransformersRewriter",
    },
    "entailment": {
        "compact": f"{_COMPACT}.entailment_scorer.CompactEntailment",
        "hf": "pipeline.backends.transformers_entailment.TransformersEntailment",
        "minicheck": "pipeline.backends.minicheck.MiniCheckEntailment",
        # `load_judge` makes this around a language model.
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
LLM_STEPS = {
    "llm_queries": "query_generator",
    "llm_agreement": "agreement_model",
    "llm_edit": "edit_model",
    "llm_decontextualize": "decontextualizer",
}
"""The settings that name a model for one step, and the port of each."""
SETTINGS: dict[str, tuple[str, ...]] = {
    "llm": tuple(LLM_STEPS.values()),
    **{setting: (port,) for setting, port in LLM_STEPS.items()},
    "entailment": ("entailment",),
    "relevance": ("relevance",),
    "search": ("retriever",),
    "decontextualizer": ("decontextualizer",),
    "efec_model": ("corrector",),
}
"""The settings that name a backend, and the ports of each."""
FOLLOWS_LLM = "llm"
"""Means "the value of the setting `llm`"."""
NEEDS_ARGUMENT = {
    **dict.fromkeys(("hf", "minicheck"), "NAME_OR_PATH"),
    **{"openai": "MODEL", "searxng": "URL", "json": "NAME"},
}
"""Backends with an argument, and what it is."""


def choices(setting: str) -> list[str]:
    whole = set.intersection(*(set(BACKENDS[kind]) for kind in SETTINGS[setting]))
    if setting == "llm" or setting in LLM_STEPS:
        whole |= set(BACKENDS["language_model"])
    if setting in {"decontextualizer", "efec_model", *LLM_STEPS}:
        whole.add(FOLLOWS_LLM)
    return sorted(whole)


def is_language_model(name: str) -> bool:
    return name.partition(":")[0] in BACKENDS["language_model"]


def is_judge(name: str) -> bool:
    """Return whether it is a prompted language model ("hf:…" is an NLI model)."""
    return name.partition(":")[0] == "openai"


def split_name(name: str) -> tuple[str, str]:
    """Return backend and argument ("" for none); raises `BadConfig`."""
    base, colon, argument = name.partition(":")
    if base in NEEDS_ARGUMENT and not argument:
        what = "search" if base in BACKENDS["retriever"] else "model"
        raise BadConfig(f"{base} needs a {what}: write {base}:{NEEDS_ARGUMENT[base]}.")
    if base not in NEEDS_ARGUMENT and colon:
        raise BadConfig(f"{base} takes no argument: write {base}.")
    return base, argument


def backend(kind: str, name: str) -> Any:
    """Return a port's class; raises `BadConfig` with the choices."""
    if kind not in BACKENDS:
        raise BadConfig(f"{kind!r} is not a kind of backend: choose one of {_listed(BACKENDS)}.")
    table = BACKENDS[kind]
    if name not in table:
        what = f"{kind} model" if kind in SETTINGS else kind.replace("_", " ")
        raise BadConfig(f"{name!r} is not a valid {what}: choose one of {_listed(table)}.")
    module, _, attribute = table[name].rpartition(".")
    return getattr(import_module(module), attribute)


def load(kind: str, name: str, **kwargs: Any) -> Any:
    """Make a port's object; the argument is its constructor's first. Raises `BadConfig`."""
    made = backend(kind, name.partition(":")[0])
    _, argument = split_name(name)
    return made(argument, **kwargs) if argument else made(**kwargs)


def _listed(table: dict[str, Any]) -> str:
    return ", ".join(sorted(table))
