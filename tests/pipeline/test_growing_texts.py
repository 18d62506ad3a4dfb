"""What reads a text takes time that grows with it, not with its square, whatever the text is."""

import gc
import inspect
import json
import pkgutil
import time
import typing
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pipeline.backends.compact.coreference.decontextualizer import CompactDecontextualizer
from pipeline.backends.compact.questions.generator import CompactQueryGenerator
from pipeline.backends.compact.text import parsing
from pipeline.backends.compact.text.spans import Kind, Mention, mentions
from pipeline.backends.compact.text.words import Word, words
from pipeline.backends.sentences import SpacySplitter
from pipeline.diff.lines import line_diff
from pipeline.diff.words import word_diff
from pipeline.importing.corpus_files import read_corpus
from pipeline.importing.passages import read_passages
from pipeline.rarr.types import Document, Passage, Span
from pipeline.rarr.windows import LONGEST_SENTENCE, slide_windows

SIZES = (50_000, 200_000)
MEDIUM = (10_000, 40_000)
TEXTS = {
    "blanks": " ",
    "one letter": "a",
    "quotes": '"',
    "brackets": "(",
    "citations": "[1] ",
    "digits": "1,",
    "commas": ", ",
    "stops": ". ",
    "newlines": "\n",
    "blank lines": " \n",
    # From here on of what names, questions and replies are read by: more work for each character.
    "capitals": "A ",
    "names": 'Ab Cd was "Ef" and ',
    "pronouns": "it is he ",
    "years": "1852 and 1901, ",
    "possessives": "'s ",
    "turns": "User: a\n",
    "labels": "Verdict\n",
}
WORDY = list(TEXTS)[list(TEXTS).index("capitals") :]
ROOMS = (
    "pipeline.backends.compact",
    "pipeline.backends.prompted",
    "pipeline.importing",
    "pipeline.metrics",
    "pipeline.rarr",
    "pipeline.generation",
    "pipeline.backends.long_texts",
    "pipeline.backends.sentences",
    "pipeline.backends.tantivy_corpus",
    "pipeline.backends.web.domains",
    "pipeline.diff.words",
    "annotation.guidelines.examples",
    "rarrweb.markdown",
    "pipeline.backends.transformers_decontextualizer",
    "annotation.questionnaires.citations",
)
LEFT_OUT = ("pipeline.backends.compact.training", "pipeline.backends.compact.reader")
COMPACT = [
    each.name
    for each in pkgutil.walk_packages(import_module(ROOMS[0]).__path__, f"{ROOMS[0]}.")
    if not each.name.startswith(LEFT_OUT)
]
SETS = "pipeline.backends.compact.text.parsing.configure"
"""Takes no text but a name, and parses with it from then on."""
SMALL = (2_000, 8_000)
"""For functions of tokens and spans, whose making would take most of the time."""
WORTH_A_LOOK = 0.02
"""Seconds; less is measured badly."""
MOST_GROWTH = 10
"""A text four times as long takes four times as long; the square would take sixteen times."""


def text_of(kind: str, size: int) -> str:
    unit = TEXTS[kind]
    return f"# a {unit * (size // len(unit))}b."


def seconds(work: Callable[[], Any]) -> float:
    began = time.thread_time()
    found = work()
    if isinstance(found, Iterator):
        for _ in found:
            pass
    return time.thread_time() - began


def _forget() -> None:
    """Empty what `compact` remembers, so that a second reading is as much work as the first."""
    for name in COMPACT:
        for value in vars(import_module(name)).values():
            if hasattr(value, "cache_clear") and inspect.signature(value).parameters:
                value.cache_clear()
    parsing.forget()


def assert_linear(work: Callable[[int], Callable[[], Any]], sizes: Sequence[int] = SIZES) -> None:
    """`work(size)` makes ready what is then timed."""
    gc.disable()
    try:
        few, many = sizes
        short, long = None, work(many)
        growth = 0.0
        for trial in range(4):
            if trial:
                _forget()
            took = seconds(long)
            if took < WORTH_A_LOOK and not trial:
                return
            if trial:
                _forget()
            short = short or work(few)
            growth = took / max(seconds(short), WORTH_A_LOOK / 20)
            if growth < MOST_GROWTH:
                return
        raise AssertionError(f"four times the text took {growth:.0f} times as long")
    finally:
        gc.enable()


