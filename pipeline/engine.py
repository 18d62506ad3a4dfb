"""A configuration made to work: the models loaded once a process, one passage at a time.

`RunConfig` is what a run freezes and what two runs are compared by: every hyper-parameter and
every model by name. `load_engine` gives the `Engine` that revises and scores with it.
"""

import platform
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, Self

from django.conf import settings

import rarrweb
from pipeline.backends import (
    FOLLOWS_LLM,
    SETTINGS,
    backend,
    check_decontextualizer,
    is_language_model,
    kinds_of,
    load,
    split_name,
)
from pipeline.backends.budgets import Budget
from pipeline.backends.calls import Call, logged, totals
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.model_cards import shipped_stamp
from pipeline.backends.search_names import needs_corpus, read_search
from pipeline.backends.sentences import is_installed
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.left_out import gathered
from pipeline.language_models import (
    current_prompts,
    llm_options,
    load_llm_decontextualizer,
    load_llm_rechecker,
    load_llm_steps,
)
from pipeline.rarr.plain import from_plain, value_to_plain
from pipeline.rarr.ports import Decontextualizer, Entailment, Rechecker, SentenceSplitter, Steps
from pipeline.rarr.rechecking import ByAgreement, ByEntailment
from pipeline.rarr.systems import WRITES_FREELY, load_system
from pipeline.rarr.types import BadConfig, Passage, RarrConfig, Revision, Usage
from pipeline.rarr.windows import RememberingSplitter
from pipeline.scorers import STAMP
from pipeline.scoring import Scores, score
from pipeline.web_search import load_retriever

PACKAGES = (
    "numpy", "openai", "pypdf", "pysbd", "rapidfuzz", "spacy", "tantivy", "torch", "trafilatura",
    "transformers",
)  # fmt: skip
"""Those whose version can change a result."""

