"""Systems that revise passages, by name; docs/systems.md describes them."""

from importlib import import_module
from typing import Protocol, cast

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import Components
from pipeline.rarr.types import Passage, Revision

SYSTEMS = {
    "rarr": "pipeline.rarr.systems.rarr.revise",
    "rarr-no-agreement": "pipeline.rarr.systems.rarr_no_agreement.revise",
    "rarr-query-input": "pipeline.rarr.systems.rarr_query_input.revise",
    "rarr-query-sentence": "pipeline.rarr.systems.rarr_query_sentence.revise",
    "efec": "pipeline.rarr.systems.efec.revise",
    "lamda-research": "pipeline.rarr.systems.lamda_research.revise",
    "none": "pipeline.rarr.systems.research_only.revise",
}
"""Dotted paths, imported on first use."""

NEEDS_LANGUAGE_MODEL = {"lamda-research"}
"""Systems that the compact models cannot serve, since these do not write freely."""

UNGATED = {"rarr-no-agreement"}
"""Systems whose verdicts are constant."""


class System(Protocol):
    def __call__(
        self, passage: Passage, *, components: Components, config: RarrConfig
    ) -> Revision: ...


def load_system(name: str) -> System:
    """Import a system's function; raises `BadConfig` for an unknown name."""
    if name not in SYSTEMS:
        known = ", ".join(sorted(SYSTEMS))
        raise BadConfig(f"{name!r} is no system: choose one of {known}.", field="system")
    module, _, function = SYSTEMS[name].rpartition(".")
    return cast(System, getattr(import_module(module), function))


def module_summary(function_path: str) -> str:
    """Return the first paragraph of the function's module docstring as a line of plain text."""
    module, _, _ = function_path.rpartition(".")
    first = (import_module(module).__doc__ or "").split("\n\n")[0]
    return first.translate({ord("\n"): " ", ord("`"): None}).strip()
