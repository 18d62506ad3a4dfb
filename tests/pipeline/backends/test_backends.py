"""Every name of the tables is a class; an unknown one is refused with the known ones."""

import pytest

from pipeline.backends import BACKENDS, backend, load
from pipeline.rarr.errors import BadConfig

VERBS = {"query_generator": "generate", "retriever": "search", "relevance": "score"}
VERBS |= {"agreement_model": "judge", "edit_model": "edit", "entailment": "score"}
VERBS |= {"decontextualizer": "decontextualize"}


def test_every_name_loads_a_class_with_its_ports_verb() -> None:
    for kind, table in BACKENDS.items():
        for name in table:
            assert callable(getattr(backend(kind, name), VERBS.get(kind, "__call__"))), name


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("entailment", "telepathy", "choose one of compact, hf"),
        ("oracle", "compact", "query_generator"),
        ("entailment", "hf", "hf:NAME"),
    ],
)
def test_an_unknown_name_or_kind_is_refused(kind: str, name: str, expected: str) -> None:
    with pytest.raises(BadConfig, match=expected):
        load(kind, name)