RECHECKS = ("off", "agreement", "entailment")
"""What `RunConfig.recheck` may be."""
BUDGETS: dict[str, type] = {"budget_calls": int, "budget_tokens": int, "budget_cost": float}
"""The fields of `RunConfig` that limit what a run spends, and how each is written."""
FOLLOWING = {"system", "rarr", "prompts"}
"""The fields of `RunConfig` that are no settings of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """Everything that decides a result, but for the passages and the corpus."""

    system: str = "rarr"
    rarr: RarrConfig = field(default_factory=RarrConfig)
    llm: str = "compact"
    prompts: str = ""
    """`Prompts.version` of the prompts that the language model is asked with; "" for compact.
    Not a setting: it follows from the folder that RARR_PROMPTS names."""
    efec_model: str = FOLLOWS_LLM
    """Who edits in the system `efec`: as `llm` says, or a sequence-to-sequence `hf:NAME`."""
    entailment: str = "compact"
    recheck: str = "off"
    """Who is asked again about sentences that an edit may have left behind: off (nobody),
    agreement (the language model's gate) or entailment (the model of auto-AIS)."""
    decontextualizer: str = FOLLOWS_LLM
    """Who lets sentences stand alone for auto-AIS: as `llm` says, compact, or an `hf:NAME`."""
    relevance: str = "compact"
    search: str = "corpus"
    domains_excluded: str = ""
    """Domains, with commas between, whose documents are never evidence, nor those below them."""
    domains_allowed: str = ""
    """Where some stand here, no other domain's documents are."""
    spacy_model: str = "blank"
    budget_calls: int = 0
    """What the run may spend on language models (`Budget`); 0 is no limit. Decides when a run
    stops, never a result, and is the only thing that may be changed while it is paused."""
    budget_tokens: int = 0
    budget_cost: float = 0.0

    def __post_init__(self) -> None:
        """Refuse names that stand for nothing, before a run starts; loads no model."""
        load_system(self.system)
        if self.system in WRITES_FREELY and not is_language_model(self.llm):
            raise BadConfig(
                f"{self.system} needs a language model that writes responses, and llm is "
                f"{self.llm!r}: set llm to openai:MODEL or hf:NAME_OR_PATH."
            )
        if self.efec_model != FOLLOWS_LLM and split_name(self.efec_model)[0] != "hf":
            raise BadConfig(
                f"efec_model={self.efec_model!r}: write {FOLLOWS_LLM}, or hf:NAME_OR_PATH of a "
                "sequence-to-sequence model."
            )
        check_decontextualizer(self.decontextualizer)
        if self.recheck not in RECHECKS:
            raise BadConfig(f"recheck={self.recheck!r}: choose one of {', '.join(RECHECKS)}.")
        if self.recheck == "agreement" and not is_language_model(self.llm):
            raise BadConfig(
                f"recheck=agreement asks a language model, and llm is {self.llm!r}: set recheck "
                "to entailment or off."
            )
        _ = self.budget
        for setting in SETTINGS:
            name = getattr(self, setting)
            try:
                if setting == "search":
                    read_search(name)
                    continue
                for kind in kinds_of(setting, name):
                    backend(kind, name.partition(":")[0])
                split_name(name)
            except BadConfig as error:
                raise BadConfig(f"{setting}={name!r}: {error}") from None
        Domains.read(excluded=self.domains_excluded, allowed=self.domains_allowed)
        if not is_installed(self.spacy_model):
            raise BadConfig(
                f"spacy_model={self.spacy_model!r}: no such spaCy pipeline is installed. Write "
                f"blank, or install it with `python -m spacy download {self.spacy_model}`."
            )

    @property
    def needs_corpus(self) -> bool:
        """Whether its search is one of a corpus, alone or among others."""
        return needs_corpus(self.search)

    @property
    def budget(self) -> Budget:
        return Budget(calls=self.budget_calls, tokens=self.budget_tokens, cost=self.budget_cost)

    def with_budget(self, budget: Budget) -> Self:
        """The same configuration under another budget."""
        return replace(
            self,
            budget_calls=budget.calls,
            budget_tokens=budget.tokens,
            budget_cost=budget.cost,
        )

    def to_plain(self) -> dict[str, Any]:
        """The configuration as `models.Run.config` holds it."""
        plain: dict[str, Any] = value_to_plain(self)
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """What `to_plain` was made of; raises `BadConfig` for what it cannot have made."""
        try:
            return from_plain(cls, plain)
        except ValueError as error:
            raise BadConfig(f"The configuration cannot be read: {error}") from None

    @classmethod
    def from_settings(
        cls, *, system: str = "rarr", overrides: Mapping[str, Any] | None = None
    ) -> Self:
        """The configuration of the RARR_* settings, with `overrides` put in place.

        A key of `overrides` is a hyper-parameter of `RarrConfig`, a budget, or llm, efec_model,
        entailment, recheck, decontextualizer, relevance, search, domains_excluded,
        domains_allowed or spacy_model.
        Raises `BadConfig` for any other, and for a value out of range.
        """
        given = dict(overrides or {})
        names = [each.name for each in fields(cls) if each.name not in FOLLOWING]
        known = [*names, *(each.name for each in fields(RarrConfig))]
        for name in given:
            if name not in known:
                raise BadConfig(
                    f"{name!r} is no setting: choose one of {', '.join(sorted(known))}."
                )
        budget = parse_budget({name: given.pop(name) for name in BUDGETS if name in given})
        backends: dict[str, Any] = {
            name: str(given.pop(name, getattr(settings, f"RARR_{name.upper()}")))
            for name in names
            if name not in BUDGETS
        }
        config = cls(
            system=system,
            rarr=RarrConfig().with_settings(given),
            prompts=current_prompts().version if is_language_model(backends["llm"]) else "",
            **backends,
        )
        return config.with_budget(budget)


def parse_budget(given: Mapping[str, Any]) -> Budget:
    """A budget from values or their text, by the names of `BUDGETS`; a missing one is no limit.

    Raises `BadConfig`, also for a limit on money where no price is set: it would never bind.
    """
    values: dict[str, Any] = {}
    for name, value in given.items():
        kind = BUDGETS[name]
        try:
            values[name.removeprefix("budget_")] = kind(str(value))
        except ValueError:
            noun = "whole number" if kind is int else "number"
            raise BadConfig(f"{name}={value!r}: write a {noun}.") from None
    budget = Budget(**values)
    if budget.cost and not llm_options().prices.are_known:
        raise BadConfig(
            f"budget_cost={budget.cost:g}: nobody said what a token costs. Set "
            "RARR_LLM_PRICE_INPUT and RARR_LLM_PRICE_OUTPUT, or limit calls or tokens instead."
        )
    return budget


def parse_overrides(texts: Iterable[str]) -> dict[str, str]:
    """`KEY=VALUE` of a command line as `RunConfig.from_settings` takes them; raises `BadConfig`."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise BadConfig(
                f"--set {text!r} is no setting: write --set KEY=VALUE, as in evidence_per_query=2."
            )
        pairs[name.strip()] = value.strip()
    return pairs


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

    def revise(self, passage: Passage) -> Outcome:
        """Research, revise and score one passage.

        A model's unreadable reply is named in the revision, and the work goes on. Raises
        `TransientError` for what another try may cure, `BudgetSpent` where the run may spend
        nothing more, `BadConfig` for what no try will cure, the
        search's own error where the index is gone, and `UnreadableReply` where the answers
        of the scoring models do not fit the questions.
        """
        start, start_work = time.perf_counter(), time.thread_time()
        system = load_system(self.config.system)
        with logged() as calls, gathered() as left_out:
            revision = system(passage, steps=self.steps, config=self.config.rarr)
            revision = replace(revision, left_out=tuple(left_out.values()))
            scores = score(
                revision,
                entailment=self.entailment,
                splitter=self.steps.splitter,
                decontextualizer=self.decontextualizer,
            )
        usage = replace(
            _usage(revision),
            seconds=round(time.perf_counter() - start, 6),
            calling_seconds=round(calls.calling_seconds, 6),
            working_seconds=round(time.thread_time() - start_work, 6),
        )
        if is_language_model(self.config.llm):
            usage = replace(usage, **totals(calls).as_usage())
        return Outcome(revision=revision, scores=scores, usage=usage, calls=tuple(calls))


def load_engine(config: RunConfig, *, index: Path | None) -> Engine:
    """The engine of a configuration over the corpus at `index`, made once a process.

    None is for a configuration that searches no corpus. Raises `BadConfig` for a model or a
    search that cannot be loaded, and the search's own error (a
    `RarrError`) where there is no index.
    """
    # The budget belongs to the run, not to the models that it shares with others.
    return _engine(config.with_budget(Budget()), index and index.resolve(), llm_options())


def load_entailment(name: str) -> Entailment:
    """The entailment model of a name, loaded once a process; raises `BadConfig`."""
    return _models("entailment", name)  # type: ignore[no-any-return]


def load_decontextualizer(llm: str, name: str = FOLLOWS_LLM) -> Decontextualizer:
    """The decontextualizer of a name, or where it follows the LLM that of the LLM's name.

    Loaded once a process. Raises `BadConfig`.
    """
    if name != FOLLOWS_LLM:
        return _models("decontextualizer", name)  # type: ignore[no-any-return]
    if is_language_model(llm):
        return load_llm_decontextualizer(llm)  # type: ignore[no-any-return]
    return _models("decontextualizer", llm)  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """rarrweb, Python, the compact weights and the packages whose version can change a result."""
    found = {"rarrweb": rarrweb.__version__, "python": platform.python_version()}
    if stamp := shipped_stamp():
        found[STAMP] = stamp
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


@lru_cache(maxsize=16)
def _engine(config: RunConfig, index: Path | None, options: LlmOptions) -> Engine:
    """`options` are part of what an engine is made of; `load_llm_steps` reads them itself."""
    splitter = _splitter(config.spacy_model)
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
            relevance=_models("relevance", config.relevance),
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
    steps: dict[str, Any] = load_llm_steps(config.llm, splitter=splitter)
    if config.efec_model != FOLLOWS_LLM:
        steps["corrector"] = _models("corrector", config.efec_model)
    return steps


def _rechecker(config: RunConfig) -> Rechecker | None:
    if config.recheck == "entailment":
        return ByEntailment(load_entailment(config.entailment))
    return ByAgreement(load_llm_rechecker(config.llm)) if config.recheck == "agreement" else None


@lru_cache(maxsize=8)
def _models(kind: str, name: str) -> Any:
    """A model that needs nothing but its name, shared by the engines of a process."""
    _, argument = split_name(name)
    # The shipped models know the device since the start of the process (`PipelineConfig`).
    return load(kind, name, device=settings.RARR_DEVICE) if argument else load(kind, name)


@lru_cache(maxsize=4)
def _splitter(model: str) -> SentenceSplitter:
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
