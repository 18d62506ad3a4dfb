"""The research stage (section 3.1): the union of several samples of queries, and the evidence
found for each."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import QueryGenerator, Steps
from pipeline.rarr.retrieval import retrieve
from pipeline.rarr.types import Evidence, Passage, Query, Revision, StepError


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
        queries, unread = generate_queries(
            passage,
            generator=steps.query_generator,
            samples=config.query_samples,
            temperature=config.query_temperature,
        )
        errors = tuple(StepError.of(error, is_one_of_several=True) for error in unread)
        evidence = tuple(() for _ in queries)
        steps.tell(Revision(passage=passage, text=passage.text, queries=queries))
        evidence = retrieve(
            queries,
            retriever=steps.retriever,
            relevance=steps.relevance,
            splitter=steps.splitter,
            config=config,
        )
        steps.tell(Revision(passage=passage, text=passage.text, queries=queries, evidence=evidence))
    except UnreadableReply as error:
        errors = (*errors, StepError.of(error))
    return Research(queries=queries, evidence=evidence, errors=errors)


def generate_queries(
    passage: Passage, *, generator: QueryGenerator, samples: int, temperature: float
) -> tuple[tuple[Query, ...], tuple[UnreadableReply, ...]]:
    """Questions about all aspects of the passage, each once, and why samples were unreadable.

    A blank passage has no questions. Raises what the generator raises: `UnreadableReply`
    where no sample could be read, `TransientError`.
    """
    if not passage.text.strip():
        return (), ()
    drawn = generator.generate(passage, samples=samples, temperature=temperature)
    readable = [sample for sample in drawn if not isinstance(sample, UnreadableReply)]
    unread = tuple(sample for sample in drawn if isinstance(sample, UnreadableReply))
    return unite_samples(readable), unread


def unite_samples(samples: Iterable[Sequence[Query]]) -> tuple[Query, ...]:
    """The samples' queries in the order of their first appearance.

    Of queries that ask the same thing in the same words (`normalise_query`) the first is kept;
    a query without a word is dropped.
    """
    kept: dict[str, Query] = {}
    for sample in samples:
        for query in sample:
            key = normalise_query(query.text)
            if key:
                kept.setdefault(key, query)
    return tuple(kept.values())


def normalise_query(text: str) -> str:
    """The text in what makes it another question: without Unicode's compatibility forms, case,
    doubled white space, and punctuation at the end."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    end = len(folded)
    while end and (folded[end - 1].isspace() or unicodedata.category(folded[end - 1])[0] == "P"):
        end -= 1
    return folded[:end]
