"""LaMDA Research (section 5.2; Thoppilan et al., 2022): the last two steps of LaMDA.

The passage is the base response of a dialog. The queries are one sample. The responder revises the
passage by all evidence, and the report holds all evidence.
"""

from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.dialog import Speaker, Turn, as_text, parse_dialog
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import Components
from pipeline.rarr.research import research
from pipeline.rarr.rewriting import rewrite
from pipeline.rarr.types import Passage, Report, Revision, distinct

OPENING = Turn(speaker=Speaker.USER, text="Tell me something interesting.")


def revise(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    """Raises `BadConfig` without a responder."""
    if components.responder is None:
        raise BadConfig(
            "lamda-research needs a language model that writes responses: set llm to "
            "openai:MODEL or hf:NAME_OR_PATH."
        )
    in_dialog = replace(passage, context=dialog_of(passage.context))
    revision = research(in_dialog, components=components, config=replace(config, query_samples=1))
    revision = rewrite(revision, rewriter=components.responder)
    evidence = distinct(revision.evidence)
    covers: dict[tuple[str, str], list[str]] = {each.identity: [] for each in evidence}
    for query, snippets in zip(revision.queries, revision.evidence, strict=True):
        for snippet in snippets:
            covers[snippet.identity].append(query.text)
    report = Report(evidence=evidence, covers=tuple(map(tuple, covers.values())))
    return replace(revision, passage=passage, report=report)


def dialog_of(context: str) -> str:
    """Return the context as a dialog with a user's turn first and last.

    >>> dialog_of("")
    'User: Tell me something interesting.'
    """
    turns = parse_dialog(context)
    if not turns and context.strip():
        turns = (Turn(speaker=Speaker.USER, text=context.strip()),)
    if not turns or turns[-1].speaker is not Speaker.USER:
        turns = (*turns, OPENING)
    if turns[0].speaker is not Speaker.USER:
        turns = (OPENING, *turns)
    return as_text(turns)
