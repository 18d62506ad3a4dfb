"""A configuration made to work: the models loaded once a process, one passage at a time.

`RunConfig` is what a run freezes and what two runs are compared by: every hyper-parameter and
every model by name. `load_engine` gives the `Engine` that revises and scores with it.
"""

import platform
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from django.conf import settings

import rarrweb
from pipeline.backends import (
    FOLLOWS_LLM,
    is_language_model,
    load,
    split_name,
)
from pipeline.backends.budgets import Budget
from pipeline.backends.calls import Call, logged, totals
from pipeline.backends.compact.text import parsing
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.model_cards import shipped_stamp
from pipeline.backends.model_loading import timed_loading
from pipeline.backends.web.pages import gathered
from pipeline.engine.auto_ais import Scores, score
from pipeline.engine.configuration import RunConfig
from pipeline.engine.language_models import (
    current_prompts,
    llm_options,
    load_llm_decontextualizer,
    load_llm_rechecker,
    load_llm_steps,
)
from pipeline.engine.scorer_info import STAMP
from pipeline.engine.search import load_retriever
from pipeline.rarr.coherence_recheck import AgreementRechecker, EntailmentRechecker
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import (
    Decontextualizer,
    Entailment,
    Rechecker,
    SentenceSplitter,
    Steps,
    Watcher,
)
from pipeline.rarr.systems import load_system
from pipeline.rarr.types import NotRevised, Passage, Revision, Usage
from pipeline.rarr.windows import RememberingSplitter

PACKAGES = (
    "numpy", "openai", "pypdf", "pysbd", "rapidfuzz", "spacy", "tantivy", "torch", "trafilatura",
    "transformers",
)  # fmt: skip
"""Those whose version can change a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one passage: the revision, its figures, and what it cost."""

    revision: Revision
    scores: Scores
    usage: Usage
    calls: tuple[Call, ...] = ()
    """Every call of a language model that it took, known answers too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One configuration over one corpus; see `load_engine`."""

    config: RunConfig
    steps: Steps
    entailment: Entailment
    decontextualizer: Decontextualizer

    def revise(self, passage: Passage, *, watcher: Watcher | None = None) -> Outcome:
        """Research, revise and score one passage; `watcher` is told how far that has come.

        Raises `NotRevised` where a reply that the revision rests on could not be read,
        `UnreadableReply` for one of the scoring models, `RefusedPrompt` where the model refuses a
        prompt, `TransientError` for what another try may cure, `BudgetSpent` where the run may
        spend nothing more, `BadConfig` for what no try will cure, the search's own error, and
        `ValueError` for a system whose revision is not of the passage (`Revision.is_of`).
        """
        start, start_work = time.perf_counter(), time.thread_time()
        system = load_system(self.config.system)
        with logged() as calls, gathered() as left_out, timed_loading() as loaded:
            steps = replace(self.steps, watcher=watcher)
            revision = system(passage, steps=steps, config=self.config.rarr)
            if not revision.is_of(passage):
                raise ValueError(
                    f"the revision by {self.config.system} does not lead from its passage to its "
                    "text, step by step"
                )
            revision = replace(revision, left_out=tuple(left_out.values()))
            if revision.unread:
                raise NotRevised(revision)
            scores = score(
                revision,
                entailment=self.entailment,
                splitter=self.steps.splitter,
                decontextualizer=self.decontextualizer,
            )
        usage = replace(
            _usage(revision),
            seconds=round(time.perf_counter() - start - loaded.seconds, 6),
            calling_seconds=round(calls.calling_seconds, 6),
            working_seconds=round(time.thread_time() - start_work - loaded.working_seconds, 6),
        )
        if is_language_model(self.config.llm):
            usage = replace(usage, **totals(calls).as_usage())
        return Outcome(revision=revision, scores=scores, usage=usage, calls=tuple(calls))


def load_engine(config: RunConfig, *, index: Path | None) -> Engine:
    """The engine of a configuration over the corpus at `index`, made once a process.

    None is for a configuration that searches no corpus. Raises `BadConfig` for a model or a
    search that cannot be loaded, and the search's own `RarrError` where there is no index.
    """
    # The budget belongs to the run, not to the models that it shares with others.
    return _engine(config.with_budget(Budget()), index and index.resolve(), llm_options())


