"""An HTTP server of this machine."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class LocalServer:
    """Serves in a thread until the end of the context, when `_closing` is set."""

    def __init__(self, handler: type[BaseHTTPRequestHandler], *, port: int = 0) -> None:
        self._closing = threading.Event()
        self._server = _Quiet(("127.0.0.1", port), handler)
        self.port: int = self._server.server_address[1]
        self.host = f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing about clients that disconnect."""
