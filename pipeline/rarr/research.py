"""Research (section 3.1): queries, and the evidence of each."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Components, QueryGenerator
from pipeline.rarr.retrieval import retrieve
from pipeline.rarr.types import Evidence, Passage, Query, Revision, StepError


@dataclass(frozen=True, slots=True, kw_only=True)
class Research:
    queries: tuple[Query, ...] = ()
    evidence: tuple[tuple[Evidence, ...], ...] = ()
    errors: tuple[StepError, ...] = ()

    @property
    def pairs(self) -> tuple[tuple[Query, Evidence], ...]:
        return tuple(
            (query, snippet)
            for query, snippets in zip(self.queries, self.evidence, strict=True)
            for snippet in snippets
        )


def research(passage: Passage, *, components: Components, config: RarrConfig) -> Research:
    """Generate queries and retrieve their evidence.

    An unreadable reply, unless one of several samples, ends the research early and is in `errors`.
    Other `RarrError`s are raised.
    """
    queries: tuple[Query, ...] = ()
    evidence: tuple[tuple[Evidence, ...], ...] = ()
    errors: tuple[StepError, ...] = ()
    try:
        queries, failures = generate_queries(
            passage,
            generator=components.query_generator,
            samples=config.query_samples,
            temperature=config.query_temperature,
        )
        errors = tuple(StepError.of(error, is_single_sample=True) for error in failures)
        evidence = tuple(() for _ in queries)
        components.report_progress(Revision(passage=passage, text=passage.text, queries=queries))
        evidence = retrieve(
            queries,
            retriever=components.retriever,
            relevance=components.relevance,
            splitter=components.splitter,
            config=config,
        )
        components.report_progress(
            Revision(passage=passage, text=passage.text, queries=queries, evidence=evidence)
        )
    except UnreadableReply as error:
        errors = (*errors, StepError.of(error))
    return Research(queries=queries, evidence=evidence, errors=errors)


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
