"""Clusters for intervals."""

from collections.abc import Hashable

from pipeline.importing.hagrid import line_key

COLUMNS = ("passage_id", "passage__dataset_id", "passage__external_id", "passage__format")
"""Of a row with a passage: the arguments of `cluster_of`."""


def cluster_of(passage: int, dataset: int, external_id: str, format: str) -> Hashable:  # noqa: A002
    """Return the passage's key, or one for all answers to a question of a dataset.

    >>> cluster_of(3, 1, "7-2", "hagrid"), cluster_of(3, 1, "7-2", "jsonl")
    ((1, '7'), 3)
    """
    return (dataset, line_key(external_id, format)) if format == "hagrid" else passage
