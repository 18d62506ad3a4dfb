"""The parser: places, what it remembers, and which pipelines it refuses."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import spacy

from pipeline.backends.compact.text import parsing
from pipeline.backends.compact.text.parsing import parsed
from pipeline.rarr.errors import BadConfig
from pipeline.text.sentences import LONGEST_SENTENCE
from tests.support.spacy_pipelines import as_package, copied, parsing_with

TEXT = "Ada Hart built the mill in 1852 [3]. Dr. Lowe bought it.\nIt burned down\u2028twice."


def refusal(model: str = "") -> str:
    with parsing_with(model), pytest.raises(BadConfig) as refused:
        parsed("The mill burned down.")
    return str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"  A link, https://example.org/{'a' * 200}, of the mill [1][2].  It  stands.",
        f"{'x' * 20_000} was a word. {'word ' * 3_000}",
        "Zoë 🚂 drove “the train” to Łódź… Then she left。 那是磨坊。",
        "\r\n\t A\u00a0mill.\x00 And a stop\x85.",
    ],
)
def test_each_token_is_where_the_text_reports_it(text: str) -> None:
    for sentence in parsed(text):
        for token in sentence.doc:
            at = sentence.start + token.idx
            is_blank = token.is_space and not token.text.strip()
            assert is_blank or token.text == text[at : at + len(token)]


def test_every_word_is_in_one_sentence_but_those_too_long_to_be_words() -> None:
    text = f"Ada came. {'x' * 20_000} was a word. " + "A long list, " * 1_000

    sentences = parsed(text)

    ends = [each.start + len(each.doc.text) for each in sentences]
    assert all(end <= after.start for end, after in zip(ends, sentences[1:], strict=False))
    assert max(len(each.doc.text) for each in sentences) <= LONGEST_SENTENCE
    assert sum(token.text == "list" for each in sentences for token in each.doc) == 1_000
    assert [parsed(blank) for blank in ("", " \n\t ", "\u2028")] == [(), (), ()]


def test_a_sentence_is_parsed_once_in_any_text(monkeypatch: pytest.MonkeyPatch) -> None:
    with parsing_with(""):
        (first, second) = parsed("Ada came. She left.")
        (other, again) = parsed("Bea stayed at home. She left.")

    assert again.doc is second.doc
    assert other.doc is not first.doc
    assert again.start == len("Bea stayed at home. ")
    # The cache is bounded by tokens.
    with parsing_with(""), monkeypatch.context() as patch:
        patch.setattr(parsing, "CACHED_TOKENS", 100)
        parsing.clear_cache()
        first = parsed("Ada came home.")
        assert parsed("Ada came home.")[0].doc is first[0].doc
        parsed("The mills, " * 40)
        assert parsed("Ada came home.")[0].doc is not first[0].doc


def test_a_pipeline_with_too_many_words_is_reloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    with parsing_with(""):
        before = parsed("Ada built the mill.")
        first = parsing._process.pipeline
        monkeypatch.setattr(parsing, "MAX_STRINGS", len(first.vocab.strings))
        parsed("Qwixotel built Zzyvarn.")
        after = parsed("Ada built the mill.")

        assert parsing._process.pipeline is not first
        assert [token.tag_ for token in before[0].doc] == [token.tag_ for token in after[0].doc]


def test_threads_get_the_parse_that_one_thread_gets() -> None:
    texts = [f"Ada Hart built mill {n} in 18{n:02}. It stands." for n in range(40)] * 2

    def tags(text: str) -> list[tuple[str, str, int]]:
        tokens = [token for each in parsed(text) for token in each.doc]
        return [(token.tag_, token.ent_type_, token.head.i) for token in tokens]

    with parsing_with(""):
        alone = [tags(text) for text in texts]
        parsing.configure("")
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(tags, texts)) == alone


def test_a_missing_or_incomplete_pipeline_is_refused_with_the_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "'en_core_web_xxl' is not installed: run `make setup`" in refusal("en_core_web_xxl")

    (tmp_path / "meta.json").write_text("{}")
    assert "cannot be loaded" in refusal(str(tmp_path))
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.to_disk(tmp_path)
    message = refusal(str(tmp_path))
    assert "has no tagger and no parts of speech and no lemmatizer and no parser" in message
    assert "RARR_SPACY_MODEL" in message
    monkeypatch.setattr(parsing, "PACKAGED", "en_core_web_none")
    assert "'en_core_web_none' is not installed" in refusal()
    assert parsing.version() == ""
    assert not parsing.is_measured()


def test_another_pipeline_parses_unmeasured(tmp_path: Path) -> None:
    folder = copied(tmp_path / "mine")

    with parsing_with(str(folder)):
        assert parsing.name() == str(folder)
        assert parsing.version() == parsing.VERSION
        assert not parsing.is_measured()
        assert parsed("The mill burned down.")[0].doc.has_annotation("DEP")


def test_the_known_version_is_official(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with parsing_with(""):
        assert parsing.name() == parsing.PACKAGED
        as_package(tmp_path / "new", parsing.OFFICIAL, monkeypatch, version=parsing.VERSION)
        assert parsing.name() == parsing.OFFICIAL
        assert parsed("Ada came.")[0].doc[0].tag_ == "NNP"
        assert parsing.is_measured()
        as_package(tmp_path / "old", parsing.OFFICIAL, monkeypatch, version="3.7.1")
        assert parsing.name() == parsing.PACKAGED


@pytest.mark.parametrize("named", ["blank", "en_core_web_md"])
def test_the_setting_names_the_parser_and_loads_none(named: str) -> None:
    code = (
        "import sys, django; django.setup();"
        "from pipeline.backends.compact.text import parsing;"
        "print(parsing.name(), 'spacy' in sys.modules)"
    )
    chosen = {"DJANGO_SETTINGS_MODULE": "rarrweb.settings", "RARR_SPACY_MODEL": named}
    environment = {**os.environ, **chosen}
    output = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    assert output.split() == [parsing.PACKAGED if named == "blank" else named, "False"]
