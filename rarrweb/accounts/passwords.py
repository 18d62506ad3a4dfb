"""Links by which a person who forgot the password chooses a new one.

Django's signed tokens: made from the account's state, so a link dies when the password
changes, when the person logs in, when the account is shut, or after `PASSWORD_RESET_TIMEOUT`.
Nothing is stored.
"""

from django.contrib.auth.hashers import make_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.utils.encoding import force_str
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from rarrweb.accounts import audit
from rarrweb.accounts.models import User


class _Tokens(PasswordResetTokenGenerator):
    def _make_hash_value(self, user: User, timestamp: int) -> str:  # Django's place to add to it
        return f"{super()._make_hash_value(user, timestamp)}{user.times_shut or ''}"


_tokens = _Tokens()


def new_password_link(person: User) -> tuple[str, str]:
    """The two parts of the link's path: a code for the person, and the token."""
    audit.record("password-link-made", person)
    code = urlsafe_base64_encode(str(person.pk).encode())
    return code, _tokens.make_token(person)


def person_of(user_code: str, token: str) -> User | None:
    """Whose link this is; None when it is not one, or works no more."""
    try:
        pk = int(force_str(urlsafe_base64_decode(user_code)))
        person = User.objects.filter(pk=pk, is_active=True).first()
    except (ValueError, OverflowError):
        return None
    if person is None or not _tokens.check_token(person, token):
        return None
    return person


def choose_password(person: User, password: str) -> bool:
    """Set the password; False when the link was used by somebody else in the meantime."""
    unused = User.objects.filter(pk=person.pk, is_active=True, password=person.password)
    if not unused.update(password=make_password(password)):
        return False
    audit.record("password-chosen", by=person)
    return True
