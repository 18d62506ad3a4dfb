"""The settings of runs that users may choose."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import product
from typing import Any

from django.conf import settings

from pipeline.backends import FOLLOWS_LLM, LLM_STEPS
from pipeline.backends.search_names import SOURCES
from pipeline.engine.configuration import BUDGETS, RunConfig, needs_model
from pipeline.generation.strategies import STRATEGIES
from pipeline.generation.types import ANSWER_TYPES, GenerationConfig
from pipeline.rarr.configuration import RarrConfig, read_number
from pipeline.rarr.errors import BadConfig

ANSWERS, TYPES = "answers_per_question", "answer_types"
MOST_ANSWERS = 8
OF_STRATEGIES = {each.name for each in fields(GenerationConfig)} - {"answer_type", "answer_number"}
"""Settings of strategies only."""
DOMAINS = ("domains_excluded", "domains_allowed")
USER_SETTINGS = {each.name for each in fields(RarrConfig)} | OF_STRATEGIES | {*BUDGETS, *DOMAINS}
USER_SETTINGS |= {*LLM_STEPS, "search", "contextual_prompts", "decontextualizer", ANSWERS, TYPES}
"""Defaults are the installation's or the paper's."""


def allowed_values() -> dict[str, list[str]]:
    """Return the allowed values of settings for models and searches.

    Free text would choose what workers download and which servers they contact.
    """
    models = [FOLLOWS_LLM, "compact"]
    of_steps = [*models, *(getattr(settings, f"RARR_{name.upper()}") for name in LLM_STEPS)]
    return {
        **{name: list(dict.fromkeys(of_steps)) for name in LLM_STEPS},
        "search": list(dict.fromkeys([settings.RARR_SEARCH, SOURCES])),
        "decontextualizer": list(dict.fromkeys([*models, settings.RARR_DECONTEXTUALIZER])),
    }


def configs_of(*, systems: Iterable[str], chosen: Mapping[str, Any]) -> list[RunConfig]:
    """Return a configuration for each run; keys of `chosen` are `USER_SETTINGS`.

    A strategy with a language model gives `answers_per_question` runs, `hagrid` as many per type.
    Raises `BadConfig`.
    """
    for name in chosen.keys() - USER_SETTINGS:
        known = ", ".join(sorted(USER_SETTINGS))
        raise BadConfig(f"Unknown setting. Choose from: {known}.", field=name)
    for name, allowed in allowed_values().items():
        if name in chosen and chosen[name] not in allowed:
            raise BadConfig(f"{name}: choose one of {', '.join(allowed)}.", field=name)
    answers = int(read_number(ANSWERS, chosen.get(ANSWERS, 1), kind=int))
    if not 1 <= answers <= MOST_ANSWERS:
        raise BadConfig(f"{ANSWERS} is {answers}: write 1 to {MOST_ANSWERS}.", field=ANSWERS)
    types = chosen.get(TYPES, ANSWER_TYPES[:1])
    if not isinstance(types, list | tuple) or any(each not in ANSWER_TYPES for each in types):
        raise BadConfig(f"{TYPES}: choose of {', '.join(ANSWER_TYPES)}.", field=TYPES)
    configs = []
    for system in systems:
        without = {ANSWERS, TYPES, *(() if system in STRATEGIES else OF_STRATEGIES)}
        overrides = {name: value for name, value in chosen.items() if name not in without}
        count = answers if system in STRATEGIES and needs_model(system) else 1
        kinds = types if system == "hagrid" and types else ANSWER_TYPES[:1]
        for kind, number in product(kinds, range(1, count + 1)):
            overrides |= {"answer_type": kind, "answer_number": number}
            configs.append(RunConfig.from_settings(system=system, overrides=overrides))
    return configs
