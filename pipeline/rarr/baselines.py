"""The paper's baselines (section 5.2): one rewrite from all evidence at once."""

from dataclasses import replace

from rapidfuzz.distance import Levenshtein

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.dialog import Speaker, Turn, format_dialog, parse_dialog
from pipeline.rarr.errors import BadConfig, UnreadableReply
from pipeline.rarr.loop import add_report
from pipeline.rarr.ports import Components, Rewriter
from pipeline.rarr.research import research
from pipeline.rarr.types import (
    EditOutcome,
    Passage,
    Query,
    Report,
    Revision,
    StepError,
    TraceStep,
    distinct,
)

OPENING = Turn(speaker=Speaker.USER, text="Tell me something interesting.")
"""Inserted if a dialog's first or last turn is not the user's."""


def revise_by_efec(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    """Rewrite the passage once from all evidence.

    EFEC (section 5.2; Thorne and Vlachos, 2021): no gate and no limit; research and report are
    RARR's, as in the paper. Raises `BadConfig` without a corrector.
    """
    if components.corrector is None:
        raise BadConfig("efec needs a corrector: set efec_model to hf:NAME_OR_PATH.")
    revision = research(passage, components=components, config=config)
    revision = _rewrite(revision, rewriter=components.corrector, config=config)
    return add_report(revision, components=components, config=config)


def revise_by_lamda(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    """Rewrite the passage once, as a dialog's answer to all evidence.

    LaMDA Research (section 5.2; Thoppilan et al., 2022), the last two steps of LaMDA: the passage
    counts as its first answer to the dialog, and queries are sampled once. The responder revises
    the passage with all evidence, which is also the report. Raises `BadConfig` without one.
    """
    if components.responder is None:
        raise BadConfig(
            "lamda-research needs a language model that writes responses: set llm to "
            "openai:MODEL or hf:NAME_OR_PATH."
        )
    in_dialog = replace(passage, context=lamda_dialog(passage.context))
    revision = research(in_dialog, components=components, config=replace(config, query_samples=1))
    revision = _rewrite(revision, rewriter=components.responder, config=config)
    used = revision.used_evidence(config.evidence_per_query)
    evidence = distinct(used)
    covers: dict[tuple[str, str], list[str]] = {each.identity: [] for each in evidence}
    for query, snippets in zip(revision.queries, used, strict=True):
        for snippet in snippets:
            covers[snippet.identity].append(query.text)
    report = Report(evidence=evidence, covers=tuple(map(tuple, covers.values())))
    return replace(revision, passage=passage, report=report)


def _rewrite(researched: Revision, *, rewriter: Rewriter, config: RarrConfig) -> Revision:
    """Rewrite the passage in a single step of the trace; without evidence, do nothing.

    An unreadable or blank reply becomes the step's error.
    """
    passage = researched.passage
    evidence = distinct(researched.used_evidence(config.evidence_per_query))
    if not evidence:
        return researched
    step = TraceStep(
        query=Query(text="All evidence at once"),
        evidence=evidence[0],
        additional_evidence=evidence[1:],
        text_before=passage.text,
        text_after=passage.text,
    )
    try:
        proposed = rewriter.rewrite(passage=passage, evidence=evidence)
        if not proposed.text.strip():
            raise UnreadableReply("The rewritten passage is blank.", reply=proposed.text)
    except UnreadableReply as error:
        step = replace(step, edit_outcome=EditOutcome.ERROR, error=StepError.of(error))
    else:
        is_same = proposed.text == passage.text
        step = replace(
            step,
            edit_outcome=EditOutcome.UNCHANGED if is_same else EditOutcome.ACCEPTED,
            edit_reason=proposed.reason,
            edit_distance=Levenshtein.distance(passage.text, proposed.text),
            text_after=proposed.text,
        )
    return replace(researched, text=step.text_after, trace=(step,))


def lamda_dialog(context: str) -> str:
    """Return the context as a dialog whose first and last turns are the user's.

    >>> lamda_dialog("")
    'User: Tell me something interesting.'
    """
    turns = parse_dialog(context)
    if not turns and context.strip():
        turns = (Turn(speaker=Speaker.USER, text=context.strip()),)
    if not turns or turns[-1].speaker is not Speaker.USER:
        turns = (*turns, OPENING)
    if turns[0].speaker is not Speaker.USER:
        turns = (OPENING, *turns)
    return format_dialog(turns)
