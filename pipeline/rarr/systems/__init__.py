"""Ways to revise a passage, by name: one file a system."""

from importlib import import_module
from typing import Protocol, cast

from pipeline.rarr.ports import Steps
from pipeline.rarr.types import BadConfig, Passage, RarrConfig, Revision

SYSTEMS = {"rarr": "pipeline.rarr.systems.rarr.revise"}
"""Dotted paths, imported on first use."""


class System(Protocol):
    """One way to revise; raises `TransientError` and `BadConfig`, and names other errors."""

    def __call__(self, passage: Passage, *, steps: Steps, config: RarrConfig) -> Revision: ...


def load_system(name: str) -> System:
    """The function of a system; raises `BadConfig` for a name that is not in `SYSTEMS`."""
    if name not in SYSTEMS:
        raise BadConfig(f"{name!r} is no system: choose one of {', '.join(sorted(SYSTEMS))}.")
    module, _, function = SYSTEMS[name].rpartition(".")
    return cast(System, getattr(import_module(module), function))
