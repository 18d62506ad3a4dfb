"""The language model of the settings, and RARR's components that prompt it."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from pipeline.backends import BACKENDS, is_judge, is_language_model, load
from pipeline.backends.calls import Prices
from pipeline.backends.language_models.accounted import AccountedModel, ModelBackend
from pipeline.backends.language_models.options import LlmOptions, read_extra_tokens
from pipeline.backends.model_revisions import files_stamp
from pipeline.backends.prompted.agreement import PromptedAgreement
from pipeline.backends.prompted.editing import PromptedEditor
from pipeline.backends.prompted.prompt_rendering import PromptedStep
from pipeline.backends.prompted.query_generation import PromptedQueryGenerator
from pipeline.backends.prompted.rewriting import PromptedCorrector, PromptedResponder
from pipeline.generation.prompts import load_prompts
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.prompts import Prompts


def llm_options() -> LlmOptions:
    return LlmOptions(
        base_url=settings.RARR_LLM_BASE_URL,
        api_key=settings.RARR_LLM_API_KEY,
        api=settings.RARR_LLM_API,
        timeout=settings.RARR_LLM_TIMEOUT,
        patience=settings.RARR_LLM_PATIENCE,
        concurrency=settings.RARR_LLM_CONCURRENCY,
        per_minute=settings.RARR_LLM_PER_MINUTE,
        prices=Prices(input=settings.RARR_LLM_PRICE_INPUT, output=settings.RARR_LLM_PRICE_OUTPUT),
        extra_tokens=read_extra_tokens(settings.RARR_LLM_EXTRA_TOKENS),
        keeps_texts=settings.RARR_LLM_LOG_TEXTS,
        device=settings.RARR_DEVICE,
    )


def load_language_model(name: str) -> AccountedModel:
    """Load a language model by name (`openai:MODEL`, `hf:NAME_OR_PATH`).

    Connects or loads at the first prompt. Raises `BadConfig` for any other name.
    """
    if not is_language_model(name):
        raise BadConfig(
            f"{name!r} is no language model: set RARR_LLM to openai:MODEL or hf:NAME_OR_PATH."
        )
    return AccountedModel(_source(name, llm_options()))


def current_prompts() -> Prompts:
    """Load the configured prompts, anew after a file has changed; raises `BadConfig`."""
    folder = Path(settings.RARR_PROMPTS).expanduser() if settings.RARR_PROMPTS else None
    stamp = files_stamp(folder) if folder else ""
    return _prompts(folder, stamp, settings.RARR_LLM_API == "chat")


def load_llm_steps(
    llm: str, step_models: Mapping[str, str], *, rarr: RarrConfig, contextual: str
) -> dict[str, Any]:
    """Load the models that `llm` stands for, by their names in `Components`.

    `step_models` names others, and `contextual` is one of `CONTEXTUAL_PROMPTS`.
    """
    prompted: dict[str, tuple[type[PromptedStep], str, float]] = {
        "query_generator": (PromptedQueryGenerator, "queries", 0.0),
        "agreement_model": (PromptedAgreement, "agreement", rarr.gate_temperature),
        "edit_model": (PromptedEditor, "edit", rarr.edit_temperature),
        "corrector": (PromptedCorrector, "efec", rarr.edit_temperature),
        "responder": (PromptedResponder, "lamda", rarr.edit_temperature),
    }
    steps: dict[str, Any] = {}
    for port, (kind, step, temperature) in prompted.items():
        name = step_models.get(port, llm)
        if is_language_model(name):
            steps[port] = kind(
                model=load_language_model(name).for_step(step),
                prompts=current_prompts(),
                temperature=temperature,
                contextual=contextual,
            )
        elif port in BACKENDS:
            steps[port] = load(port, name)
    return steps


def llm_identity(names: Iterable[str]) -> dict[str, str]:
    """Describe the language models for a run's versions; {} for none."""
    described = "; ".join(map(_identity, names))
    return {"language model": described} if described else {}


def judge_identity(name: str) -> dict[str, str]:
    if not is_judge(name):
        return {}
    return {"judge": f"{_identity(name)}, samples {settings.RARR_JUDGE_SAMPLES}"}


def _identity(name: str) -> str:
    identity = dict(load_language_model(name).source.identity)
    if llm_options().extra_tokens:
        identity["extra tokens"] = settings.RARR_LLM_EXTRA_TOKENS
    return ", ".join(f"{key} {value}" for key, value in identity.items())


@lru_cache(maxsize=8)
def _source(name: str, options: LlmOptions) -> ModelBackend:
    return load("language_model", name, options=options)  # type: ignore[no-any-return]


@lru_cache(maxsize=4)
def _prompts(folder: Path | None, stamp: str, is_chat: bool) -> Prompts:
    """`stamp` is a cache key."""
    return load_prompts(folder, is_chat=is_chat)
