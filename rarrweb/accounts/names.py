"""Decides when two user names, or names of people to invite, count as one name."""

import unicodedata


def spelt_as_kept(name: str) -> str:
    """`name` as the forms keep it: full-width letters, ligatures and the like as plain ones.

    >>> spelt_as_kept(" ｒｕｔｈ ")
    'ruth'
    """
    return unicodedata.normalize("NFKC", name.strip())


def username_key(name: str) -> str:
    """What two spellings of one name have in common; small and capital letters are one.

    >>> username_key("ＲＵＴＨ") == username_key("Ruth")
    True
    """
    return spelt_as_kept(spelt_as_kept(name).casefold())
