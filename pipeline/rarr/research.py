"""The research stage, whole (section 3.1): queries, and the evidence found for each."""

from dataclasses import dataclass

from pipeline.rarr.ports import Steps
from pipeline.rarr.query_generation import queries_and_errors
from pipeline.rarr.retrieval import retrieve
from pipeline.rarr.types import (
    Evidence,
    Passage,
    Query,
    RarrConfig,
    StepError,
    UnreadableReply,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Research:
    """What the research stage found; see the fields of the same names in `Revision`."""

    queries: tuple[Query, ...] = ()
    evidence: tuple[tuple[Evidence, ...], ...] = ()
    errors: tuple[StepError, ...] = ()

    @property
    def pairs(self) -> tuple[tuple[Query, Evidence], ...]:
        """Each (query, evidence) in the order of the loop: by query, then by rank."""
        return tuple(
            (query, snippet)
            for query, found in zip(self.queries, self.evidence, strict=True)
            for snippet in found
        )


def research(passage: Passage, *, steps: Steps, config: RarrConfig) -> Research:
    """Ask questions about the passage and look for evidence, all questions at once.

    An unreadable reply is named and ends the research with what is known by then, but for one of
    several samples of queries: there the others' queries are searched for. Raises any
    other `RarrError` of the models and the search.
    """
    queries: tuple[Query, ...] = ()
    evidence: tuple[tuple[Evidence, ...], ...] = ()
    errors: tuple[StepError, ...] = ()
    try:
        queries, unread = queries_and_errors(
            passage,
            generator=steps.query_generator,
            samples=config.query_samples,
            temperature=config.query_temperature,
        )
        errors = tuple(StepError.of(error) for error in unread)
        evidence = tuple(() for _ in queries)
        evidence = retrieve(
            queries,
            retriever=steps.retriever,
            relevance=steps.relevance,
            splitter=steps.splitter,
            config=config,
        )
    except UnreadableReply as error:
        errors = (*errors, StepError.of(error))
    return Research(queries=queries, evidence=evidence, errors=errors)
