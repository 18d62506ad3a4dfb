"""The automatic decisions about the sentences of an item."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.metrics.alce_reference import MAX_SOURCES

STATEMENTS = "revision__citation_scores__statements"


def statements_of(
    spans: Sequence[Mapping[str, int]],
    citations: Sequence[Mapping[str, int]],
    evidence: Sequence[Mapping[str, Any]],
    statements: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[Mapping[str, Any] | None, dict[int, int]]]:
    """Yield, for each sentence, its scored statement and its citations.

    The statement is None where the scorer read another sentence or other citations. The citations
    map the number of a source to the index of the citation.
    """
    scored = {(each["start"], each["end"]): each for each in statements}
    cited: dict[int, dict[int, int]] = defaultdict(dict)
    for target, each in enumerate(citations):
        # The numbers of imported sources may have gaps.
        number = evidence[each["evidence"]].get("number", each["evidence"] + 1)
        cited[each["sentence"]][number] = target
    for index, span in enumerate(spans):
        statement, target_of = scored.get((span["start"], span["end"])), cited[index]
        if statement and list(target_of)[:MAX_SOURCES] != statement["sources"]:
            statement = None
        yield statement, target_of
