"""Research stage, query generation (section 3.1): the union of several samples."""

import unicodedata
from collections.abc import Iterable, Sequence

from pipeline.rarr.ports import QueryGenerator
from pipeline.rarr.types import Passage, Query


def generate_queries(
    passage: Passage, *, generator: QueryGenerator, samples: int, temperature: float
) -> tuple[Query, ...]:
    """Questions about all aspects of the passage, each once; none for a blank passage.

    Raises what the generator raises: `UnreadableReply`, `TransientError`.
    """
    if not passage.text.strip():
        return ()
    return union(generator.generate(passage, samples=samples, temperature=temperature))


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
