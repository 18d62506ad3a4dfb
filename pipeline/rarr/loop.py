"""RARR, whole (section 3): research, then revision over the current y, then the report.

Errors: the result names a model's unreadable reply, and the loop goes on, so that the trace is
whole; `Revision.unread` says whether the passage then counts as revised. Any other `RarrError`
is raised: after a `TransientError` the whole passage is worth another try, and a fault of the
configuration or the index is not the passage's.
"""

from collections.abc import Iterator
from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.editing import edit
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Steps
from pipeline.rarr.research import Research, research
from pipeline.rarr.types import EditOutcome, Passage, Report, Revision, StepError, TraceStep


def revise(passage: Passage, *, steps: Steps, config: RarrConfig) -> Revision:
    """Research the passage, revise what its evidence disagrees with, and report the evidence.

    A passage without queries or without evidence comes back as it was, with an empty report.
    """
    found = research(passage, steps=steps, config=config)
    trace: tuple[TraceStep, ...] = ()
    for step in _trace(passage, found, steps=steps, config=config):
        trace = (*trace, step)
        steps.tell(
            Revision(
                passage=passage,
                text=step.text_after,
                queries=found.queries,
                evidence=found.evidence,
                trace=trace,
                errors=found.errors,
            )
        )
    return finish_revision(passage, found, trace, steps=steps, config=config)


def finish_revision(
    passage: Passage,
    found: Research,
    trace: tuple[TraceStep, ...],
    *,
    steps: Steps,
    config: RarrConfig,
) -> Revision:
    """The revision that a trace leads to, with the attribution report (section 3.3)."""
    from pipeline.rarr.report import select

    report, errors = Report(), found.errors
    try:
        report = select(
            found.queries,
            found.evidence,
            relevance=steps.relevance,
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
        queries=found.queries,
        evidence=found.evidence,
        trace=trace,
        report=report,
        errors=errors,
    )


def _trace(
    passage: Passage, found: Research, *, steps: Steps, config: RarrConfig
) -> Iterator[TraceStep]:
    """The turns of the loop: queries in their order, each with its evidence by rank."""
    current = passage.text
    for query, snippets in zip(found.queries, found.evidence, strict=True):
        if not snippets:
            yield TraceStep(query=query, text_before=current, text_after=current)
        for evidence in snippets:
            step = TraceStep(
                query=query, evidence=evidence, text_before=current, text_after=current
            )
            try:
                agreement = steps.agreement.judge(
                    passage=passage, current=current, query=query, evidence=evidence
                )
            except UnreadableReply as error:
                step = replace(step, edit_outcome=EditOutcome.ERROR, error=StepError.of(error))
            else:
                if agreement.is_open:
                    step = edit(
                        model=steps.editor,
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
