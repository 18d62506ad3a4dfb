"""Asks a model about sentences that an edit may have left behind (Figure 7e).

`coherence` finds them by rule, and would rather miss one than raise a false alarm. Here a model
says of each whether the rule was right. The verdict is shown beside the reason; no text changes.
"""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.rarr.coherence import find_replacements
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.model_answers import score_entailment
from pipeline.rarr.ports import AgreementModel, Entailment, Rechecker
from pipeline.rarr.types import (
    Agreement,
    EditOutcome,
    Incoherence,
    Passage,
    StepError,
    TraceStep,
    Verdict,
)

ENTAILED_FROM = 0.5
"""Of an entailment model's probability: from here on it says yes."""


def recheck_doubts(
    doubts: Sequence[Incoherence],
    *,
    passage: Passage,
    text: str,
    trace: Sequence[TraceStep],
    by: Rechecker | None,
) -> tuple[Incoherence, ...]:
    """The doubts about `text` (y), each with what `by` says of it; as they are where it is None.

    An unreadable reply is named. Raises what the model raises otherwise.
    """
    found = []
    for doubt in doubts:
        cause = cause_of(doubt, trace) if by else None
        if by and cause:
            try:
                verdict = by.recheck(passage=passage, text=text, doubt=doubt, cause=cause)
                doubt = replace(doubt, recheck=verdict)
            except UnreadableReply as error:
                doubt = replace(doubt, recheck_error=StepError.of(error))
        found.append(doubt)
    return tuple(found)


def cause_of(doubt: Incoherence, trace: Sequence[TraceStep]) -> TraceStep | None:
    """The kept edit that put the new value in the old one's place."""
    for step in trace:
        if step.edit_outcome is EditOutcome.KEPT and step.evidence is not None:
            pairs = find_replacements(step.text_before, step.text_after)
            if any((old, new) == (doubt.old, doubt.new) for old, new, *_ in pairs):
                return step
    return None


class AgreementRechecker:
    """Asks the agreement model what it was asked of the edit, now of this sentence.

    The sentence is the passage, what stands before it in y the context, and query and evidence
    are those of the edit: "over 160 years" beside a page that says 1905.
    """

    def __init__(self, model: AgreementModel) -> None:
        self._model = model

    def recheck(
        self, *, passage: Passage, text: str, doubt: Incoherence, cause: TraceStep
    ) -> Agreement:
        sentence = doubt.span.of(text)
        before = text[: doubt.span.start].strip()
        context = "\n".join(each for each in (passage.context.strip(), before) if each)
        if cause.evidence is None:
            raise ValueError("An edit was kept without evidence.")
        return self._model.judge(
            passage=Passage(id=passage.id, text=sentence, context=context),
            current=sentence,
            query=replace(cause.query, about=None),
            evidence=cause.evidence,
        )


class EntailmentRechecker:
    """Asks the entailment model whether the rest of the edited passage carries the sentence."""

    def __init__(self, model: Entailment) -> None:
        self._model = model

    def recheck(
        self, *, passage: Passage, text: str, doubt: Incoherence, cause: TraceStep
    ) -> Agreement:
        sentence = doubt.span.of(text)
        rest = f"{text[: doubt.span.start].rstrip()} {text[doubt.span.end :].lstrip()}".strip()
        ((_, found),) = score_entailment([(rest, sentence)], entailment=self._model).items()
        entailed, contradicted = found.entailed, found.contradicted or 0.0
        if contradicted >= ENTAILED_FROM and contradicted > entailed:
            verdict, what = Verdict.DISAGREES, f"contradicts it ({contradicted:.2f})"
        elif entailed >= ENTAILED_FROM:
            verdict, what = Verdict.AGREES, f"entails it ({entailed:.2f})"
        else:
            verdict = Verdict.IRRELEVANT
            what = f"neither entails it ({entailed:.2f}) nor contradicts it ({contradicted:.2f})"
        return Agreement(verdict=verdict, reason=f"The rest of the edited passage {what}.")
