"""A run's configuration, from settings, forms and `key=value` overrides."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from django.conf import settings

from pipeline.backends import (
    FOLLOWS_LLM,
    LLM_STEPS,
    SETTINGS,
    choices,
    is_judge,
    is_language_model,
    split_name,
)
from pipeline.backends.budgets import Budget
from pipeline.backends.prompted.prompt_rendering import CONTEXTUAL_PROMPTS
from pipeline.backends.search_names import SOURCES, needs_corpus, read_search
from pipeline.backends.sentences import is_installed
from pipeline.backends.web.domains import Domains
from pipeline.engine.language_models import current_prompts, llm_options
from pipeline.generation.strategies import (
    STRATEGIES,
    TAKES_DRAFT,
    WITHOUT_MODEL,
    WITHOUT_SEARCH,
    load_strategy,
)
from pipeline.generation.types import GenerationConfig
from pipeline.rarr.configuration import RarrConfig, read_number, with_settings
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.serialization import from_plain, to_plain
from pipeline.rarr.systems import NEEDS_LANGUAGE_MODEL, check_system

BUDGETS: dict[str, type[int] | type[float]] = {
    "budget_calls": int,
    "budget_tokens": int,
    "budget_cost": float,
}
"""The budget fields of `RunConfig`, with their types."""
DERIVED_FIELDS = {"system", "rarr", "generation", "prompts"}
"""Fields of `RunConfig` that are not settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """Everything that decides a result except passages and corpus."""

    system: str = "rarr"
    """A system that revises passages, or a strategy that answers their questions."""
    rarr: RarrConfig = field(default_factory=RarrConfig)
    generation: GenerationConfig = field(default_factory=GenerationConfig)
    """For strategies."""
    llm: str = "compact"
    llm_queries: str = FOLLOWS_LLM
    """A model for this step only, as in Table 4; also of the next three."""
    llm_agreement: str = FOLLOWS_LLM
    llm_edit: str = FOLLOWS_LLM
    llm_decontextualize: str = FOLLOWS_LLM
    prompts: str = ""
    """`Prompts.version` of the prompts in RARR_PROMPTS; "" without a language model."""
    contextual_prompts: str = "dialog"
    """One of `CONTEXTUAL_PROMPTS`; the paper uses the context of dialogs only (section 5.2)."""
    efec_model: str = FOLLOWS_LLM
    """The editor of the system `efec`: that of `llm`, compact, or an `hf:NAME`."""
    entailment: str = "compact"
    decontextualizer: str = FOLLOWS_LLM
    """For auto-AIS: that of `llm_decontextualize`, compact, or an `hf:NAME`."""
    relevance: str = "compact"
    search: str = "corpus"
    domains_excluded: str = ""
    """Comma-separated domains, with subdomains, that are never evidence."""
    domains_allowed: str = ""
    """If any, only these are evidence."""
    spacy_model: str = "blank"
    budget_calls: int = 0
    """Limits on language models (`Budget`), 0 for none; may be changed while a run is paused."""
    budget_tokens: int = 0
    budget_cost: float = 0.0

    def __post_init__(self) -> None:
        """Raise `BadConfig` for unknown names, without loading a model."""
        if self.writes_answers:
            load_strategy(self.system)
        else:
            check_system(self.system)
        if needs_model(self.system) and not is_language_model(self.llm):
            raise BadConfig(
                f"{self.system} needs a language model that writes, and llm is "
                f"{self.llm!r}: set llm to openai:MODEL or hf:NAME_OR_PATH.",
                field="system",
            )
        if self.contextual_prompts not in CONTEXTUAL_PROMPTS:
            raise BadConfig(
                f"contextual_prompts={self.contextual_prompts!r}: choose one of "
                f"{', '.join(CONTEXTUAL_PROMPTS)}.",
                field="contextual_prompts",
            )
        _ = self.budget
        for setting in SETTINGS:
            name = getattr(self, setting)
            try:
                if setting == "search":
                    read_search(name)
                elif split_name(name)[0] not in (known := choices(setting)):
                    raise BadConfig(f"choose one of {', '.join(known)}.")
            except BadConfig as error:
                raise BadConfig(f"{setting}={name!r}: {error}", field=setting) from None
        _ = self.domains
        if not is_installed(self.spacy_model):
            raise BadConfig(
                f"spacy_model={self.spacy_model!r}: no such spaCy pipeline is installed. Write "
                f"blank, or install it with `python -m spacy download {self.spacy_model}`.",
                field="spacy_model",
            )

    @property
    def step_models(self) -> dict[str, str]:
        """The model of each step of `LLM_STEPS`, by port."""
        named = {port: getattr(self, setting) for setting, port in LLM_STEPS.items()}
        return {port: self.llm if name == FOLLOWS_LLM else name for port, name in named.items()}

    @property
    def language_models(self) -> list[str]:
        """The distinct language models of `llm` and of single steps."""
        return list(
            filter(is_language_model, dict.fromkeys([self.llm, *self.step_models.values()]))
        )

    @property
    def asks_language_model(self) -> bool:
        """A language model is prompted, if only as judge for auto-AIS."""
        return bool(self.language_models) or is_judge(self.entailment)

    @property
    def waits_for_server(self) -> bool:
        """A language model runs on a server."""
        return any(split_name(name)[0] != "hf" for name in self.language_models)

    @property
    def needs_corpus(self) -> bool:
        return self.system not in WITHOUT_SEARCH and needs_corpus(self.search)

    @property
    def searches_passage_sources(self) -> bool:
        return self.system not in WITHOUT_SEARCH and self.search == SOURCES

    @property
    def writes_answers(self) -> bool:
        return self.system in STRATEGIES

    @property
    def needs_drafts(self) -> bool:
        """Passages need a text, since no language model can write drafts."""
        return self.system in TAKES_DRAFT and not is_language_model(self.llm)

    @property
    def budget(self) -> Budget:
        return Budget(calls=self.budget_calls, tokens=self.budget_tokens, cost=self.budget_cost)

    @property
    def domains(self) -> Domains:
        return Domains.read(excluded=self.domains_excluded, allowed=self.domains_allowed)

    def with_budget(self, budget: Budget) -> Self:
        return replace(
            self, budget_calls=budget.calls, budget_tokens=budget.tokens, budget_cost=budget.cost
        )

    def to_plain(self) -> dict[str, Any]:
        """The value of `models.Run.config`."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Raises `BadConfig`."""
        try:
            return from_plain(cls, plain)
        except ValueError as error:
            raise BadConfig(f"The configuration cannot be read: {error}") from None

    @classmethod
    def from_settings(
        cls, *, system: str = "rarr", overrides: Mapping[str, Any] | None = None
    ) -> Self:
        """Return the configuration of the RARR_* settings, with `overrides`.

        Keys are fields of `RarrConfig`, `GenerationConfig` or this class, except `DERIVED_FIELDS`.
        Raises `BadConfig` for any other and for invalid values.
        """
        given = dict(overrides or {})
        names = [each.name for each in fields(cls) if each.name not in DERIVED_FIELDS]
        writing = [each.name for each in fields(GenerationConfig)]
        known = [*names, *(each.name for each in fields(RarrConfig)), *writing]
        for name in given:
            if name not in known:
                raise BadConfig(
                    f"{name!r} is no setting: choose one of {', '.join(sorted(known))}.", field=name
                )
        budget = parse_budget({name: given.pop(name) for name in BUDGETS if name in given})
        backends: dict[str, Any] = {
            name: str(given.pop(name, getattr(settings, f"RARR_{name.upper()}")))
            for name in names
            if name not in BUDGETS
        }
        of_strategy = {name: given.pop(name) for name in writing if name in given}
        config = cls(
            system=system,
            generation=with_settings(GenerationConfig(), of_strategy),
            rarr=with_settings(RarrConfig(), given),
            **backends,
        )
        prompts = current_prompts().version if config.asks_language_model else ""
        return replace(config.with_budget(budget), prompts=prompts)


def needs_model(system: str) -> bool:
    if system in STRATEGIES:
        return system not in WITHOUT_MODEL
    return system in NEEDS_LANGUAGE_MODEL


def parse_budget(given: Mapping[str, Any]) -> Budget:
    """Parse a budget by the names of `BUDGETS`.

    Raises `BadConfig`, also for a limit on money without prices.
    """
    values: dict[str, Any] = {
        name.removeprefix("budget_"): read_number(name, value, kind=BUDGETS[name])
        for name, value in given.items()
    }
    budget = Budget(**values)
    if budget.cost and not llm_options().prices.are_known:
        raise BadConfig(
            f"budget_cost={budget.cost:g}: nobody said what a token costs. Set "
            "RARR_LLM_PRICE_INPUT and RARR_LLM_PRICE_OUTPUT, or limit calls or tokens instead.",
            field="budget_cost",
        )
    return budget


def parse_overrides(texts: Iterable[str]) -> dict[str, str]:
    """Parse `KEY=VALUE` arguments; raises `BadConfig`."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise BadConfig(
                f"--set {text!r} is no setting: write --set KEY=VALUE, as in evidence_per_query=2."
            )
        pairs[name.strip()] = value.strip()
    return pairs
