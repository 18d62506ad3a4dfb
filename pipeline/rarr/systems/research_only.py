"""RARR's research and report without its revision: y = x (the "before" of Table 1)."""

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import add_report
from pipeline.rarr.ports import Components
from pipeline.rarr.research import research
from pipeline.rarr.types import Passage, Revision


def revise(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    revision = research(passage, components=components, config=config)
    return add_report(revision, components=components, config=config)
