"""The installation's secret key, from the environment or generated once in `var/`."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

SHORTEST = 32


def secret_key(given: str, *, folder: Path) -> str:
    """Return `given`, or the key stored in `folder`, which the first call generates.

    The file is linked into place, so that two processes that start together agree on one key.
    Raises `ImproperlyConfigured` if `given` is too short.
    """
    if given:
        if len(given) < SHORTEST:
            raise ImproperlyConfigured(
                f"RARR_SECRET_KEY has {len(given)} characters: write at least {SHORTEST}, "
                "or leave it unset and one is made."
            )
        return given
    path = folder / "secret_key"
    if not path.exists():
        draft = folder / f".secret_key.{os.getpid()}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64))
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()
