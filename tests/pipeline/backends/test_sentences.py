"""Sentences by a spaCy pipeline, which a setting names."""

import pytest

from pipeline.backends.compact.text.parsing import PACKAGED
from pipeline.backends.sentences import SpacySplitter
from pipeline.rarr.errors import BadConfig
from pipeline.text.sentences import LONGEST_SENTENCE


def test_a_pipeline_splits_sentences_and_a_line_break_always_ends_one() -> None:
    text = " The mill burned down. It was\nrebuilt. " + "word " * LONGEST_SENTENCE
    first, second, third, *rest = [span.of(text) for span in SpacySplitter(PACKAGED)(text)]
    assert [first, second, third] == ["The mill burned down.", "It was", "rebuilt."]
    assert max(map(len, rest)) <= LONGEST_SENTENCE
    assert " ".join(rest).split() == ["word"] * LONGEST_SENTENCE


def test_a_text_is_split_once() -> None:
    splitter = SpacySplitter(PACKAGED)
    assert splitter("It burned. It fell.") is splitter("It burned. It fell.")


def test_a_pipeline_that_is_not_installed_is_a_clear_error() -> None:
    splitter = SpacySplitter("xx_no_such_pipeline")
    with pytest.raises(BadConfig, match="not installed"):
        splitter("Any text.")
