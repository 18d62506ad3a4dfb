"""Correct an uncited answer with RARR, then add citations."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record, Step
from pipeline.generation.writing import Claim, claims_of, get_or_generate_draft, insert_citations
from pipeline.metrics.alce_reference import MAX_SOURCES
from pipeline.metrics.citation_marks import without_citations
from pipeline.metrics.citation_support import Entailments, Pair
from pipeline.rarr.checked_calls import decontextualize, entailment_probabilities
from pipeline.rarr.types import Evidence, Passage, RevisionFailed


def answer(question: Question, *, tools: Tools) -> Answer:
    """Cite after each statement the report's snippets that entail it, alone or together.

    At most three, most probable first. Raises `RevisionFailed` for fatal errors.
    """
    draft = without_citations(get_or_generate_draft(question, tools=tools))
    revision = tools.revise(Passage(id=question.id, text=draft, context=question.text))
    if revision.fatal_errors:
        raise RevisionFailed(revision)
    claims = claims_of(revision.text, question=question, splitter=tools.splitter)
    if not question.is_list:
        texts = decontextualize(
            [each.text for each in claims],
            passage=replace(revision.passage, text=revision.text),
            decontextualizer=tools.decontextualizer,
        )
        claims = tuple(replace(each, text=text) for each, text in zip(claims, texts, strict=True))
    sources = revision.report.evidence
    edits = [
        Step(name="edit", text=each.edit_reason or each.text_after)
        for each in revision.trace
        if each.text_after != each.text_before
    ]
    return Answer(
        text=insert_citations(revision.text, _cited(claims, sources, tools)),
        sources=sources,
        record=Record(
            steps=(Step(name="draft", text=draft), *edits, Step(name="revised", text=revision.text))
        ),
    )


def _cited(
    claims: Sequence[Claim], sources: Sequence[Evidence], tools: Tools
) -> Iterator[tuple[Claim, list[int]]]:
    """Yield each claim's source numbers, most probable first.

    If no source entails it alone, the best two or three that do together.
    """

    def pair(claim: Claim, indices: Iterable[int]) -> Pair:
        return "\n".join(sources[index].titled_text for index in indices), claim.text

    known = Entailments(partial(entailment_probabilities, entailment=tools.entailment))
    known.ask(pair(claim, [index]) for claim in claims for index in range(len(sources)))
    ranked = [
        sorted(range(len(sources)), key=lambda index: -known.probability(pair(claim, [index])))
        for claim in claims
    ]
    singles = [
        [index for index in indices if known.holds(pair(claim, [index]))]
        for claim, indices in zip(claims, ranked, strict=True)
    ]
    together = [
        [] if single else [indices[:size] for size in range(2, min(MAX_SOURCES, len(indices)) + 1)]
        for indices, single in zip(ranked, singles, strict=True)
    ]
    several = list(zip(claims, together, strict=True))
    known.ask(pair(claim, indices) for claim, choices in several for indices in choices)
    for (claim, choices), single in zip(several, singles, strict=True):
        joint = (indices for indices in choices if known.holds(pair(claim, indices)))
        yield claim, [index + 1 for index in single[:MAX_SOURCES] or next(joint, [])]
