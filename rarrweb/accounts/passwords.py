"""Links to choose a new password, for `PASSWORD_RESET_TIMEOUT`.

They end when the user changes the password or logs in, or when the account is deactivated.
"""

from django.contrib.auth.hashers import make_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.utils.encoding import force_str
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from rarrweb.accounts import audit
from rarrweb.accounts.models import User


class _Tokens(PasswordResetTokenGenerator):
    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.times_shut or ''}"


_tokens = _Tokens()


def new_password_link(person: User) -> tuple[str, str]:
    audit.record("password-link-made", person)
    code = urlsafe_base64_encode(str(person.pk).encode())
    return code, _tokens.make_token(person)


def person_of(user_code: str, token: str) -> User | None:
    try:
        pk = int(force_str(urlsafe_base64_decode(user_code)))
        person = User.objects.filter(pk=pk, is_active=True).first()
    except (ValueError, OverflowError):
        return None
    if person is None or not _tokens.check_token(person, token):
        return None
    return person


def choose_password(person: User, password: str) -> bool:
    """Set the password; return False if the link was used meanwhile."""
    unused = User.objects.filter(pk=person.pk, is_active=True, password=person.password)
    if not unused.update(password=make_password(password)):
        return False
    audit.record("password-chosen", by=person)
    return True


MOST_CHARACTERS = 128
LEAST_DIFFERENT = 5


class MaximumLengthValidator:
    """Refuse passwords that take long to hash (OWASP ASVS 2.1.2)."""

    def validate(self, password: str, user: User | None = None) -> None:
        if len(password) > MOST_CHARACTERS:
            raise ValidationError(self.get_help_text(), code="password_too_long")

    def get_help_text(self) -> str:
        return f"Use at most {MOST_CHARACTERS} characters in the password."


class DistinctCharactersValidator:
    """Refuse passwords of few distinct characters; blanks do not count."""

    def validate(self, password: str, user: User | None = None) -> None:
        distinct = {each for each in password if each.isprintable() and not each.isspace()}
        if len(distinct) < LEAST_DIFFERENT:
            raise ValidationError(self.get_help_text(), code="too_few_distinct_characters")

    def get_help_text(self) -> str:
        return (
            f"Use at least {LEAST_DIFFERENT} different characters in the password; blanks do not "
            "count."
        )
