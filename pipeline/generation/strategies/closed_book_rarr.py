"""Research and revise an answer that was written without sources, by RARR, and cite its
attribution report: citing afterwards, with the mistakes mended."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from pipeline.generation.citing import Claim, cite_claims, claims_of
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record, Step
from pipeline.generation.writing import take_draft
from pipeline.metrics.alce_reference import AT_MOST
from pipeline.metrics.citation_marks import without_citations
from pipeline.metrics.citation_support import Entailments, Pair
from pipeline.rarr.checked_calls import decontextualize, probabilities
from pipeline.rarr.types import Evidence, Passage, RevisionFailed


def answer(question: Question, *, tools: Tools) -> Answer:
    """The revised text; behind each statement the snippets of the report that entail it, alone or
    together, read as auto-AIS reads it.

    They are at most three, the likeliest first. Raises `RevisionFailed` where a reply that the
    revision rests on could not be read.
    """
    draft = without_citations(take_draft(question, tools=tools))
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
        text=cite_claims(revision.text, _cited(claims, sources, tools)),
        sources=sources,
        record=Record(
            steps=(
                Step(name="draft", text=draft),
                *edits,
                Step(name="revised", text=revision.text),
            )
        ),
    )


def _cited(
    claims: Sequence[Claim], sources: Sequence[Evidence], tools: Tools
) -> Iterator[tuple[Claim, list[int]]]:
    """The numbers of the sources that entail each statement, the likeliest first.

    Where none does by itself, the likeliest two or three are cited that do together.
    """

    def pair(claim: Claim, places: Iterable[int]) -> Pair:
        return "\n".join(sources[place].titled for place in places), claim.text

    known = Entailments(partial(probabilities, entailment=tools.entailment))
    known.ask(pair(claim, [place]) for claim in claims for place in range(len(sources)))
    # Python's sort is stable: of equals the first of the report is cited.
    ranked = [
        sorted(range(len(sources)), key=lambda place: -known.probability(pair(claim, [place])))
        for claim in claims
    ]
    alone = [
        [place for place in places if known.holds(pair(claim, [place]))]
        for claim, places in zip(claims, ranked, strict=True)
    ]
    together = [
        [] if found else [places[:size] for size in range(2, min(AT_MOST, len(places)) + 1)]
        for places, found in zip(ranked, alone, strict=True)
    ]
    several = list(zip(claims, together, strict=True))
    known.ask(pair(claim, places) for claim, choices in several for places in choices)
    for (claim, choices), found in zip(several, alone, strict=True):
        joint = (places for places in choices if known.holds(pair(claim, places)))
        yield claim, [place + 1 for place in found[:AT_MOST] or next(joint, [])]
