"""EFEC's editor on RARR's research (section 5.2; Thorne and Vlachos, 2021).

It rewrites the passage once from all evidence, without a gate or a limit; research and report are
RARR's, as in the paper.
"""

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.loop import add_report
from pipeline.rarr.ports import Components
from pipeline.rarr.research import research
from pipeline.rarr.rewriting import rewrite
from pipeline.rarr.types import Passage, Revision


def revise(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    """Raises `BadConfig` without a corrector."""
    if components.corrector is None:
        raise BadConfig("efec needs an editor: set efec_model to hf:NAME_OR_PATH.")
    revision = research(passage, components=components, config=config)
    revision = rewrite(revision, rewriter=components.corrector)
    return add_report(revision, components=components, config=config)
