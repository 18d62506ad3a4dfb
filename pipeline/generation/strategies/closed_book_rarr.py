"""Research and revise an answer that was written without sources, by RARR, and cite its
attribution report: citing afterwards, with the mistakes mended."""

from dataclasses import replace

from pipeline.generation.citing import Claim, cite_claims, claims_of
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, GenerationConfig, Question, Record, Step
from pipeline.generation.writing import take_draft
from pipeline.metrics.alce_reference import AT_MOST
from pipeline.metrics.citation_marks import without_citations
from pipeline.metrics.citation_support import ENTAILED
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Evidence, NotRevised, Passage


def answer(question: Question, *, tools: Tools, config: GenerationConfig) -> Answer:
    """The revised text; behind each statement the snippets of the report that entail it, alone or
    together, read as auto-AIS reads it.

    They are at most three, the likeliest first. Raises `NotRevised` where a reply that the
    revision rests on could not be read.
    """
    if tools.revise is None:
        raise ValueError("closed-book-rarr needs RARR")
    draft = without_citations(take_draft(question, tools=tools, config=config))
    revision = tools.revise(Passage(id=question.id, text=draft, context=question.text))
    if revision.unread:
        raise NotRevised(revision)
    claims = claims_of(revision.text, question=question, splitter=tools.splitter)
    revised = replace(revision.passage, text=revision.text)
    alone = claims if question.is_list else _standing_alone(claims, revised, tools)
    sources = revision.report.evidence
    edits = [
        Step(name="edit", text=each.edit_reason or each.text_after)
        for each in revision.trace
        if each.text_after != each.text_before
    ]
    return Answer(
        text=cite_claims(revision.text, _cited(alone, sources, tools)),
        sources=sources,
        record=Record(
            steps=(
                Step(name="draft", text=draft),
                *edits,
                Step(name="revised", text=revision.text),
            )
        ),
    )


def _standing_alone(claims: tuple[Claim, ...], passage: Passage, tools: Tools) -> tuple[Claim, ...]:
    """The statements as auto-AIS reads them: with names in place of what points back."""
    if tools.decontextualizer is None:
        return claims
    texts = tools.decontextualizer.decontextualize(
        passage=passage, sentences=[each.text for each in claims]
    )
    if len(texts) != len(claims):
        raise UnreadableReply(
            f"The decontextualizer gave {len(texts)} sentences for {len(claims)}."
        )
    return tuple(replace(each, text=text) for each, text in zip(claims, texts, strict=True))


def _cited(
    claims: tuple[Claim, ...], sources: tuple[Evidence, ...], tools: Tools
) -> list[tuple[Claim, tuple[int, ...]]]:
    """The numbers of the sources that entail each statement, the likeliest first.

    Where none does by itself, the likeliest two or three are cited that do together.
    """
    alone = _entailed(
        [(each.titled, claim.text) for claim in claims for each in sources], tools=tools
    )
    cited: list[tuple[int, ...]] = []
    together: list[tuple[int, tuple[int, ...]]] = []
    for place in range(len(claims)):
        some = alone[place * len(sources) : (place + 1) * len(sources)]
        # Python's sort is stable: of equals the first of the report is cited.
        ranked = sorted(range(1, len(sources) + 1), key=lambda number: -some[number - 1])
        entailing = [number for number in ranked if some[number - 1] >= ENTAILED]
        cited.append(tuple(entailing[:AT_MOST]))
        if not entailing:
            several = range(2, min(AT_MOST, len(sources)) + 1)
            together += [(place, tuple(ranked[:size])) for size in several]
    joint = _entailed(
        [
            ("\n".join(sources[number - 1].titled for number in numbers), claims[place].text)
            for place, numbers in together
        ],
        tools=tools,
    )
    for (place, numbers), likely in zip(together, joint, strict=True):
        if likely >= ENTAILED and not cited[place]:
            cited[place] = numbers
    return list(zip(claims, cited, strict=True))


def _entailed(pairs: list[tuple[str, str]], *, tools: Tools) -> list[float]:
    """How likely each premise entails its hypothesis; asked together."""
    found = tools.entailment.score(pairs) if pairs else []
    if len(found) != len(pairs):
        raise UnreadableReply(f"The entailment model scored {len(found)} of {len(pairs)} pairs.")
    return [each.entailed for each in found]
