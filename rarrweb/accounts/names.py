"""Decides when two user names, or names of people to invite, count as one name."""

from django.db.models import QuerySet

from rarrweb.accounts.models import User


def spelt_as_kept(name: str) -> str:
    """`name` as the forms keep it: full-width letters, ligatures and the like as plain ones.

    >>> spelt_as_kept(" ｒｕｔｈ ")
    'ruth'
    """
    return User.normalize_username(name.strip())


def compared(name: str) -> str:
    """What two spellings of one name have in common; small and capital letters are one.

    >>> compared("ＲＵＴＨ") == compared("Ruth")
    True
    """
    return spelt_as_kept(spelt_as_kept(name).casefold())


def user_called(name: str) -> User | None:
    """The person with that user name, however it is written; None where nobody has it.

    Compared here and not in the database: SQLite knows capital letters of ASCII only.
    """
    wanted = compared(name)
    if (exactly := User.objects.filter(username=spelt_as_kept(name)).first()) is not None:
        return exactly
    for key, known in User.objects.values_list("pk", "username").iterator():
        if compared(known) == wanted:
            return User.objects.get(pk=key)
    return None


def called_like(people: QuerySet[User], part: str) -> list[int]:
    """The keys of those of `people` in whose names `part` stands, however it is written.

    Compared here for the same reason as in `user_called`.
    """
    wanted = compared(part)
    return [pk for pk, name in people.values_list("pk", "username") if wanted in compared(name)]
