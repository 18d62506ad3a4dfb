"""RARR without its agreement model (section 6.2, Table 2): it edits by all evidence."""

from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import revise as revise_by_rarr
from pipeline.rarr.ports import AgreementModel, Components, UngatedAgreement
from pipeline.rarr.types import Agreement, Evidence, Passage, Query, Revision, Verdict

REASON = "This system has no agreement model: every piece of evidence goes to the edit model."


def revise(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    ungated = replace(components, agreement=OpenGate(components.agreement))
    return revise_by_rarr(passage, components=ungated, config=config)


class OpenGate:
    """Always disagrees, with the answers that an `UngatedAgreement` finds."""

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
