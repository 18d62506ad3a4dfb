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
    if kind in verbs:
        assert callable(getattr(backend(kind, name), verbs[kind]))
    else:
        assert callable(backend(kind, name))


def test_an_unknown_name_is_refused_with_the_choices() -> None:
    with pytest.raises(BadConfig, match="choose one of compact, hf"):
        load("entailment", "telepathy")


def test_an_unknown_kind_is_refused_with_the_choices() -> None:
    with pytest.raises(BadConfig, match="query_generator"):
        load("oracle", "compact")


def test_a_local_model_without_a_name_is_refused() -> None:
    with pytest.raises(BadConfig, match="hf:NAME"):
        load("entailment", "hf")
