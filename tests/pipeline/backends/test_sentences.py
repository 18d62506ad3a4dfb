"""Sentences by a spaCy pipeline, which a setting names."""

from pathlib import Path

import pytest

from pipeline.backends.compact.text.parsing import PACKAGED
from pipeline.backends.sentences import SpacySplitter, installed
from pipeline.rarr.errors import BadConfig
from pipeline.text.sentences import LONGEST_SENTENCE
from tests.support.spacy_pipelines import as_package, copied


def test_a_pipeline_splits_sentences_and_a_line_break_always_ends_one() -> None:
    text = " The mill burned down. It was\nrebuilt. " + "word " * LONGEST_SENTENCE
    first, second, third, *rest = [span.of(text) for span in SpacySplitter(PACKAGED)(text)]
    assert [first, second, third] == ["The mill burned down.", "It was", "rebuilt."]
    assert max(map(len, rest)) <= LONGEST_SENTENCE
    assert " ".join(rest).split() == ["word"] * LONGEST_SENTENCE
    splitter = SpacySplitter(PACKAGED)
    assert splitter(text) is splitter(text), "a text is split once"


def test_a_pipeline_that_is_not_installed_is_a_clear_error() -> None:
    splitter = SpacySplitter("xx_no_such_pipeline")
    with pytest.raises(BadConfig, match="not installed"):
        splitter("Any text.")


def test_a_package_and_a_folder_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = as_package(tmp_path, "en_made_up", monkeypatch, version="1.2")

    assert (pipeline := installed("en_made_up"))
    assert (pipeline.folder, pipeline.version) == (folder, "1.2")
    assert (pipeline := installed(str(copied(tmp_path / "copy"))))
    assert (pipeline.folder, pipeline.version) == (tmp_path / "copy", "3.8.0")


def test_what_is_no_pipeline_is_not_found() -> None:
    names = ["", ".", "tests", "no.such.package", "tests.bench", "/", "a b", "\0"]
    for name in (*names, "a" * 9_000, "a/" * 9_000):
        assert installed(name) is None


@pytest.mark.parametrize("meta", ["{", "[]", "\xff"])
def test_a_meta_file_that_cannot_be_read_reports_no_version(tmp_path: Path, meta: str) -> None:
    (tmp_path / "meta.json").write_text(meta, "latin-1")
    assert (pipeline := installed(str(tmp_path)))
    assert pipeline.version == ""
