"""Systems that revise passages, by name; docs/systems.md describes them."""

from importlib import import_module
from typing import Protocol, cast

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import Components
from pipeline.rarr.types import Passage, Revision

SYSTEMS = {
    "rarr": "pipeline.rarr.loop.revise",
    "rarr-no-agreement": "pipeline.rarr.ablations.revise_without_agreement",
    "rarr-query-input": "pipeline.rarr.ablations.revise_by_passage_query",
    "rarr-query-sentence": "pipeline.rarr.ablations.revise_by_sentence_queries",
    "efec": "pipeline.rarr.baselines.revise_by_efec",
    "lamda-research": "pipeline.rarr.baselines.revise_by_lamda",
    "none": "pipeline.rarr.ablations.only_research",
}
"""Dotted paths, imported on first use."""

NEEDS_LANGUAGE_MODEL = {"lamda-research"}
"""Systems that need a model that writes free text; the backend `compact` has none."""

UNGATED = {"rarr-no-agreement"}
"""Systems that run the loop without the gate: every verdict is `DISAGREES`."""


class System(Protocol):
    def __call__(
        self, passage: Passage, *, components: Components, config: RarrConfig
    ) -> Revision: ...


def check_system(name: str) -> None:
    """Raise `BadConfig` for an unknown name, without importing the system."""
    if name not in SYSTEMS:
        known = ", ".join(sorted(SYSTEMS))
        raise BadConfig(f"{name!r} is no system: choose one of {known}.", field="system")


def load_system(name: str) -> System:
    """Import a system's function; raises `BadConfig` for an unknown name."""
    check_system(name)
    module, _, function = SYSTEMS[name].rpartition(".")
    return cast(System, getattr(import_module(module), function))


def docstring_summary(documented: object) -> str:
    """Return the first paragraph of a docstring as a line of plain text."""
    first = (documented.__doc__ or "").split("\n\n")[0]
    return " ".join(first.replace("`", "").split())
