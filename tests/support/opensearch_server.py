"""A server on this machine that speaks the part of OpenSearch's interface that is used.

    with OpenSearchServer() as opensearch:
        index = OpenSearchIndex(server=opensearch.client(), name="rarrweb-rivers-v1-00000000")

It was written after OpenSearch's documentation; no OpenSearch was there to compare it with. It
keeps its documents in memory, shows them to searches after a refresh, refuses fields that the
mapping has not, and ranks by BM25 as Lucene counts it: a field's statistics are of the documents
that have it.
"""

import base64
import json
import math
from collections import Counter
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from pipeline.backends.opensearch.server import Server
from tests.support.local_server import LocalServer

USER, PASSWORD = "rarr", "s3cret/word"
K1, B = 1.2, 0.75


@dataclass(kw_only=True)
class StoredIndex:
    """An index: written and searchable documents."""

    mapping: dict[str, Any]
    written: dict[str, dict[str, Any]] = field(default_factory=dict)
    seen: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Fault:
    part: str
    status: int = 200
    body: bytes = b'{"error": "secret words of the server"}'
    media_type: str = "application/json; charset=UTF-8"
    headers: tuple[tuple[str, str], ...] = ()
    is_heard: bool = False
    """Whether the request is carried out before, and only its answer lost."""
    pause: float = 0.0
    """Seconds before the answer."""


class OpenSearchServer(LocalServer):
    """See the module. `indexes` are by name, `asked` are the requests as `GET /name/_count`."""

    def __init__(self) -> None:
        self.indexes: dict[str, StoredIndex] = {}
        self.faults: list[Fault] = []
        self.refusals: Counter[str] = Counter()
        """How often a document, by its own id, is still refused for a full queue (429)."""
        self.refused: dict[str, str] = {}
        """Documents that are never taken, and the kind of the error."""
        self.received: list[str] = []
        self.bodies: list[str] = []
        self.waited: list[float] = []
        self.root: Any = {"version": {"distribution": "opensearch", "number": "2.19.1"}}
        super().__init__(self._handler())
        self.address = f"http://{USER}:{PASSWORD.replace('/', '%2F')}@{self.host}"

    def client(self) -> Server:
        """A client that does not wait, but notes the times in `waited`."""
        return replace(Server.read(self.address), sleep=self.waited.append)

    def answer(self, method: str, path: str, body: str, media_type: str) -> tuple[int, Any]:
        name, _, verb = path.strip("/").partition("/")
        if not name:
            return 200, self.root
        if not verb:
            return self._index(method, name, body)
        lines = [json.loads(line) for line in body.split("\n") if line]
        if lines and media_type != "application/x-ndjson":
            return 406, {"error": f"Content-Type header [{media_type}] is not supported"}
        if lines and not body.endswith("\n"):
            return 400, {"error": {"type": "illegal_argument_exception"}}
        if verb == "_bulk":
            # OpenSearch makes an index that is not there.
            index = self.indexes.setdefault(name, StoredIndex(mapping={}))
            pairs = zip(lines[::2], lines[1::2], strict=True)
            items = [{"index": self._write(index, *pair)} for pair in pairs]
            has_errors = any(item["index"]["status"] > 299 for item in items)
            return 200, {"errors": has_errors, "items": items}
        if name not in self.indexes:
            missing = {"error": {"type": "index_not_found_exception"}, "status": 404}
            if verb == "_msearch":
                return 200, {"responses": [missing for _ in lines[::2]]}
            return 404, missing
        index = self.indexes[name]
        if verb == "_refresh":
            index.seen = dict(index.written)
            return 200, {"_shards": {"total": 1, "successful": 1, "failed": 0}}
        if verb == "_count":
            return 200, {"count": len(index.seen), "_shards": {"failed": 0}}
        assert verb == "_msearch", verb
        known = {"search_type", "preference"}
        if any(set(header) - known for header in lines[::2]):
            return 400, {"error": {"type": "illegal_argument_exception"}}
        return 200, {"responses": [_search(index, search) for search in lines[1::2]]}

    def _index(self, method: str, name: str, body: str) -> tuple[int, Any]:
        if method == "DELETE":
            return (200 if self.indexes.pop(name, None) else 404), {"acknowledged": True}
        assert method == "PUT", method
        if name in self.indexes:
            return 400, {"error": {"type": "resource_already_exists_exception"}}
        mapping = json.loads(body)["mappings"]
        self.indexes[name] = StoredIndex(mapping=mapping)
        return 200, {"acknowledged": True}

    def _write(
        self, index: StoredIndex, action: dict[str, Any], source: dict[str, Any]
    ) -> dict[str, Any]:
        key, name = action["index"]["_id"], source["id"]
        if self.refusals[name]:
            self.refusals[name] -= 1
            kind = "rejected_execution_exception"
            return {"_id": key, "status": 429, "error": {"type": kind, "reason": source["text"]}}
        unknown = set(source) - set(index.mapping.get("properties", source))
        if unknown or name in self.refused:
            kind = self.refused.get(name, "strict_dynamic_mapping_exception")
            return {"_id": key, "status": 400, "error": {"type": kind, "reason": source["text"]}}
        status = 200 if key in index.written else 201
        index.written[key] = source
        return {"_id": key, "status": status}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                body = self.rfile.read(length).decode()
                path = urlsplit(self.path).path
                stub.received.append(f"{self.command} {path}")
                stub.bodies.append(body)
                part = path.rpartition("/")[2]
                fault = next((each for each in stub.faults if part.startswith(each.part)), None)
                media_type = self.headers.get("Content-Type", "")
                if fault:
                    stub.faults.remove(fault)
                if fault is None or fault.is_heard:
                    pair = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
                    known = self.headers.get("Authorization") == f"Basic {pair}"
                    status, plain = (
                        stub.answer(self.command, path, body, media_type)
                        if known
                        else (401, "Unauthorized")
                    )
                if fault is None:
                    fault = Fault(part="", status=status, body=json.dumps(plain).encode())
                if fault.pause and stub._closing.wait(fault.pause):
                    return
                self.send_response(fault.status)
                self.send_header("Content-Type", fault.media_type)
                for name, value in fault.headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(fault.body)))
                self.end_headers()
                self.wfile.write(fault.body)

            do_POST = do_PUT = do_DELETE = do_GET

            def log_message(self, *args: Any) -> None: ...

        return Handler


