"""The search in a corpus: finds, ranks the same each time, and no query breaks it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.backends import tantivy_corpus
from pipeline.backends.tantivy_corpus import CorpusWriter, IndexLocked, TantivyCorpus, write_index
from pipeline.rarr.errors import MissingIndex
from pipeline.rarr.types import Document


def doc(name: str, text: str, title: str = "", url: str = "") -> Document:
    return Document(id=name, title=title, url=url, text=text)


RIVERS = [
    doc("ribble", "# Course\nIt runs west to the Irish Sea.", "River Ribble", "https://ex.org/r"),
    doc("tees", "It runs east to the North Sea.", "River Tees"),
    doc("severn", "Longest river. The Ribble is shorter.", "Severn"),
    doc("zh", "里布尔河流入爱尔兰海。"),
    doc("ja", "北海道は日本の島です。"),
]


@pytest.fixture(scope="module")
def rivers(tmp_path_factory: pytest.TempPathFactory) -> TantivyCorpus:
    index = tmp_path_factory.mktemp("index")
    assert write_index(index, RIVERS) == len(RIVERS)
    return TantivyCorpus(index)


def ids(corpus: TantivyCorpus, query: str, limit: int = 5) -> list[str]:
    return [document.id for document in corpus.search([query], limit=limit)[0]]


def test_each_query_has_a_list_of_whole_documents_in_order(rivers: TantivyCorpus) -> None:
    assert rivers.search(["ribble"], limit=1) == [[RIVERS[0]]]
    queries = ["Tees", "nothing of the kind", "Severn"]
    assert rivers.search(queries, limit=1) == [[RIVERS[1]], [], [RIVERS[2]]]
    assert ids(rivers, "Where does the Ribble flow?") == ["ribble", "severn"]


def test_words_are_found_in_their_other_forms_and_in_scripts_without_spaces(
    rivers: TantivyCorpus,
) -> None:
    for query in ("running", "RUNS", "run?"):
        assert set(ids(rivers, query)) == {"ribble", "tees"}
    assert ids(rivers, "爱尔兰海在哪里？")[0] == "zh"
    assert ids(rivers, "北海道")[0] == "ja"
    for query in ("", "   ", "?!", "\x00", "🜁"):
        assert ids(rivers, query) == []


def test_a_query_of_stop_words_is_still_a_query(tmp_path: Path) -> None:
    write_index(tmp_path, [doc("band", "The Who played.", "The Who"), doc("x", "Silence.")])
    assert ids(TantivyCorpus(tmp_path), "the who") == ["band"]


def test_no_punctuation_is_an_operator(rivers: TantivyCorpus) -> None:
    for query in ("ribble " * 50_000, "\ud800 ribble", "-ribble +"):
        assert "ribble" in ids(rivers, query)
    for query in ('AND OR (title:x ^2 "open', "a" * 5_000, "*"):
        assert "ribble" not in ids(rivers, query)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(query=st.text(max_size=60))
def test_no_text_at_all_breaks_the_search(rivers: TantivyCorpus, query: str) -> None:
    rivers.search([query], limit=3)


@pytest.mark.parametrize("every", [6, 100])
def test_equal_scores_are_ordered_by_id_wherever_they_lie(tmp_path: Path, every: int) -> None:
    names = [f"d{number:02}" for number in range(40)]
    backwards = [doc(name, "the same words") for name in reversed(names)]
    write_index(tmp_path, [*backwards, doc("best", "same same words words")], every=every)
    assert ids(TantivyCorpus(tmp_path), "same words", limit=4) == ["best", *names[:3]]


def test_writing_a_document_again_replaces_it(tmp_path: Path) -> None:
    write_index(tmp_path, [doc("a", "old words"), doc("b", "others")])
    write_index(tmp_path, [doc("a", "new text")])
    corpus = TantivyCorpus(tmp_path)
    assert corpus.document_count == 2
    assert ids(corpus, "old") == []
    assert ids(corpus, "new") == ["a"]


def test_a_long_living_reader_sees_a_grown_and_a_remade_index(tmp_path: Path) -> None:
    index = tmp_path / "index"
    write_index(index, [doc("a", "first")])
    corpus = TantivyCorpus(index)
    assert ids(corpus, "second") == []
    write_index(index, [doc("b", "second")])
    assert ids(corpus, "second") == ["b"]
    index.rename(tmp_path / "old")
    write_index(index, [doc("c", "third")])
    assert ids(corpus, "third") == ["c"]
    assert corpus.document_count == 1


def test_a_missing_or_damaged_index_reports_the_fix(tmp_path: Path) -> None:
    with pytest.raises(MissingIndex, match="load_corpus"):
        TantivyCorpus(tmp_path / "none")
    write_index(tmp_path, [doc("a", "first")])
    (tmp_path / "meta.json").write_text("{")
    with pytest.raises(MissingIndex, match="index the corpus again"):
        TantivyCorpus(tmp_path)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path), pytest.raises(IndexLocked, match="another process"):
        CorpusWriter(tmp_path)


def test_what_was_committed_survives_a_writer_that_fails(tmp_path: Path) -> None:
    def broken() -> object:
        yield doc("a", "first")
        yield doc("b", "second")
        yield doc("c", "third")
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        write_index(tmp_path, broken(), every=2)  # type: ignore[arg-type]
    assert TantivyCorpus(tmp_path).document_count == 2
    assert write_index(tmp_path, [doc("c", "third")]) == 1
    assert TantivyCorpus(tmp_path).document_count == 3


def test_a_query_of_many_words_is_cut(rivers: TantivyCorpus) -> None:
    words = " ".join(f"word{number}" for number in range(tantivy_corpus.MAX_QUERY_TERMS))
    assert ids(rivers, f"{words} ribble") == []
    assert "ribble" in ids(rivers, f"ribble {words}")
