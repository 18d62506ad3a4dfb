"""RARR (section 3): research, a loop of edits, and the report.

An `UnreadableReply` becomes a `StepError`; the loop continues, but the revision has failed
(`Revision.fatal_errors`). Other `RarrError`s are raised.
"""

from collections.abc import Iterator
from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.editing import edit
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Components
from pipeline.rarr.report import select_report
from pipeline.rarr.research import research
from pipeline.rarr.types import EditOutcome, Evidence, Passage, Revision, StepError, TraceStep


def revise(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    """Research each claim, then edit what the evidence contradicts."""
    revision = research(passage, components=components, config=config)
    for step in _steps(revision, components=components, config=config):
        revision = replace(revision, text=step.text_after, trace=(*revision.trace, step))
        components.report_progress(revision)
    return add_report(revision, components=components, config=config)


def add_report(revision: Revision, *, components: Components, config: RarrConfig) -> Revision:
    """Return the revision with its attribution report (section 3.3)."""
    accepted = [step for step in revision.trace if step.edit_outcome is EditOutcome.ACCEPTED]
    try:
        report = select_report(
            revision.queries,
            revision.used_evidence(config.evidence_per_query),
            relevance=components.relevance,
            size=config.report_size,
            fill=config.report_fill,
            edited_from={snippet for step in accepted for snippet in step.all_evidence},
        )
    except UnreadableReply as error:
        return replace(revision, errors=(*revision.errors, StepError.of(error)))
    return replace(revision, report=report)


def _steps(
    researched: Revision, *, components: Components, config: RarrConfig
) -> Iterator[TraceStep]:
    passage, current = researched.passage, researched.text
    used = researched.used_evidence(config.evidence_per_query)
    for query, snippets in zip(researched.queries, used, strict=True):
        for evidence in snippets or [None]:
            step = TraceStep(
                query=query, evidence=evidence, text_before=current, text_after=current
            )
            if evidence:
                step = _judge_and_edit(step, evidence, passage, components, config)
            yield step
            current = step.text_after


def _judge_and_edit(
    step: TraceStep,
    evidence: Evidence,
    passage: Passage,
    components: Components,
    config: RarrConfig,
) -> TraceStep:
    try:
        agreement = components.agreement_model.judge(
            passage=passage, current=step.text_before, query=step.query, evidence=evidence
        )
    except UnreadableReply as error:
        return replace(step, edit_outcome=EditOutcome.ERROR, error=StepError.of(error))
    step = replace(step, agreement=agreement)
    if not agreement.opens_gate:
        return step
    return edit(
        step, evidence, agreement, passage=passage, model=components.edit_model, config=config
    )
