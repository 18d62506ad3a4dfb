"""Research (section 3.1): queries, and the evidence of each."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Components, QueryGenerator
from pipeline.rarr.retrieval import retrieve
from pipeline.rarr.types import Passage, Query, Revision, StepError


def research(passage: Passage, *, components: Components, config: RarrConfig) -> Revision:
    """Return the unchanged passage with queries and their evidence.

    Every `UnreadableReply` goes into `errors`. Unreadable samples of queries end the research only
    if all are; any other unreadable reply ends it. Other `RarrError`s are raised.
    """
    revision = Revision(passage=passage, text=passage.text)
    errors: list[StepError] = []
    try:
        queries, unreadable = generate_queries(
            passage,
            generator=components.query_generator,
            samples=config.query_samples,
            temperature=config.query_temperature,
        )
        errors += [StepError.of(error, is_tolerated=True) for error in unreadable]
        revision = replace(revision, queries=queries)
        components.report_progress(revision)
        evidence = retrieve(queries, components=components, config=config)
        revision = replace(revision, evidence=evidence)
        components.report_progress(revision)
    except UnreadableReply as error:
        errors.append(StepError.of(error))
        revision = replace(revision, evidence=((),) * len(revision.queries))
    return replace(revision, errors=tuple(errors))


def generate_queries(
    passage: Passage, *, generator: QueryGenerator, samples: int, temperature: float
) -> tuple[tuple[Query, ...], tuple[UnreadableReply, ...]]:
    """Return the distinct queries, none for a blank passage, and the unreadable samples."""
    if not passage.text.strip():
        return (), ()
    replies = generator.generate(passage, samples=samples, temperature=temperature)
    readable = [reply for reply in replies if not isinstance(reply, UnreadableReply)]
    unreadable = tuple(reply for reply in replies if isinstance(reply, UnreadableReply))
    return unite_samples(readable), unreadable


def unite_samples(samples: Iterable[Sequence[Query]]) -> tuple[Query, ...]:
    """Return the queries whose normalized texts are distinct and not empty, in order."""
    by_normalized: dict[str, Query] = {}
    for sample in samples:
        for query in sample:
            if normalized := normalize_query(query.text):
                by_normalized.setdefault(normalized, query)
    return tuple(by_normalized.values())


def normalize_query(text: str) -> str:
    """Apply NFKC and case folding, collapse white space, and strip final punctuation."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    end = len(folded)
    while end and (folded[end - 1].isspace() or unicodedata.category(folded[end - 1])[0] == "P"):
        end -= 1
    return folded[:end]
