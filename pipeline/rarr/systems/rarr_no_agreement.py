"""RARR without its agreement model (section 6.2, Table 2, Figure 8): it edits by every piece of
evidence.

The gate is open wherever there is evidence, so no verdict is asked for. A language model's editor
reads the query and the evidence alone. The compact editor needs to be told which words to put in
place of which: it gets the likeliest counterpart, however unlikely. What rejects an edit that
was made (its length, and the compact reader's doubt) belongs to editing and stays.
"""

from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import revise as revise_by_rarr
from pipeline.rarr.ports import AgreementModel, Steps, UngatedAgreement
from pipeline.rarr.types import Agreement, Evidence, Passage, Query, Revision, Verdict

REASON = "This system has no agreement model: every piece of evidence goes to the edit model."


def revise(passage: Passage, *, steps: Steps, config: RarrConfig) -> Revision:
    opened = replace(steps, agreement=OpenGate(steps.agreement))
    return revise_by_rarr(passage, steps=opened, config=config)


class OpenGate:
    """Disagrees with everything, and asks `model` at most for the two answers."""

    def __init__(self, model: AgreementModel) -> None:
        self._model = model

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        if not isinstance(self._model, UngatedAgreement):
            return Agreement(verdict=Verdict.DISAGREES, reason=REASON)
        return self._model.disagree(
            passage=passage, current=current, query=query, evidence=evidence
        )
