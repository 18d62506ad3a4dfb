"""An HTTP client that acts as a browser on a judging page, on a persistent connection."""

import http.client
import time
import uuid
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urlsplit


class HttpFailure(Exception):
    """The server answered with what no rater should see, or not at all."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    status: int
    location: str
    body: bytes
    seconds: float
    """From sending the request until the whole body was there."""

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass(kw_only=True)
class Browser:
    """Keeps cookies; repeats a request only if the server closed the connection."""

    url: str
    cookies: dict[str, str] = field(default_factory=dict)
    connection: http.client.HTTPConnection | None = None
    patience: float = 60
    """Seconds of silence after which a request has failed."""

    def get(self, path: str) -> Reply:
        return self._request("GET", path, b"", {"Accept": "text/html, */*;q=0.8"})

    def post_form(self, path: str, **values: str) -> Reply:
        form = {"csrfmiddlewaretoken": self.cookies.get("csrftoken", ""), **values}
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.url}
        return self._request("POST", path, urlencode(form).encode(), headers)

    def put_json(self, path: str, body: bytes) -> Reply:
        return self.send_json("PUT", path, body)

    def send_json(self, method: str, path: str, body: bytes) -> Reply:
        return self._send_as("application/json", method, path, body)

    def post_file(self, path: str, name: str, content: bytes) -> Reply:
        edge = uuid.uuid4().hex
        head = (
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
        return self._send_as(f"multipart/form-data; boundary={edge}", "POST", path, body)

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def _send_as(self, kind: str, method: str, path: str, body: bytes) -> Reply:
        csrf = self.cookies.get("csrftoken", "")
        headers = {"Content-Type": kind, "X-CSRFToken": csrf, "Origin": self.url}
        return self._request(method, path, body, headers)

    def _request(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Reply:
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={held}" for name, held in self.cookies.items())
        start = time.perf_counter()
        try:
            answer, content = self._send(method, path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise HttpFailure(f"{method} {path}: {type(error).__name__}: {error}") from error
        seconds = time.perf_counter() - start
        for line in answer.headers.get_all("Set-Cookie") or []:
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value
        if answer.status >= 400:
            words = " ".join(content.decode(errors="replace").split())[:200]
            raise HttpFailure(f"{method} {path}: {answer.status} {words}")
        if answer.will_close:
            self.close()
        location = answer.headers.get("Location", "")
        return Reply(status=answer.status, location=location, body=content, seconds=seconds)

    def _send(
        self, method: str, path: str, body: bytes, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        is_stored = self.connection is not None
        if self.connection is None:
            host = urlsplit(self.url)
            self.connection = http.client.HTTPConnection(
                host.hostname or "", host.port, timeout=self.patience
            )
        try:
            self.connection.request(method, path, body or None, headers)
            answer = self.connection.getresponse()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self.close()
            if not is_stored:
                raise
            return self._send(method, path, body, headers)
        return answer, answer.read()