def _reading(function: Callable[..., Any], kind: str, size: int) -> Callable[[], Any]:
    text = text_of(kind, size)
    return lambda: function(text)


def functions() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Each function of the rooms with its dotted name and the types of what it must be given."""
    for room in ROOMS:
        module = import_module(room)
        inner = pkgutil.walk_packages(getattr(module, "__path__", ()), f"{room}.")
        for name in (room, *(each.name for each in inner)):
            if name.startswith(LEFT_OUT):
                continue
            for label, value in vars(import_module(name)).items():
                # Not the cache: what is remembered costs nothing.
                function = getattr(value, "__wrapped__", value)
                if not inspect.isfunction(function) or function.__module__ != name:
                    continue
                if f"{name}.{label}" == SETS:
                    continue
                try:
                    types = typing.get_type_hints(function)
                except NameError:  # a type that is imported for checking only: no text
                    continue
                needed = [
                    parameter.name
                    for parameter in inspect.signature(function).parameters.values()
                    if parameter.default is parameter.empty
                ]
                yield f"{name}.{label}", function, {each: types.get(each) for each in needed}


def made(kind: Any, text: str) -> Any:
    """Something of a type, out of a text; raises `LookupError` for a type that has none."""
    if kind is str:
        return text
    if kind is Span:
        return Span(start=len(text) // 2, end=len(text) // 2 + 4)
    if kind is Passage:
        return Passage(id="1", text=text, context=text)
    if kind is Mention:
        found = mentions(text)
        rough = Mention(start=0, end=4, text=text[:4], kind=Kind.NAME)
        return found[len(found) // 2] if found else rough
    if typing.get_args(kind)[:1] == (Mention,):
        return mentions(text)
    if typing.get_args(kind)[:1] == (Word,):
        return words(text)
    raise LookupError(kind)


FUNCTIONS = list(functions())
OF_A_TEXT = [each for each in FUNCTIONS if list(each[2].values()) == [str]]
OF_MORE = [
    each
    for each in FUNCTIONS
    if each not in OF_A_TEXT
    and each[2]
    and all(kind in [str, Span, Passage, Mention]
            or typing.get_args(kind)[:1] in [(Mention,), (Word,)]
            for kind in each[2].values())
]  # fmt: skip
PLAIN = "Ada Hart opened the mill in 1852 (it was old)."


@pytest.mark.parametrize("kind", TEXTS)
def test_a_function_of_a_text_takes_no_square_of_it(kind: str) -> None:
    for name, function, _ in OF_A_TEXT:
        try:
            assert_linear(partial(_reading, function, kind), MEDIUM if kind in WORDY else SIZES)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from None
        except Exception:  # noqa: BLE001, S112 - a function that takes no such text refuses it
            continue


@pytest.mark.parametrize("kind", TEXTS)
def test_a_function_of_a_text_and_more_takes_no_square_of_either(kind: str) -> None:
    for name, function, types in OF_MORE:
        for grown in types:

            def work(
                size: int, f: Any = function, types: Any = types, grown: str = grown
            ) -> Callable[[], Any]:
                text = text_of(kind, size)
                given = {each: made(of, text if each == grown else PLAIN)
                         for each, of in types.items()}  # fmt: skip
                return lambda: f(**given)

            try:
                assert_linear(work, SMALL)
            except AssertionError as error:
                raise AssertionError(f"{name}, {grown}: {error}") from None
            except Exception:  # noqa: BLE001, S112 - as above
                continue


def test_the_functions_are_found() -> None:
    names = {name for name, _, _ in (*OF_A_TEXT, *OF_MORE)}

    assert {
        "pipeline.backends.compact.text.parsing.parsed",
        "pipeline.backends.compact.text.spans.mentions",
        "pipeline.backends.prompted.replies.reply_text",
        "pipeline.rarr.dialog.turns_of",
    } <= names


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".jsonl"])
@pytest.mark.parametrize("kind", TEXTS)
def test_a_document_is_imported_in_time_that_grows_with_it(
    kind: str, suffix: str, tmp_path: Path
) -> None:
    def work(size: int) -> Callable[[], Any]:
        text = text_of(kind, size)
        path = tmp_path / f"{size}{suffix}"
        row = {"id": "1", "title": "", "url": "", "text": text}
        path.write_text(json.dumps(row) if suffix == ".jsonl" else text, "utf-8")
        return lambda: read_corpus(path)

    assert_linear(work)


@pytest.mark.parametrize("form", ["rarr", "jsonl", "csv", "hagrid", "auto"])
@pytest.mark.parametrize("kind", TEXTS)
def test_passages_are_imported_in_time_that_grows_with_them(
    kind: str, form: str, tmp_path: Path
) -> None:
    rows: dict[str, Callable[[str], object]] = {
        "rarr": lambda text: {"input_info": {"claim": text, "context": text}},
        "jsonl": lambda text: {"text": text},
        "hagrid": lambda text: {"query_id": 1, "query": text, "quotes": [], "answers": []},
    }

    def work(size: int) -> Callable[[], Any]:
        text = text_of(kind, size)
        path = tmp_path / f"{size}.csv"
        path.write_text(json.dumps(rows[form](text)) if form in rows else f"text\n{text}", "utf-8")
        return lambda: read_passages(path, format=form)

    assert_linear(work)


@pytest.mark.parametrize("kind", TEXTS)
def test_a_passage_and_a_page_are_taken_apart_in_time_that_grows_with_them(kind: str) -> None:
    splitter = SpacySplitter()

    def asked(size: int) -> Callable[[], Any]:
        passage = Passage(id="1", text=text_of(kind, size), context=PLAIN)
        generator = CompactQueryGenerator(splitter)
        return lambda: generator.generate(passage, samples=1, temperature=0.0)

    def alone(size: int) -> Callable[[], Any]:
        passage = Passage(id="1", text=text_of(kind, size), context=text_of(kind, size))
        sentences = [span.of(passage.text) for span in splitter.split(passage.text)]
        return lambda: CompactDecontextualizer().decontextualize(
            passage=passage, sentences=sentences
        )

    def slid(size: int) -> Callable[[], Any]:
        page = Document(id="1", title="", url="", text=text_of(kind, size))
        return lambda: slide_windows(page, splitter=splitter, sentences=4, stride=2)

    for work in (asked, alone, slid):
        assert_linear(work, SMALL if kind in WORDY else (5_000, 20_000))


@pytest.mark.parametrize(
    "unit",
    ["mill{} ", "mill{}, ", "Ada{} Hart and ", "({}", '"{}" ', "a{}-b", "It is {}. ", "x{}. "],
)
def test_a_text_is_parsed_in_time_that_grows_with_it(unit: str) -> None:
    """Each unit is another, because a sentence that comes again is not parsed again."""

    def work(size: int) -> Callable[[], Any]:
        text = "".join(unit.format(number) for number in range(size // len(unit)))
        return lambda: parsing.parsed(text)

    assert_linear(work, (4_000, 16_000))


def test_a_megabyte_of_one_letter_is_no_word_to_parse() -> None:
    parts = parsing.parsed("a" * 1_000_000)

    assert sum(len(each.doc.text) for each in parts) == 1_000_000
    assert all(token.is_space for each in parts for token in each.doc)


@pytest.mark.parametrize("kind", TEXTS)
def test_a_change_is_shown_in_time_that_grows_with_the_texts(kind: str) -> None:
    def by_word(size: int) -> Callable[[], Any]:
        return lambda: word_diff(text_of(kind, size), f"New {text_of(kind, size)[:-9]} end")

    def by_line(size: int) -> Callable[[], Any]:
        return lambda: line_diff(text_of(kind, size), f"New {text_of(kind, size)[:-9]} end")

    assert_linear(by_word)
    assert_linear(by_line)


def test_a_sentence_without_an_end_is_cut_at_white_space() -> None:
    text = "word " * 2_000

    spans = SpacySplitter().split(text)

    assert max(span.end - span.start for span in spans) <= LONGEST_SENTENCE
    assert " ".join(span.of(text) for span in spans).split() == text.split()
