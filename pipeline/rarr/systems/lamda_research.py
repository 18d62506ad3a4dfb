"""LaMDA Research (section 5.2; Thoppilan et al., 2022): the last two of LaMDA's three steps.

The passage is taken for the base response of a dialog. Queries are made from it, and a revised
response is written from it and all that was found: freely, so tone and form change too. A dialog
system expects that the user spoke first; where the context holds no turn of a user, an artificial
one is put there, in the paper's words. The attribution report is all evidence that was found.

LaMDA itself is not to be had: its query writer is the configured query generator, asked once, and
its response writer is the configured language model with the prompt `lamda_revision`. The compact
models write no responses, so with `llm` = `compact` this system is refused.
"""

from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.dialog import Speaker, Turn, as_text, turns_of
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import Steps
from pipeline.rarr.research import research
from pipeline.rarr.rewriting import rewrite
from pipeline.rarr.types import Passage, Report, Revision, distinct

OPENING = Turn(speaker=Speaker.USER, text="Tell me something interesting.")
"""What the user says where nobody spoke (section 5.2)."""


def revise(passage: Passage, *, steps: Steps, config: RarrConfig) -> Revision:
    """Raises `BadConfig` where the steps have no responder."""
    if steps.responder is None:
        raise BadConfig(
            "lamda-research needs a language model that writes responses: set llm to "
            "openai:MODEL or hf:NAME_OR_PATH."
        )
    in_dialog = replace(passage, context=dialog_of(passage.context))
    found = research(in_dialog, steps=steps, config=replace(config, query_samples=1))
    evidence = distinct(found.evidence)
    trace = rewrite(in_dialog, evidence, by=steps.responder)
    return Revision(
        passage=passage,
        text=trace[-1].text_after if trace else passage.text,
        queries=found.queries,
        evidence=found.evidence,
        trace=trace,
        report=Report(
            evidence=evidence,
            covers=tuple(
                tuple(
                    query.text for query, each in found.pairs if each.identity == snippet.identity
                )
                for snippet in evidence
            ),
        ),
        errors=found.errors,
    )


def dialog_of(context: str) -> str:
    """The context as a dialog in which the user speaks first and speaks last.

    >>> dialog_of("")
    'User: Tell me something interesting.'
    >>> dialog_of("Who built the hall?")
    'User: Who built the hall?'
    """
    turns = turns_of(context)
    if not turns and context.strip():
        turns = (Turn(speaker=Speaker.USER, text=context.strip()),)
    if not turns or turns[-1].speaker is not Speaker.USER:
        turns = (*turns, OPENING)
    if turns[0].speaker is not Speaker.USER:
        turns = (OPENING, *turns)
    return as_text(turns)
