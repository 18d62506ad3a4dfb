"""Normalization of user names."""

import unicodedata


def normalize_username(name: str) -> str:
    """Strip and normalize `name` (NFKC), as the forms do before storing it.

    >>> normalize_username(" ｒｕｔｈ ")
    'ruth'
    """
    return unicodedata.normalize("NFKC", name.strip())


def username_key(name: str) -> str:
    """Return a key that all spellings of a name have in common, in any case.

    >>> username_key("ＲＵＴＨ") == username_key("Ruth")
    True
    """
    return normalize_username(normalize_username(name).casefold())
