"""Settings from the environment, read in a subprocess."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.sources import ROOT


def run(*arguments: str, var: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    # Of the environment of the test run only what Python needs to start.
    stored = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**stored, "RARR_VAR": str(var), **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def read(var: Path, **variables: str) -> dict[str, Any]:
    code = (
        "import json, rarrweb.settings as s; print(json.dumps(vars(s), default=str, skipkeys=True))"
    )
    done = run("-c", code, var=var, **variables)
    assert done.returncode == 0, done.stderr
    values: dict[str, Any] = json.loads(done.stdout)
    return values


def test_the_defaults_need_nothing(tmp_path: Path) -> None:
    values = read(tmp_path)
    assert values["DEBUG"] is False
    assert values["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert values["DATABASES"]["default"]["NAME"] == str(tmp_path / "db.sqlite3")
    assert values["DATABASES"]["default"]["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert values["CELERY_BROKER_URL"] == "filesystem://"
    assert values["SECRET_KEY"] == (tmp_path / "secret_key").read_text()
    assert values["SESSION_COOKIE_HTTPONLY"] is True
    assert values["SESSION_COOKIE_SAMESITE"] == "Lax"


def test_an_https_address_makes_cookies_secure_and_trusts_the_proxy(tmp_path: Path) -> None:
    values = read(tmp_path, PUBLIC_URL="https://rarr.example.org:8443")
    # No other: a proxy that passes none asks for 127.0.0.1, and is told so by a 400.
    assert values["ALLOWED_HOSTS"] == ["rarr.example.org"]
    assert values["CSRF_TRUSTED_ORIGINS"] == ["https://rarr.example.org:8443"]
    assert values["SESSION_COOKIE_SECURE"] is True
    assert values["SESSION_COOKIE_NAME"].startswith("__Host-")
    assert values["CSRF_COOKIE_SECURE"] is True
    assert values["SECURE_HSTS_SECONDS"] >= 3600 * 24 * 30
    assert values["SECURE_PROXY_SSL_HEADER"] == ["HTTP_X_FORWARDED_PROTO", "https"]
    # Without https no header of a proxy is trusted.
    values = read(tmp_path, PUBLIC_URL="http://rarr.example.org")
    assert values["SECURE_PROXY_SSL_HEADER"] is None
    assert values["SESSION_COOKIE_SECURE"] is False
    assert values["SECURE_HSTS_SECONDS"] == 0


def test_postgres_is_one_variable_and_a_pooler_needs_no_prepared_statements(tmp_path: Path) -> None:
    address = "postgres://rarr:pw@db.example.org:5433/lab"
    database, pooled = (
        read(tmp_path, DATABASE_URL=url)["DATABASES"]["default"]
        for url in (address, f"{address}?prepare_threshold=1000000000&sslmode=require")
    )
    expected = {"ENGINE": "django.db.backends.postgresql", "CONN_HEALTH_CHECKS": True}
    expected |= {"HOST": "db.example.org", "PORT": 5433, "NAME": "lab"}
    options = {"server_side_binding": True, "prepare_threshold": 5}
    assert database.items() >= (expected | {"OPTIONS": options}).items()
    options |= {"prepare_threshold": 1_000_000_000, "sslmode": "require"}
    assert pooled["OPTIONS"] == options


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PUBLIC_URL", "rarr.example.org"),
        ("DATABASE_URL", "mysql://x/y"),
        ("DATABASE_URL", "nonsense"),
        ("RARR_DEBUG", "maybe"),
        ("RARR_UPLOAD_MB", "lots"),
        ("RARR_LEASE_SECONDS", "0"),
        ("RARR_SWEEP_SECONDS", "-1"),
        ("RARR_SECRET_KEY", "too short"),
    ],
)
def test_nonsense_ends_a_command_with_one_sentence_and_2(
    tmp_path: Path, name: str, value: str
) -> None:
    done = run("manage.py", "doctor", var=tmp_path, **{name: value})
    assert done.returncode == 2
    assert done.stderr.startswith(name)
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_a_state_folder_that_cannot_be_made_is_nonsense_too(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run("manage.py", "doctor", var=tmp_path / "file" / "var")
    assert done.returncode == 2
    assert done.stderr.startswith("RARR_VAR=")
    assert "Traceback" not in done.stderr
