"""Settings of the tests: fast passwords and a temporary folder."""

import os
import tempfile
from pathlib import Path

# The parts of the suite share the cores: torch's threads wait for each other without spinning.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
if "RARR_VAR" not in os.environ:
    os.environ["RARR_VAR"] = tempfile.mkdtemp(prefix="rarrweb-tests-")
    # One key for all runs: draws that depend on it, as of gold items, are the same in each.
    _key_file = Path(os.environ["RARR_VAR"], "secret_key")
    _key_file.touch(mode=0o600)
    _key_file.write_text("the same secret key for every run of the tests")

from rarrweb.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["*"]

# `make test` runs parts of the suite side by side: each has a database of its own.
PART = os.environ.get("TEST_PART", "")

# A file, not memory: a real worker process and the live server's threads must reach it.
DATABASES["default"].setdefault("TEST", {})  # noqa: F405
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":  # noqa: F405
    DATABASES["default"]["TEST"]["NAME"] = str(VAR_DIR / f"test{PART}.sqlite3")  # noqa: F405
    # What tests write need not outlive a power cut: a fifth of their time was waiting for the disk.
    _options = DATABASES["default"]["OPTIONS"]  # noqa: F405
    _command = _options["init_command"].replace("synchronous=FULL", "synchronous=OFF")
    DATABASES = {
        "default": {**DATABASES["default"], "OPTIONS": {**_options, "init_command": _command}}  # noqa: F405
    }
else:
    DATABASES["default"]["OPTIONS"]["options"] = "-c synchronous_commit=off"
    if PART:
        name = DATABASES["default"]["NAME"]
        DATABASES["default"]["TEST"]["NAME"] = f"test_{name}{PART}"
