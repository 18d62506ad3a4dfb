"""Sentences by an installed spaCy pipeline or NLTK."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.backends.memory import Memory
from pipeline.backends.model_loading import loading
from pipeline.rarr.errors import BadConfig
from pipeline.text.sentences import LINE_BREAKS, cut_long
from pipeline.text.spans import Span

REMEMBERED = 60_000
"""Cached sentences: the queries of a run find the same documents again."""
_LINE = re.compile(f"[^{LINE_BREAKS}]+")


class SpacySplitter:
    """Splits by an installed spaCy pipeline, such as `en_core_web_sm`.

    The first call loads it, and raises `BadConfig` for a missing one.
    """

    def __init__(self, model: str) -> None:
        self.model = model
        self._known: Memory[str, tuple[Span, ...]] = Memory(REMEMBERED, weigh=len)
        self._lock = threading.Lock()

    def __call__(self, text: str) -> Sequence[Span]:
        return self._known.answers([text], self._split)[0]

    def _split(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        with self._lock:
            return [tuple(self._sentences(text)) for text in texts]

    def _sentences(self, text: str) -> Iterator[Span]:
        longest = self._pipeline.max_length
        for line in _LINE.finditer(text):
            for start in range(line.start(), line.end(), longest):
                part = text[start : min(start + longest, line.end())]
                for sentence in self._pipeline(part).sents:
                    yield from cut_long(
                        text, start + sentence.start_char, start + sentence.end_char
                    )

    @cached_property
    @loading()
    def _pipeline(self) -> Any:
        import spacy

        try:
            pipeline = spacy.load(self.model, exclude=["ner", "lemmatizer"])
        except OSError:
            known = ", ".join(sorted(spacy.util.get_installed_models())) or "none"
            raise BadConfig(
                f"The spaCy pipeline {self.model!r} is not installed (installed: {known}). Run "
                f"`python -m spacy download {self.model}`, or set RARR_SPACY_MODEL=blank."
            ) from None
        if not {"parser", "senter", "sentencizer"} & set(pipeline.pipe_names):
            pipeline.add_pipe("sentencizer")
        return pipeline


@dataclass(frozen=True, slots=True)
class Installed:
    """A spaCy pipeline, known by its files: `spacy.load` takes its folder."""

    folder: Path
    """Contains config.cfg."""
    version: str
    """From meta.json, or ""."""


def installed(name: str) -> Installed | None:
    """Return the pipeline of a package or folder, or None."""
    if name and (meta := _meta(Path(name))) is not None:
        return Installed(Path(name), str(meta.get("version", "")))
    spec = PathFinder.find_spec(name) if name.isidentifier() else None
    if not spec or not spec.origin:
        return None
    package = Path(spec.origin).parent
    if not (meta := _meta(package)):
        return None
    version = str(meta.get("version", ""))
    return Installed(package / f"{meta.get('lang')}_{meta.get('name')}-{version}", version)


def _meta(folder: Path) -> Mapping[str, object] | None:
    try:
        content = (folder / "meta.json").read_bytes()
    except (OSError, ValueError):  # ValueError: not a path
        return None
    try:
        meta = json.loads(content)
    except ValueError:
        return {}
    return meta if isinstance(meta, dict) else {}


def is_installed(model: str) -> bool:
    """Return whether a splitter is installed: "blank", a package's name, or a folder."""
    return model == "blank" or installed(model) is not None


class Nltk(NamedTuple):
    """What ALCE's reference takes from NLTK."""

    split: Callable[[str], Sequence[str]]
    """By Punkt for English."""
    stem: Callable[[str], str]
    """Porter's algorithm with NLTK's extensions."""
    version: str


def nltk() -> Nltk | None:
    """Return NLTK, or None without the package or its Punkt data."""
    if find_spec("nltk") is None:
        return None
    split = import_module("nltk.tokenize").sent_tokenize
    try:
        split("")
    except LookupError:
        return None
    stemmer = import_module("nltk.stem.porter").PorterStemmer()
    return Nltk(split, stemmer.stem, import_module("nltk").__version__)
