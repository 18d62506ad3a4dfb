"""A local web: names, public addresses, and their server.

    with WebServer({"https://river.pages.test/": Page("<p>…")}) as web:
        client = GuardedClient(resolve=web.resolve, dial=web.dial)

The client does all that it does on the internet: it looks names up, checks the addresses, speaks
TLS and HTTP. Only the last step, the connection to an address, ends at the server here.
`web.received` are the requested addresses, as `host/path`; `web.dialled` the IP addresses.

The certificate `pages_test.pem`, its key with it, is for `pages.test` and what is below; it
protects nothing. `trust_pages_test` makes this process trust it, through `SSL_CERT_FILE`.
"""

import ssl
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpcore2
import pytest

from tests.support.local_server import LocalServer

CERTIFICATE = Path(__file__).with_name("pages_test.pem")
PUBLIC = "93.184.215.14"
"""Any address that is public: nobody there is asked."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A response; a body of pieces is sent piece by piece, `pause` seconds apart."""

    body: bytes | Iterable[bytes]
    status: int = 200
    media_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: float = 0.0


def html(body: str, **values: Any) -> Page:
    return Page(body=f"<html><body>{body}</body></html>".encode(), **values)


def redirect(to: str, *, status: int = 302) -> Page:
    return Page(body=b"", status=status, headers={"Location": to})


def trust_pages_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))


class WebServer(LocalServer):
    """See the module. `pages` maps addresses without query to responses."""

    def __init__(self, pages: Mapping[str, Page] | None = None, *, tls: bool = True) -> None:
        self.pages = dict(pages or {})
        self.addresses: dict[str, list[Sequence[str]]] = {}
        """What a name leads to, one answer a look-up, the last one for good; else `PUBLIC`."""
        self.received: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.queries: list[str] = []
        self.bodies: list[bytes] = []
        """What was posted."""
        self.dialled: list[str] = []
        self.looked_up: list[str] = []
        self._scheme = "https" if tls else "http"
        super().__init__(self._handler())
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if tls else None
        if self._context:
            self._context.load_cert_chain(CERTIFICATE)
        self.url = f"{self._scheme}://{self.host}"

    def resolve(self, host: str, port: int) -> Sequence[str]:
        self.looked_up.append(host)
        answers = self.addresses.get(host, [[PUBLIC]])
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def dial(self, address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
        self.dialled.append(address)
        here = address if address.startswith("127.") else "127.0.0.1"
        number = port if here == address else self.port
        return httpcore2.SyncBackend().connect_tcp(here, number, timeout=seconds)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        web = self

        class Handler(BaseHTTPRequestHandler):
            def setup(self) -> None:
                if web._context:
                    self.request = web._context.wrap_socket(self.request, server_side=True)
                super().setup()

            def handle(self) -> None:
                try:
                    super().handle()
                except OSError:
                    self.close_connection = True  # the client had enough

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                web.bodies.append(self.rfile.read(length))
                self.do_GET()

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                host = self.headers.get("Host", "")
                web.received.append(f"{host}{parts.path}")
                web.queries.append(parts.query)
                web.headers.append(dict(self.headers))
                page = web.pages.get(
                    f"{web._scheme}://{host}{parts.path}",
                    Page(body=b"not here", status=404, media_type="text/plain"),
                )
                self.send_response(page.status)
                self.send_header("Content-Type", page.media_type)
                for name, value in page.headers.items():
                    self.send_header(name, value)
                if isinstance(page.body, bytes):
                    self.send_header("Content-Length", str(len(page.body)))
                self.end_headers()
                for piece in [page.body] if isinstance(page.body, bytes) else page.body:
                    self.wfile.write(piece)
                    if page.pause and web._closing.wait(page.pause):
                        return

            def log_message(self, *args: Any) -> None: ...

        return Handler
