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

    An unreadable reply, unless one of several samples, ends the research early and is in `errors`.
    Other `RarrError`s are raised.
    """
    revision = Revision(passage=passage, text=passage.text)
    errors: list[StepError] = []
    try:
        queries, failures = generate_queries(
            passage,
            generator=components.query_generator,
            samples=config.query_samples,
            temperature=config.query_temperature,
        )
        errors += [StepError.of(error, is_single_sample=True) for error in failures]
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
    """Return the distinct queries, none for a blank passage, and the samples' errors."""
    if not passage.text.strip():
        return (), ()
    samples_or_errors = generator.generate(passage, samples=samples, temperature=temperature)
    readable = [sample for sample in samples_or_errors if not isinstance(sample, UnreadableReply)]
    failures = tuple(sample for sample in samples_or_errors if isinstance(sample, UnreadableReply))
    return unite_samples(readable), failures


def unite_samples(samples: Iterable[Sequence[Query]]) -> tuple[Query, ...]:
    """Return the queries that `normalize_query` tells apart, in order, without wordless ones."""
    distinct_queries: dict[str, Query] = {}
    for sample in samples:
        for query in sample:
            key = normalize_query(query.text)
            if key:
                distinct_queries.setdefault(key, query)
    return tuple(distinct_queries.values())


def normalize_query(text: str) -> str:
    """Apply NFKC and case folding, collapse white space, and strip final punctuation."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    end = len(folded)
    while end and (folded[end - 1].isspace() or unicodedata.category(folded[end - 1])[0] == "P"):
        end -= 1
    return folded[:end]
