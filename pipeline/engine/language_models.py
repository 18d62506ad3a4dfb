"""The language model that the settings name, made once a process, and RARR's steps around it.

`compact` is no language model: its steps are programs of their own (`pipeline.backends`).
"""

from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings

from pipeline.backends import is_judge, is_language_model, load
from pipeline.backends.calls import Prices
from pipeline.backends.language_models.accounted import AccountedModel, Source
from pipeline.backends.language_models.options import LlmOptions, read_extra_tokens
from pipeline.backends.prompted.agreement import PromptedAgreement
from pipeline.backends.prompted.editing import PromptedEditor
from pipeline.backends.prompted.entailment import PromptedEntailment
from pipeline.backends.prompted.prompt_rendering import PromptedStep
from pipeline.backends.prompted.query_generation import PromptedQueryGenerator
from pipeline.backends.prompted.rewriting import PromptedCorrector, PromptedResponder
from pipeline.generation.prompts import load_prompts
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.prompts import Prompts

Step = TypeVar("Step", bound=PromptedStep)


def llm_options() -> LlmOptions:
    """The RARR_LLM_… settings as the language models take them."""
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
    """The language model of a name (`openai:MODEL`, `hf:NAME_OR_PATH`), its source made once a
    process.

    Nothing is sent or loaded before its first prompt. Raises `BadConfig` for a name that stands
    for no language model.
    """
    if not is_language_model(name):
        raise BadConfig(
            f"{name!r} is no language model: set RARR_LLM to openai:MODEL or hf:NAME_OR_PATH."
        )
    return AccountedModel(_source(name, llm_options()))


def current_prompts() -> Prompts:
    """The prompts of this installation for its interface, read again after a file has changed.

    Raises `BadConfig` for a folder that cannot serve.
    """
    folder = Path(settings.RARR_PROMPTS).expanduser() if settings.RARR_PROMPTS else None
    return _prompts(folder, _stamp(folder) if folder else (), settings.RARR_LLM_API == "chat")


def load_llm_steps(name: str, *, rarr: RarrConfig, contextual: str) -> dict[str, Any]:
    """The steps that the `llm` setting stands for, by their names in `Steps`; see `BACKENDS`.

    `contextual` is one of `CONTEXTUAL_PROMPTS`.
    """
    if not is_language_model(name):
        kinds = ("query_generator", "agreement", "editor", "corrector")
        return {kind: load(kind, name) for kind in kinds}
    model, prompts = load_language_model(name), current_prompts()

    def prompted(kind: type[Step], step: str, temperature: float = 0.0) -> Step:
        return kind(
            model=model.for_step(step),
            prompts=prompts,
            temperature=temperature,
            contextual=contextual,
        )

    return {
        "query_generator": prompted(PromptedQueryGenerator, "queries"),
        "agreement": prompted(PromptedAgreement, "agreement", rarr.gate_temperature),
        "editor": prompted(PromptedEditor, "edit", rarr.edit_temperature),
        "corrector": prompted(PromptedCorrector, "efec", rarr.edit_temperature),
        "responder": prompted(PromptedResponder, "lamda", rarr.edit_temperature),
    }


def load_judge(name: str) -> PromptedEntailment:
    """The entailment model of a language model's name (`is_judge`); raises `BadConfig`."""
    return PromptedEntailment(
        model=load_language_model(name).for_step("entailment"),
        prompts=current_prompts(),
        samples=settings.RARR_JUDGE_SAMPLES,
    )


def llm_identity(name: str) -> dict[str, str]:
    """What stands behind a language model's name, for a run's versions; {} for `compact`."""
    if not is_language_model(name):
        return {}
    return {"language model": _identity(name)}


def judge_identity(name: str) -> dict[str, str]:
    """The same of the entailment model's name; {} where that is no language model."""
    if not is_judge(name):
        return {}
    return {"judge": f"{_identity(name)}, samples {settings.RARR_JUDGE_SAMPLES}"}


def _identity(name: str) -> str:
    identity = dict(load_language_model(name).source.identity)
    options = llm_options()
    if options.extra_tokens:
        identity["extra tokens"] = settings.RARR_LLM_EXTRA_TOKENS
    return ", ".join(f"{key} {value}" for key, value in identity.items())


@lru_cache(maxsize=8)
def _source(name: str, options: LlmOptions) -> Source:
    return load("language_model", name, options=options)  # type: ignore[no-any-return]


@lru_cache(maxsize=4)
def _prompts(
    folder: Path | None, stamp: tuple[tuple[str, int, int], ...], is_chat: bool
) -> Prompts:
    """`stamp` tells the folder's state apart; nothing else reads it."""
    return load_prompts(folder, is_chat=is_chat)


def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, times and sizes of the folder's files; () where there is no folder."""
    if not folder.is_dir():
        return ()
    files = [(path.name, path.stat()) for path in sorted(folder.iterdir())]
    return tuple((name, status.st_mtime_ns, status.st_size) for name, status in files)
