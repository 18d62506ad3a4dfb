"""Ways to revise a passage, by name: one file a system.

`rarr` and its ablations, the systems it is compared with, and research alone; docs/systems.md
says of each what it does and where in the paper it stands.
"""

from importlib import import_module
from typing import Protocol, cast

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import Steps
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

WRITES_FREELY = {"lamda-research"}
"""Those of them that need a language model to write; the compact models only change words."""


UNGATED = {"rarr-no-agreement"}
"""Those of them whose trace has verdicts that no agreement model gave."""


class System(Protocol):
    """One way to revise; raises `TransientError` and `BadConfig`, and names other errors."""

    def __call__(self, passage: Passage, *, steps: Steps, config: RarrConfig) -> Revision: ...


def load_system(name: str) -> System:
    """The function of a system; raises `BadConfig` for a name that is not in `SYSTEMS`."""
    if name not in SYSTEMS:
        known = ", ".join(sorted(SYSTEMS))
        raise BadConfig(f"{name!r} is no system: choose one of {known}.", field="system")
    module, _, function = SYSTEMS[name].rpartition(".")
    return cast(System, getattr(import_module(module), function))


def summary(name: str) -> str:
    """What a system does, in a sentence."""
    return summary_of(SYSTEMS[name])


def summary_of(path: str) -> str:
    """The first paragraph of the docstring of a function's module, on one line as plain text."""
    module, _, _ = path.rpartition(".")
    first = (import_module(module).__doc__ or "").split("\n\n")[0]
    return first.translate({ord("\n"): " ", ord("`"): None}).strip()
