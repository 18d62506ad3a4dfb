"""A prompt as the model would get it, filled with a stored passage."""

import re
from collections.abc import Mapping

from pipeline.backends.prompted.prompt_rendering import evidence_line, numbered
from pipeline.generation import prompting
from pipeline.importing.came_with import documents_of
from pipeline.models import Passage, Revision
from pipeline.rarr.prompts import Template
from pipeline.rarr.types import distinct
from pipeline.runs.stored_revisions import UnreadableResult, read_revision

EXAMPLES: dict[str, str] = {
    "passage": "(the passage)",
    "context": "(the context of the passage)",
    "query": "(one of the questions about the passage)",
    "evidence": "(the evidence that was found for it)",
    "sentence": "(a sentence of the passage)",
    "question": "(a question)",
    "answer": "(the right answer)",
    "passages": "[1] (the passages that the answer may cite, a line each)",
    "document": "(a passage that the answer may cite)",
    "turns": "\n(the steps so far)",
    "dialog": "User: (a question)",
}
"""What stands for a value that nothing gives."""

_FIRST_SENTENCE = re.compile(r"\A.*?[.!?](?=\s|\Z)", re.DOTALL)
ALL_EVIDENCE = {"efec", "lamda_revision"}
"""Prompts that read all evidence of a passage at once."""


def values_for(template: Template, passage: Passage | None) -> Mapping[str, str]:
    """A value for each placeholder: of the passage, and of its latest revision where it has one."""
    known = dict(EXAMPLES)
    if passage is not None:
        text, context = passage.text.strip(), passage.context.strip()
        first = _FIRST_SENTENCE.match(text)
        known |= {"passage": text, "sentence": first[0] if first else text}
        if context:
            known |= {"context": context, "question": context}
            known["dialog"] = context if "\n" in context or ":" in context else f"User: {context}"
        elif template.name == "decontextualization":
            known["context"] = "none"
        if sources := documents_of(passage.source):
            known["passages"] = prompting.numbered(sources)
            known["document"] = prompting.line(sources[0])
        known |= _found(passage, everything=template.name in ALL_EVIDENCE)
    return {name: known[name] for name in template.placeholders}


def _found(passage: Passage, *, everything: bool) -> dict[str, str]:
    """A query and evidence of the passage's latest revision; {} where there is none."""
    done = Revision.objects.filter(passage=passage, state=Revision.State.DONE)
    latest = done.order_by("-pk").first()
    if latest is None:
        return {}
    try:
        revision = read_revision(latest)
    except UnreadableResult:
        return {}
    found = zip(revision.queries, revision.evidence, strict=True)
    first = next(((query, snippets[0]) for query, snippets in found if snippets), None)
    if first is None:
        return {}
    query, snippet = first
    snippets = numbered(distinct(revision.evidence)) if everything else evidence_line(snippet)
    return {"query": query.text, "evidence": snippets}
