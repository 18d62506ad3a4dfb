"""EFEC's editor on RARR's research (section 5.2; Thorne and Vlachos, 2021).

The passage is rewritten once, from all evidence at once, without a gate and without a limit to
what may change: one of the reasons why it preserves so little. As in the paper the evidence is
RARR's own (queries and search of section 3.1), and so is the attribution report.

Who edits is `Steps.corrector`: a fine-tuned sequence-to-sequence model by name, as EFEC's own is;
a language model with the prompt `efec`; or, for `compact`, its own editor, which compares every
span of the passage with all of the evidence before it changes anything.
"""

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.loop import finish_revision
from pipeline.rarr.ports import Steps
from pipeline.rarr.research import research
from pipeline.rarr.rewriting import rewrite
from pipeline.rarr.types import Passage, Revision, distinct


def revise(passage: Passage, *, steps: Steps, config: RarrConfig) -> Revision:
    """Raises `BadConfig` where the steps have no corrector."""
    if steps.corrector is None:
        raise BadConfig("efec needs an editor: set efec_model to hf:NAME_OR_PATH.")
    found = research(passage, steps=steps, config=config)
    trace = rewrite(passage, distinct(found.evidence), by=steps.corrector)
    return finish_revision(passage, found, trace, steps=steps, config=config)
