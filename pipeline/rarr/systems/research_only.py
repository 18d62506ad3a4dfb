"""RARR's research and report without its revision: y = x (the "before" of Table 1)."""

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import finish_revision
from pipeline.rarr.ports import Components
from pipeline.rarr.research import research
from pipeline.rarr.types import Passage, Revision


def revise(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    findings = research(passage, components=components, config=config)
    return finish_revision(passage, findings, (), components=components, config=config)
