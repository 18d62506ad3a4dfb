"""The demo's documents, passages and planted errors fit each other."""

import json
import re
from collections import Counter
from urllib.parse import urlsplit

import pytest

from pipeline.demo_data import DOCUMENTS, FOLDER, PASSAGES, Planted, demo_documents, planted
from pipeline.importing.passages import PassageRow, read_passages
from pipeline.rarr.types import Document

TEXTS = {document.id: document for document in demo_documents()}
ROWS = {row.external_id: row for row in read_passages(PASSAGES) if isinstance(row, PassageRow)}
PLANTED = planted()
WITH_ERRORS = [each for each in PLANTED.values() if each.errors]


def words(document: Document) -> int:
    return sum(len(line.split()) for line in document.text.splitlines() if line[:1] != "#")


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.?!])\s+", text)


def occurs_in(value: str, text: str) -> bool:
    """Whether `value` is in the text as whole words: 64 is not in 1964."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def test_there_are_enough_documents_of_the_right_length_with_headings_and_addresses() -> None:
    assert len(TEXTS) >= 40
    for document in TEXTS.values():
        assert 80 <= words(document) <= 200, document.id
        assert document.text.startswith(f"# {document.title}\n"), document.id
        assert "\n## " in document.text, document.id
        assert urlsplit(document.url)[:2] == ("https", "en.wikipedia.org"), document.id

    index = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
    assert [row["file"] for row in index] == sorted(path.name for path in DOCUMENTS.iterdir())
    titles = {document.id: document.title for document in TEXTS.values()}
    assert {row["file"]: row["title"] for row in index} == titles


def test_every_kind_of_passage_has_at_least_eight_with_a_context() -> None:
    kinds = Counter(row.source.extra["kind"] for row in ROWS.values())
    assert set(kinds) == {"factoid", "reasoning", "dialog"}
    assert min(kinds.values()) >= 8
    for row in ROWS.values():
        assert 1 <= len(sentences(row.text)) <= 4
        turns = row.context.splitlines()
        assert turns[-1].endswith(("?", "."))
        assert (len(turns) > 1) == (row.source.extra["kind"] == "dialog")
    # Each has its planted errors.
    assert list(PLANTED) == list(ROWS)
    assert len(WITH_ERRORS) >= 20
    assert sum(not each.errors and not each.unsupported for each in PLANTED.values()) == 3
    assert sum(bool(each.unsupported) for each in PLANTED.values()) == 3


@pytest.mark.parametrize("each", WITH_ERRORS, ids=lambda each: each.id)
def test_the_right_value_is_in_the_document_and_the_wrong_one_not_next_to_it(
    each: Planted,
) -> None:
    text = ROWS[each.id].text
    for error in each.errors:
        assert text.count(error.wrong) == 1
        document = TEXTS[error.document].text
        telling = [line for line in sentences(document) if occurs_in(error.right, line)]
        assert telling
        assert not any(occurs_in(error.wrong, line) for line in telling)
    assert each.corrected(text) != text


@pytest.mark.parametrize("each", PLANTED.values(), ids=lambda each: each.id)
def test_documents_have_every_number_of_a_corrected_passage_and_no_unsupported_sentence(
    each: Planted,
) -> None:
    everything = "\n".join(document.text for document in TEXTS.values())
    text = each.corrected(ROWS[each.id].text)
    for sentence in each.unsupported:
        assert sentence in sentences(ROWS[each.id].text)
        assert sentence not in everything
        text = text.replace(sentence, "")
    for number in re.findall(r"\d[\d,.]*\d|\d", text):
        assert occurs_in(number, everything), number
