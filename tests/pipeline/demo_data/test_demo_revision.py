"""What RARR with the shipped models makes of the demo's passages: a floor, not a target.

`python -m tests.bench.demo_passages -v` shows each revision with its trace.
"""

import pytest

from pipeline.backends.tantivy_corpus import CorpusWriter
from pipeline.demo_data import PASSAGES, demo_documents, planted
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import load_engine
from pipeline.importing.passages import PassageRow, read_passages
from pipeline.rarr.types import Passage

PLANTED = planted()


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


def test_at_least_seven_in_ten_planted_errors_are_restored(
    revised: dict[str, tuple[str, str]],
) -> None:
    restored = [
        error.right in revised[each.id][1] and error.wrong not in revised[each.id][1]
        for each in PLANTED.values()
        for error in each.errors
    ]
    assert sum(restored) >= 0.7 * len(restored)


@pytest.mark.parametrize(
    "name", [each.id for each in PLANTED.values() if not each.errors and not each.unsupported]
)
def test_a_passage_that_is_right_stays_as_it_is(
    revised: dict[str, tuple[str, str]], name: str
) -> None:
    before, after = revised[name]
    assert after == before


def test_few_revisions_change_anything_but_the_planted_error(
    revised: dict[str, tuple[str, str]],
) -> None:
    spoiled = []
    for each in PLANTED.values():
        before, after = revised[each.id]
        for error in each.errors:
            for value in (error.wrong, error.right):
                before, after = before.replace(value, "…"), after.replace(value, "…")
        if before != after:
            spoiled.append(each.id)
    assert len(spoiled) <= 0.2 * len(PLANTED), spoiled
