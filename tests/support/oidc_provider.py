"""An OpenID Connect provider."""

import base64
import hashlib
import json
import time
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt

from tests.support.local_server import LocalServer

CLIENT, SECRET = "rarrweb", "a-secret-of-the-client"


class OidcProvider(LocalServer):
    """`log_in` acts as the user's browser; `claims` change the next token."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {}
        self.is_away = False
        self.codes: dict[str, dict[str, str]] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._send(provider._answer(urlsplit(self.path).path))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                form = {name: values[0] for name, values in parse_qs(body).items()}
                self._send(provider._token(form, self.headers.get("Authorization", "")))

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

            def _send(self, answer: dict[str, Any] | None) -> None:
                self.send_response(500 if provider.is_away or answer is None else 200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())

        super().__init__(Handler)
        self.issuer = f"http://{self.host}/realm"

    def log_in(self, address: str, *, subject: str) -> str:
        requests = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert requests["response_type"] == "code"
        assert requests["client_id"] == CLIENT
        assert requests["code_challenge_method"] == "S256"
        code = f"code-{len(self.codes)}"
        self.codes[code] = {**requests, "subject": subject}
        back = urlsplit(requests["redirect_uri"])
        return f"{back.path}?code={code}&state={requests['state']}"

    def _answer(self, path: str) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def _token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        requests = self.codes.pop(form["code"], None)
        client = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        proof = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = _in_base64(proof).decode()
        if requests is None or authorization != f"Basic {client}":
            return None
        given = (challenge, form["redirect_uri"])
        if given != (requests["code_challenge"], requests["redirect_uri"]):
            return None
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "sub": requests["subject"], "iat": now}
        claims |= {"exp": now + 60, **self.claims}
        token = jwt.encode(claims, "a key of the provider, as long as it has to be")
        return {"access_token": "a", "token_type": "Bearer", "id_token": token}


def _in_base64(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
