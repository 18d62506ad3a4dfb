"""The units in which HAGRID judges an answer, and what a text cites of its sources."""

from collections.abc import Callable, Mapping, Sequence

from annotation.questionnaires.material import Draft, Evidence, Material, Offsets
from pipeline.metrics.citation_marks import (
    MARKS,
    cited,
    end_of,
    has_words,
    next_word,
    with_citations,
)


def grouped(text: str, sentences: Offsets) -> Offsets:
    """The units that HAGRID judges: each reaches up to and including the next citations.

    So a sentence that cites nothing joins the next one that does, a sentence that cites twice is
    cut in two, and the text after the last citation is a unit too. A text that cites nothing
    keeps its `sentences`.

    >>> grouped("It is old. It fell [1]. Why?", [])
    [{'start': 0, 'end': 23}, {'start': 24, 'end': 28}]
    """
    units: list[dict[str, int]] = []
    start = next_word(text, 0)
    for run in MARKS.finditer(text):
        end = end_of(text, run.end())
        if not has_words(text[start:end]):
            continue
        units.append({"start": start, "end": end})
        start = next_word(text, end)
    if not units:
        return sentences
    if start < len(text.rstrip()):
        units.append({"start": start, "end": len(text.rstrip())})
    return units


def with_their_citations(text: str, sentences: Offsets) -> Offsets:
    """The sentences, with citations after a full stop moved to the sentence before."""
    given = [(each["start"], each["end"]) for each in sentences]
    return [{"start": start, "end": end} for start, end in with_citations(text, given)]


def evidence_of(material: Material) -> tuple[Evidence, Mapping[int, int]]:
    """What the text cites: the snippets to show, and each cited number's place among them.

    The sources that came with an imported answer; else the attribution report, whose first
    snippet is [1].
    """
    if not material.quotes:
        return material.evidence, {number + 1: number for number in range(len(material.evidence))}
    numbers = sorted(material.quotes)
    return (
        [material.quotes[number] for number in numbers],
        {number: position for position, number in enumerate(numbers)},
    )


def citations_of(
    text: str, sentences: Offsets, places: Mapping[int, int]
) -> Sequence[Mapping[str, int]]:
    """`Item.citations`: which sentence cites what. A number without a source cites nothing."""
    return [
        {"sentence": index, "evidence": places[number]}
        for index, each in enumerate(sentences)
        for number in cited(text[each["start"] : each["end"]])
        if number in places
    ]


def cited_draft(material: Material, *, units: Callable[[str, Offsets], Offsets]) -> Draft | None:
    """One side in units of its text, beside the sources that it cites; None without a unit."""
    text = material.texts[material.side]
    sentences = material.sentences[material.side]
    if not material.has_units:
        sentences = units(text, sentences)
    evidence, places = evidence_of(material)
    if not sentences:
        return None
    citations = citations_of(text, sentences, places)
    return Draft(text=text, sentences=sentences, evidence=evidence, citations=citations)
