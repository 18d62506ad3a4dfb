"""Files written while they are sent, with size and checksum."""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

PIECE_BYTES = 64 * 1024
MANIFEST_SUFFIX = ".manifest.json"
JSON_LINES = "application/jsonl; charset=utf-8"
LINE_ENDS = {end: f"\\u{ord(end):04x}" for end in "\u0085\u2028\u2029"}
"""Valid in JSON, but line ends for some readers of JSON lines."""


_encode = json.JSONEncoder(ensure_ascii=False).encode


def json_line(row: Mapping[str, Any]) -> str:
    line = _encode(row)
    for end, escaped in LINE_ENDS.items():  # `translate` takes as long as the rest of an export
        line = line.replace(end, escaped)
    return line + "\n"


def manifest_text(manifest: Mapping[str, Any]) -> str:
    return json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"


def digest(data: bytes) -> dict[str, Any]:
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


@dataclass(slots=True)
class HashedStream:
    """Size and checksum of `pieces`; complete once these are read to the end."""

    size: int = 0
    _sha256: Any = field(default_factory=hashlib.sha256)

    def pieces(self, lines: Iterable[str | bytes]) -> Iterator[bytes]:
        """Yield the first line at once, then pieces of at least `PIECE_BYTES`, then the rest."""
        piece = bytearray()
        least = 1
        for line in lines:
            # Lone surrogates cannot be encoded.
            piece += line if isinstance(line, bytes) else line.encode("utf-8", errors="replace")
            if len(piece) >= least:
                least = PIECE_BYTES
                yield self._counted(piece)
                piece = bytearray()
        if piece:
            yield self._counted(piece)

    def to_plain(self) -> dict[str, Any]:
        return {"bytes": self.size, "sha256": self._sha256.hexdigest()}

    def _counted(self, piece: bytearray) -> bytes:
        self._sha256.update(piece)
        self.size += len(piece)
        return bytes(piece)


class Pieces(io.RawIOBase):
    """An unseekable file; `take` returns what was written since the last call."""

    def __init__(self) -> None:
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._written += data
        return len(data)

    def take(self) -> bytes:
        taken = bytes(self._written)
        self._written.clear()
        return taken


def stream_download(
    chunks: Iterator[bytes], *, file_name: str, content_type: str = JSON_LINES
) -> StreamingHttpResponse:
    headers = download_headers(file_name)
    return StreamingHttpResponse(chunks, content_type=content_type, headers=headers)


def download_headers(file_name: str) -> dict[str, str]:
    return {
        "Content-Disposition": content_disposition_header(True, file_name) or "attachment",
        "X-Content-Type-Options": "nosniff",
    }
