"""Loading of engines and models, once per process."""

import platform
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from threading import RLock
from typing import Any

from django.conf import settings

import rarrweb
from pipeline.backends import FOLLOWS_LLM, is_judge, is_language_model, load, split_name
from pipeline.backends.budgets import Budget
from pipeline.backends.compact.text import parsing
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.model_cards import shipped_stamp
from pipeline.backends.model_revisions import revisions_of
from pipeline.backends.prompted.decontextualization import PromptedDecontextualizer
from pipeline.backends.prompted.entailment import PromptedEntailment
from pipeline.backends.searches import Index
from pipeline.backends.sentences import SpacySplitter, nltk
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Engine
from pipeline.engine.language_models import (
    current_prompts,
    judge_identity,
    llm_identity,
    llm_options,
    load_language_model,
    load_llm_steps,
)
from pipeline.engine.scorer_info import NLTK, STAMP
from pipeline.engine.search import load_retriever
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import Components, Decontextualizer, Entailment, SentenceSplitter
from pipeline.text.sentences import split_sentences

PACKAGES = (
    "numpy",
    "openai",
    "pypdf",
    "rapidfuzz",
    "spacy",
    "tantivy",
    "torch",
    "trafilatura",
    "transformers",
)
"""Packages whose version can change a result."""

_LOADING = RLock()
"""Held while a thread loads a model."""


def load_engine(config: RunConfig, *, index: Index | None) -> Engine:
    """Load the engine of a configuration over the corpus at `index`, None without a corpus.

    Raises `BadConfig` for a model or search that cannot be loaded, and the search's own `RarrError`
    for a missing index.
    """
    # Runs with other budgets share the models.
    location = index.resolve() if isinstance(index, Path) else index
    with _LOADING:
        return _engine(config.with_budget(Budget()), location, llm_options())


def load_entailment(name: str) -> Entailment:
    if is_judge(name):
        model = load_language_model(name).for_step("entailment")
        samples = settings.RARR_JUDGE_SAMPLES
        return PromptedEntailment(model=model, prompts=current_prompts(), samples=samples)
    return load_model("entailment", name)  # type: ignore[no-any-return]


def load_decontextualizer(llm: str, name: str = FOLLOWS_LLM) -> Decontextualizer:
    """Load a decontextualizer by name, by default that of `llm`; raises `BadConfig`."""
    if name != FOLLOWS_LLM:
        return load_model("decontextualizer", name)  # type: ignore[no-any-return]
    if is_language_model(llm):
        model = load_language_model(llm).for_step("decontextualization")
        return PromptedDecontextualizer(model=model, prompts=current_prompts())
    return load_model("decontextualizer", llm)  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Versions of rarrweb, Python, the compact weights, the parser, NLTK and `PACKAGES`."""
    versions_by_name = {"rarrweb": rarrweb.__version__, "python": platform.python_version()}
    versions_by_name[STAMP] = shipped_stamp()
    if version := parsing.version():
        versions_by_name["parser"] = f"{parsing.name()} {version}"
    if known := nltk():
        versions_by_name[NLTK] = known.version
    for package in PACKAGES:
        try:
            versions_by_name[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions_by_name


def versions_of(config: RunConfig) -> dict[str, str]:
    return {
        **versions(),
        **llm_identity(config.language_models),
        **judge_identity(config.entailment),
        **revisions_of(config.to_plain().values()),
    }


@lru_cache(maxsize=16)
def _engine(config: RunConfig, index: Index | None, options: LlmOptions) -> Engine:
    """`options` is a cache key, read again by `load_llm_steps`."""
    return Engine(
        config=config,
        components=Components(
            splitter=load_splitter(config.spacy_model),
            retriever=load_retriever(config, index),
            relevance=load_model("relevance", config.relevance),
            **_llm_steps(config),
        ),
        entailment=load_entailment(config.entailment),
        decontextualizer=load_decontextualizer(
            config.step_models["decontextualizer"], config.decontextualizer
        ),
    )


def _llm_steps(config: RunConfig) -> dict[str, Any]:
    """Raises `BadConfig` if the prompts differ from the run's."""
    if config.prompts and config.prompts != (now := current_prompts().version):
        raise BadConfig(
            f"The run was started with the prompts {config.prompts}, and here are the prompts "
            f"{now}: put the files in RARR_PROMPTS and RARR_LLM_API back, or start a new run."
        )
    steps: dict[str, Any] = load_llm_steps(
        config.llm, config.step_models, rarr=config.rarr, contextual=config.contextual_prompts
    )
    if config.efec_model != FOLLOWS_LLM:
        steps["corrector"] = load_model("corrector", config.efec_model)
    return steps


def load_model(kind: str, name: str) -> Any:
    """Load a model that needs only its name; raises `BadConfig`."""
    with _LOADING:
        return _model(kind, name)


@lru_cache(maxsize=8)
def _model(kind: str, name: str) -> Any:
    _, argument = split_name(name)
    # `PipelineConfig` sets the device of shipped models.
    return load(kind, name, device=settings.RARR_DEVICE) if argument else load(kind, name)


@lru_cache(maxsize=4)
def load_splitter(model: str) -> SentenceSplitter:
    """Load the splitter of a spaCy pipeline, or plain rules for "blank"."""
    return split_sentences if model == "blank" else SpacySplitter(model)
