"""Research stage, query generation (section 3.1): the union of several samples."""

import unicodedata
from collections.abc import Iterable, Sequence

from pipeline.rarr.ports import QueryGenerator
from pipeline.rarr.types import Passage, Query, UnreadableReply


def generate_queries(
    passage: Passage, *, generator: QueryGenerator, samples: int, temperature: float
) -> tuple[Query, ...]:
    """As `queries_and_errors`, without the errors of single samples."""
    queries, _ = queries_and_errors(
        passage, generator=generator, samples=samples, temperature=temperature
    )
    return queries


def queries_and_errors(
    passage: Passage, *, generator: QueryGenerator, samples: int, temperature: float
) -> tuple[tuple[Query, ...], tuple[UnreadableReply, ...]]:
    """Questions about all aspects of the passage, each once, and the samples that were no use.

    There are none for a blank passage. Raises what the generator raises: `UnreadableReply`
    where no sample could be read, `TransientError`.
    """
    if not passage.text.strip():
        return (), ()
    drawn = generator.generate(passage, samples=samples, temperature=temperature)
    readable = [sample for sample in drawn if not isinstance(sample, UnreadableReply)]
    unread = tuple(sample for sample in drawn if isinstance(sample, UnreadableReply))
    return union(readable), unread


def union(samples: Iterable[Sequence[Query]]) -> tuple[Query, ...]:
    """The samples' queries in the order of their first appearance.

    Of queries that ask the same thing in the same words (`normalised`) the first is kept;
    a query without a word is dropped.
    """
    kept: dict[str, Query] = {}
    for sample in samples:
        for query in sample:
            key = normalised(query.text)
            if key:
                kept.setdefault(key, query)
    return tuple(kept.values())


def normalised(text: str) -> str:
    """The text without what does not change a question.

    That is: Unicode's compatibility forms, case, white space and punctuation at the end.
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    end = len(folded)
    while end and (folded[end - 1].isspace() or unicodedata.category(folded[end - 1])[0] == "P"):
        end -= 1
    return folded[:end]
