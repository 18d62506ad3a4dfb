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
from pipeline.backends import SETTINGS, backend, load, split_name
from pipeline.backends.model_cards import shipped_stamp
from pipeline.backends.sentences import is_installed
from pipeline.rarr.plain import from_plain, value_to_plain
from pipeline.rarr.ports import Decontextualizer, Entailment, SentenceSplitter, Steps
from pipeline.rarr.systems import load_system
from pipeline.rarr.types import BadConfig, Passage, RarrConfig, Revision, Usage
from pipeline.rarr.windows import RememberingSplitter
from pipeline.scorers import STAMP
from pipeline.scoring import Scores, score

PACKAGES = ("numpy", "pysbd", "rapidfuzz", "spacy", "tantivy", "torch", "transformers")
"""Those whose version can change a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """Everything that decides a result, but for the passages and the corpus."""

    system: str = "rarr"
    rarr: RarrConfig = field(default_factory=RarrConfig)
    llm: str = "compact"
    entailment: str = "compact"
    relevance: str = "compact"
    search: str = "corpus"
    spacy_model: str = "blank"

    def __post_init__(self) -> None:
        """Refuse names that stand for nothing, before a run starts; loads no model."""
        load_system(self.system)
        for setting, kinds in SETTINGS.items():
            name = getattr(self, setting)
            try:
                for kind in kinds:
                    backend(kind, name.partition(":")[0])
                split_name(name)
            except BadConfig as error:
                raise BadConfig(f"{setting}={name!r}: {error}") from None
        if not is_installed(self.spacy_model):
            raise BadConfig(
                f"spacy_model={self.spacy_model!r}: no such spaCy pipeline is installed. Write "
                f"blank, or install it with `python -m spacy download {self.spacy_model}`."
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

        A key of `overrides` is a hyper-parameter of `RarrConfig`, or llm, entailment,
        relevance, search or spacy_model. Raises `BadConfig` for any other, and for a value
        out of range.
        """
        given = dict(overrides or {})
        names = [each.name for each in fields(cls) if each.name not in {"system", "rarr"}]
        known = [*names, *(each.name for each in fields(RarrConfig))]
        for name in given:
            if name not in known:
                raise BadConfig(
                    f"{name!r} is no setting: choose one of {', '.join(sorted(known))}."
                )
        backends = {
            name: str(given.pop(name, getattr(settings, f"RARR_{name.upper()}"))) for name in names
        }
        return cls(system=system, rarr=RarrConfig().with_settings(given), **backends)


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
        `TransientError` for what another try may cure, `BadConfig` for what no try will, the
        search's own error where the index is gone, and `UnreadableReply` where the answers
        of the scoring models do not fit the questions.
        """
        start = time.perf_counter()
        system = load_system(self.config.system)
        revision = system(passage, steps=self.steps, config=self.config.rarr)
        scores = score(
            revision,
            entailment=self.entailment,
            splitter=self.steps.splitter,
            decontextualizer=self.decontextualizer,
        )
        usage = replace(_usage(revision), seconds=round(time.perf_counter() - start, 6))
        return Outcome(revision=revision, scores=scores, usage=usage)


def load_engine(config: RunConfig, *, index: Path) -> Engine:
    """The engine of a configuration over the corpus at `index`, made once a process.

    Raises `BadConfig` for a model that cannot be loaded, and the search's own error (a
    `RarrError`) where there is no index.
    """
    return _engine(config, index.resolve())


def load_entailment(name: str) -> Entailment:
    """The entailment model of a name, loaded once a process; raises `BadConfig`."""
    return _models("entailment", name)  # type: ignore[no-any-return]


def load_decontextualizer(name: str) -> Decontextualizer:
    """The decontextualizer of an LLM's name, loaded once a process; raises `BadConfig`."""
    return _models("decontextualizer", name)  # type: ignore[no-any-return]


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
def _engine(config: RunConfig, index: Path) -> Engine:
    splitter = _splitter(config.spacy_model)
    return Engine(
        config=config,
        steps=Steps(
            splitter=splitter,
            query_generator=load("query_generator", config.llm, splitter=splitter),
            retriever=load("retriever", config.search, index=index),
            relevance=_models("relevance", config.relevance),
            agreement=load("agreement", config.llm, splitter=splitter),
            editor=load("editor", config.llm, splitter=splitter),
        ),
        entailment=load_entailment(config.entailment),
        decontextualizer=load_decontextualizer(config.llm),
    )


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
    return Usage(
        queries=len(revision.queries),
        searches=len(revision.queries),
        model_calls=generated + judged + edited,
    )
