"""RARR's research and report without its revision: y = x (the "before" of Table 1).

What attribution the passage has as it was written, if only evidence is looked for.
"""

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import finish_revision
from pipeline.rarr.ports import Steps
from pipeline.rarr.research import research
from pipeline.rarr.types import Passage, Revision


def revise(passage: Passage, *, steps: Steps, config: RarrConfig) -> Revision:
    found = research(passage, steps=steps, config=config)
    return finish_revision(passage, found, (), steps=steps, config=config)
