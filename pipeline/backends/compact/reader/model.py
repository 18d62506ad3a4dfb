"""The trained reader: verdicts, unsupported words and answers; torch is imported on use."""

import threading
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pipeline.backends.compact.reader import weights
from pipeline.backends.compact.reader.results import PointerQuery, Read, SpanLogits
from pipeline.backends.memory import Memory
from pipeline.backends.model_loading import loading
from pipeline.rarr.errors import BadConfig
from pipeline.text.sentences import split_sentences
from pipeline.text.spans import Span
from pipeline.text.windows import windows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from pipeline.backends.compact.reader.network import ReaderNetwork

Offsets = tuple[int, int]
"""Characters of a text, end exclusive."""
CACHED_ANSWERS = 8192
"""Of each kind."""


def windows_of(
    text: str, tokens: Sequence[Offsets], *, sentences: int, step: int, limit: int
) -> list[Offsets]:
    """Return windows of at most `sentences` sentences and `limit` tokens.

    They begin about `step` sentences apart. `tokens` are the text's; longer sentences are cut.
    """
    pieces = [
        piece for sentence in split_sentences(text) for piece in _cut(sentence, tokens, limit)
    ]
    sizes = [last - first for _, _, first, last in pieces]
    ranges = windows(sizes, room=limit, count=sentences, step=step)
    return [(pieces[first][0], pieces[last - 1][1]) for first, last in ranges]


def _cut(sentence: Span, tokens: Sequence[Offsets], limit: int) -> list[tuple[int, int, int, int]]:
    """Return (start, end, first token, end token) of the sentence or its pieces."""
    first, last = (
        bisect_left(tokens, at, key=lambda token: token[0]) for at in (sentence.start, sentence.end)
    )
    if last - first <= limit:
        return [(sentence.start, sentence.end, first, last)] if first < last else []
    cuts = [*range(first, last, limit), last]
    return [(tokens[a][0], tokens[b - 1][1], a, b) for a, b in pairwise(cuts)]


class Reader:
    """A network with its tokenizer; caches results; thread-safe."""

    def __init__(
        self,
        network: "ReaderNetwork",
        tokenizer: "Tokenizer",
        *,
        threads: int = 0,
        device: str = "auto",
    ) -> None:
        """Move the network to `device`: auto, cpu, cuda, cuda:N or mps.

        `threads` sets torch's, process-wide, if not 0. Raises `BadConfig` for a missing device.
        """
        from pipeline.backends.compact.reader.forward import ReaderInference

        self._forward = ReaderInference(network, tokenizer, threads=threads, device=device)
        # Threads would share torch's cores, and need more memory.
        self._lock = threading.Lock()
        self._reads: Memory[tuple[str, str], Read] = Memory(CACHED_ANSWERS)
        self._points: Memory[PointerQuery, SpanLogits] = Memory(CACHED_ANSWERS)

    @classmethod
    def of_files(cls, path: Path, tokenizer: Path | None = None, **options: Any) -> Self:
        """Load a weights file or checkpoint, with the options of `Reader`; raises `BadConfig`."""
        from tokenizers import Tokenizer

        tokenizer = tokenizer or weights.TOKENIZER
        state = weights.load(path)
        network = weights.uninitialized_network(weights.shape_of(path))
        network.load_state_dict(state, assign=True)
        if not tokenizer.is_file():
            raise BadConfig(f"The reader's tokenizer is not at {tokenizer}: install rarrweb again.")
        return cls(network, Tokenizer.from_file(str(tokenizer)), **options)

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Read]:
        """Read (premise, hypothesis) pairs; premises are truncated to fit."""
        return self._reads.answers(pairs, self._locked(self._forward.read))

    def point(self, asks: Sequence[PointerQuery]) -> list[SpanLogits]:
        """Score the answers of each premise."""
        return self._points.answers(asks, self._locked(self._forward.point))

    def vectors(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        """Return the last hidden states of each text's tokens, (tokens, width); not cached."""
        with self._lock:
            return self._forward.vectors(texts)

    def windows(self, premise: str, *, sentences: int, step: int) -> list[Offsets]:
        with self._lock:
            spans, limit = self._forward.tokens(premise)
        return windows_of(premise, spans, sentences=sentences, step=step, limit=limit)

    def _locked(self, compute: Any) -> Any:
        def locked(queries: list[Any]) -> Any:
            with self._lock:
                return compute(queries)

        return locked


@dataclass(slots=True)
class _ReaderState:
    threads: int = 0
    device: str = "auto"
    reader: Reader | None = None


_process = _ReaderState()
_loading = threading.Lock()


def configure(*, threads: int, device: str) -> None:
    """Set the options of `shipped`: `RARR_THREADS` and `RARR_DEVICE`."""
    with _loading:
        _process.threads, _process.device, _process.reader = threads, device, None


def shipped() -> Reader:
    """Load the package's reader, once per process; raises `BadConfig`."""
    with _loading:
        if _process.reader is None:
            with loading():
                _process.reader = Reader.of_files(
                    weights.WEIGHTS, threads=_process.threads, device=_process.device
                )
        return _process.reader
