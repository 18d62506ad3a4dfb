"""RARR (section 3): research, then revision of the current y, then the report.

Unreadable replies become `StepError`s and the loop continues. Other `RarrError`s are raised.
"""

from collections.abc import Iterator
from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.editing import edit
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Components
from pipeline.rarr.report import select_report
from pipeline.rarr.research import Research, research
from pipeline.rarr.types import EditOutcome, Passage, Report, Revision, StepError, TraceStep


def revise(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    """Revise a passage by its evidence; without queries or evidence it is unchanged."""
    findings = research(passage, components=components, config=config)
    trace: tuple[TraceStep, ...] = ()
    for step in _trace(passage, findings, components=components, config=config):
        trace = (*trace, step)
        components.report_progress(
            Revision(
                passage=passage,
                text=step.text_after,
                queries=findings.queries,
                evidence=findings.evidence,
                trace=trace,
                errors=findings.errors,
            )
        )
    return finish_revision(passage, findings, trace, components=components, config=config)


def finish_revision(
    passage: Passage,
    findings: Research,
    trace: tuple[TraceStep, ...],
    *,
    components: Components,
    config: RarrConfig,
) -> Revision:
    """Return the revision of a completed trace, with its attribution report (section 3.3)."""
    report, errors = Report(), findings.errors
    try:
        report = select_report(
            findings.queries,
            findings.evidence,
            relevance=components.relevance,
            size=config.report_size,
            edited_from={
                snippet
                for step in trace
                if step.edit_outcome is EditOutcome.KEPT
                for snippet in step.sources
            },
        )
    except UnreadableReply as error:
        errors = (*errors, StepError.of(error))
    text = trace[-1].text_after if trace else passage.text
    return Revision(
        passage=passage,
        text=text,
        queries=findings.queries,
        evidence=findings.evidence,
        trace=trace,
        report=report,
        errors=errors,
    )


def _trace(
    passage: Passage, findings: Research, *, components: Components, config: RarrConfig
) -> Iterator[TraceStep]:
    current = passage.text
    for query, snippets in zip(findings.queries, findings.evidence, strict=True):
        if not snippets:
            yield TraceStep(query=query, text_before=current, text_after=current)
        for evidence in snippets:
            step = TraceStep(
                query=query, evidence=evidence, text_before=current, text_after=current
            )
            try:
                agreement = components.agreement.judge(
                    passage=passage, current=current, query=query, evidence=evidence
                )
            except UnreadableReply as error:
                step = replace(step, edit_outcome=EditOutcome.ERROR, error=StepError.of(error))
            else:
                if agreement.is_open:
                    step = edit(
                        model=components.editor,
                        passage=passage,
                        current=current,
                        query=query,
                        evidence=evidence,
                        agreement=agreement,
                        max_characters=config.max_edit_characters,
                        max_ratio=config.max_edit_ratio,
                    )
                else:
                    step = replace(step, agreement=agreement)
            yield step
            current = step.text_after
