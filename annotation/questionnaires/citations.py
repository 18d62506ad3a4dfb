"""The units of an answer, and its citations."""

from collections.abc import Callable, Mapping, Sequence

from annotation.questionnaires.material import Draft, Evidence, Material, Offsets
from pipeline.metrics.citation_marks import cited, with_citations


def grouped(text: str, sentences: Offsets) -> Offsets:
    """Join sentences that cite nothing with the next that does, into HAGRID's units.

    Each sentence after the last citation is a unit.

    >>> grouped("It is old. It fell [1].", [{"start": 0, "end": 10}, {"start": 11, "end": 23}])
    [{'start': 0, 'end': 23}]
    """
    units: list[Mapping[str, int]] = []
    uncited: list[Mapping[str, int]] = []
    for each in with_their_citations(text, sentences):
        uncited.append(each)
        if cited(text[each["start"] : each["end"]]):
            units.append({"start": uncited[0]["start"], "end": each["end"]})
            uncited = []
    return [*units, *uncited] or sentences


def with_their_citations(text: str, sentences: Offsets) -> Offsets:
    """Move citations after a full stop to the sentence before."""
    given = [(each["start"], each["end"]) for each in sentences]
    return [{"start": start, "end": end} for start, end in with_citations(text, given)]


def evidence_of(material: Material) -> tuple[Evidence, Mapping[int, int]]:
    """Return the snippets, and cited number → index of a snippet.

    Imported sources, or else the attribution report, whose first snippet is [1].
    """
    if not material.quotes:
        return material.evidence, {number + 1: number for number in range(len(material.evidence))}
    numbers = sorted(material.quotes)
    return (
        [material.quotes[number] for number in numbers],
        {number: position for position, number in enumerate(numbers)},
    )


def citations_of(
    text: str, sentences: Offsets, indexes: Mapping[int, int]
) -> Sequence[Mapping[str, int]]:
    """Return `Item.citations`, without numbers that have no source."""
    return [
        {"sentence": index, "evidence": indexes[number]}
        for index, each in enumerate(sentences)
        for number in cited(text[each["start"] : each["end"]])
        if number in indexes
    ]


def cited_draft(material: Material, *, units: Callable[[str, Offsets], Offsets]) -> Draft | None:
    """Make one side with its citations; None without a unit."""
    text = material.texts[material.side]
    sentences = material.sentences[material.side]
    if not material.has_units:
        sentences = units(text, sentences)
    evidence, indexes = evidence_of(material)
    if not sentences:
        return None
    citations = citations_of(text, sentences, indexes)
    return Draft(text=text, sentences=sentences, evidence=evidence, citations=citations)
