"""Every name of the tables stands for something; a wrong one says what is right."""

import pytest

from pipeline.backends import BACKENDS, backend, load
from pipeline.rarr.errors import BadConfig


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, table in BACKENDS.items() for name in table]
)
def test_every_name_loads_a_class_with_its_ports_verb(kind: str, name: str) -> None:
    verbs = {
        "query_generator": "generate", "retriever": "search",
        "relevance": "score", "agreement": "judge", "editor": "edit", "entailment": "score",
        "decontextualizer": "decontextualize",
    }  # fmt: skip
    assert callable(getattr(backend(kind, name), verbs.get(kind, "__call__")))


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
