"""Revision stage, agreement (section 3.2): do y and e imply the same answer to q?"""

from pipeline.rarr.ports import AgreementModel
from pipeline.rarr.types import (
    Agreement,
    Evidence,
    Passage,
    Query,
    StepError,
    UnreadableReply,
)


def judge(
    *,
    model: AgreementModel,
    passage: Passage,
    current: str,
    query: Query,
    evidence: Evidence,
) -> Agreement | StepError:
    """The model's verdict, or its unreadable reply by name: never a silent "agrees"."""
    try:
        return model.judge(passage=passage, current=current, query=query, evidence=evidence)
    except UnreadableReply as error:
        return StepError.of(error)