def _search(index: StoredIndex, search: dict[str, Any]) -> dict[str, Any]:
    assert search["sort"] == [{"_score": "desc"}, {"id": "asc"}]
    scores: Counter[str] = Counter()
    for clause in search["query"]["bool"]["should"]:
        ((name, given),) = clause["match"].items()
        for key, score in _scores(index, name, given["query"].split()):
            scores[key] += score * given.get("boost", 1.0)  # type: ignore[assignment]  # a float
    order = sorted(scores, key=lambda key: (-scores[key], index.seen[key]["id"]))
    hits = []
    for key in order[: search["size"]]:
        source = {name: index.seen[key][name] for name in search["_source"]}
        hits.append({"_id": key, "_score": scores[key], "_source": source})
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    return {"took": 1, "timed_out": False, "_shards": shards, "hits": {"hits": hits}, "status": 200}


def _scores(index: StoredIndex, name: str, terms: list[str]) -> list[tuple[str, float]]:
    held = {key: Counter(source[name].split()) for key, source in index.seen.items()}
    held = {key: words for key, words in held.items() if words}
    average = sum(words.total() for words in held.values()) / max(1, len(held))
    scores: list[tuple[str, float]] = []
    for term in terms:
        having = [key for key, words in held.items() if term in words]
        rarity = math.log(1 + (len(held) - len(having) + 0.5) / (len(having) + 0.5))
        for key in having:
            count, length = held[key][term], held[key].total() / average
            scores.append((key, rarity * count / (count + K1 * (1 - B + B * length))))
    return scores
