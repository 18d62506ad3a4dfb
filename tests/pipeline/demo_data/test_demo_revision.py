"""What RARR with the shipped models makes of the demo's passages.

`python -m research.demo_passages -v` shows each revision with its trace.
"""

import re

import pytest

from pipeline.backends.tantivy_corpus import CorpusWriter
from pipeline.demo_data import PASSAGES, PlantedError, demo_documents, planted
from pipeline.engine.configuration import RunConfig
from pipeline.engine.loading import load_engine
from pipeline.importing.passages import PassageRow, read_passages
from pipeline.rarr.types import Passage

PLANTED = planted()
ERRORS = {f"{each.id}-{error.wrong}": error for each in PLANTED.values() for error in each.errors}

KNOWN_FAILURES = frozenset(
    [
        "dialog-01-two octaves",
    ]
)
"""Passages that lose a correct fact, and planted errors that stay; what passes has to leave it."""


def cases(names: list[str]) -> list[object]:
    """The names as parameters, those of `KNOWN_FAILURES` expected to fail."""
    known = pytest.mark.xfail(
        strict=True, raises=AssertionError, reason="compact is wrong here, as its docs say"
    )
    return [pytest.param(name, marks=[known] if name in KNOWN_FAILURES else []) for name in names]


@pytest.fixture(scope="module")
def revised(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """Each passage's text before and after, by its id."""
    index = tmp_path_factory.mktemp("index")
    with CorpusWriter(index) as writer:
        for document in demo_documents():
            writer.add(document)
    engine = load_engine(RunConfig(), index=index)
    texts = {}
    for row in read_passages(PASSAGES):
        assert isinstance(row, PassageRow)
        passage = Passage(id=row.external_id, text=row.text, context=row.context)
        texts[row.external_id] = (row.text, engine.revise(passage).revision.text)
    return texts


def is_restored(error: PlantedError, text: str) -> bool:
    return error.right in text and error.wrong not in text


@pytest.mark.parametrize("name", cases([*PLANTED]))
def test_no_passage_loses_a_correct_fact(revised: dict[str, tuple[str, str]], name: str) -> None:
    """What stands around the planted errors stays, whatever becomes of them."""
    before, after = revised[name]
    sound = re.escape(before)
    for error in PLANTED[name].errors:
        sound = sound.replace(re.escape(error.wrong), ".*")
    assert re.fullmatch(sound, after), after


@pytest.mark.parametrize("name", cases([*ERRORS]))
def test_a_planted_error_is_restored(revised: dict[str, tuple[str, str]], name: str) -> None:
    _, after = revised[name.rpartition("-")[0]]
    assert is_restored(ERRORS[name], after), after


def test_each_known_failure_is_a_case() -> None:
    assert not KNOWN_FAILURES - {*PLANTED, *ERRORS}