def load_entailment(name: str) -> Entailment:
    """The entailment model of a name, loaded once a process; raises `BadConfig`."""
    return load_model("entailment", name)  # type: ignore[no-any-return]


def load_decontextualizer(llm: str, name: str = FOLLOWS_LLM) -> Decontextualizer:
    """The decontextualizer of a name, or where it follows the LLM that of the LLM's name.

    Loaded once a process. Raises `BadConfig`.
    """
    if name != FOLLOWS_LLM:
        return load_model("decontextualizer", name)  # type: ignore[no-any-return]
    if is_language_model(llm):
        return load_llm_decontextualizer(llm)  # type: ignore[no-any-return]
    return load_model("decontextualizer", llm)  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """rarrweb, Python, the compact weights, the parser, and packages that can change a result."""
    found = {"rarrweb": rarrweb.__version__, "python": platform.python_version()}
    if stamp := shipped_stamp():
        found[STAMP] = stamp
    if version := parsing.version():
        found["parser"] = f"{parsing.name()} {version}"
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


@lru_cache(maxsize=16)
def _engine(config: RunConfig, index: Path | None, options: LlmOptions) -> Engine:
    """`options` are part of what an engine is made of; `load_llm_steps` reads them itself."""
    splitter = load_splitter(config.spacy_model)
    return Engine(
        config=config,
        steps=Steps(
            splitter=splitter,
            retriever=load_retriever(
                config.search,
                index=index,
                domains_excluded=config.domains_excluded,
                domains_allowed=config.domains_allowed,
            ),
            relevance=load_model("relevance", config.relevance),
            gates_at_once=settings.RARR_GATES_AT_ONCE,
            rechecker=_rechecker(config),
            **_llm_steps(config, splitter),
        ),
        entailment=load_entailment(config.entailment),
        decontextualizer=load_decontextualizer(config.llm, config.decontextualizer),
    )


def _llm_steps(config: RunConfig, splitter: SentenceSplitter) -> dict[str, Any]:
    """Raises `BadConfig` where other prompts are in place than those that the run froze."""
    if config.prompts and config.prompts != (now := current_prompts().version):
        raise BadConfig(
            f"The run was started with the prompts {config.prompts}, and here are the prompts "
            f"{now}: put the files in RARR_PROMPTS back, or start a new run."
        )
    steps: dict[str, Any] = load_llm_steps(
        config.llm, splitter=splitter, rarr=config.rarr, contextual=config.contextual_prompts
    )
    if config.efec_model != FOLLOWS_LLM:
        steps["corrector"] = load_model("corrector", config.efec_model)
    return steps


def _rechecker(config: RunConfig) -> Rechecker | None:
    if config.recheck == "entailment":
        return EntailmentRechecker(load_entailment(config.entailment))
    if config.recheck == "agreement":
        return AgreementRechecker(load_llm_rechecker(config.llm))
    return None


@lru_cache(maxsize=8)
def load_model(kind: str, name: str) -> Any:
    """A model that needs nothing but its name, loaded once a process; raises `BadConfig`."""
    _, argument = split_name(name)
    # The shipped models know the device since the start of the process (`PipelineConfig`).
    return load(kind, name, device=settings.RARR_DEVICE) if argument else load(kind, name)


@lru_cache(maxsize=4)
def load_splitter(model: str) -> SentenceSplitter:
    """The sentence splitter of a spaCy pipeline's name."""
    # One memory for all engines: the same documents are found by every run over a corpus.
    return RememberingSplitter(load("splitter", "spacy", model=model))


def _usage(revision: Revision) -> Usage:
    """How often the models were asked, as the trace tells."""
    judged = sum(step.evidence is not None for step in revision.trace)
    edited = sum(step.agreement is not None and step.agreement.is_open for step in revision.trace)
    generated = bool(revision.passage.text.strip())
    rechecked = sum(doubt.recheck is not None for doubt in revision.coherence)
    return Usage(
        queries=len(revision.queries),
        searches=len(revision.queries),
        model_calls=generated + judged + edited + rechecked,
        speculated_calls=revision.reasked_gates,
    )
