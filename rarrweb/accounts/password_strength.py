"""What Django does not ask of a password: a greatest length, and different characters."""

from django.core.exceptions import ValidationError

from rarrweb.accounts.models import User

MOST_CHARACTERS = 128
LEAST_DIFFERENT = 5


class MaximumLengthValidator:
    """Refuses a password that takes long to hash and that nobody types (OWASP ASVS 2.1.2)."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Raises `ValidationError`."""
        if len(password) > MOST_CHARACTERS:
            raise ValidationError(self.get_help_text(), code="password_too_long")

    def get_help_text(self) -> str:
        return f"Use at most {MOST_CHARACTERS} characters in the password."


class DifferentSignsValidator:
    """Refuses a password of blanks, or of one sign or two again and again."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Raises `ValidationError`. Blanks and what nobody sees do not count."""
        seen = {sign for sign in password if sign.isprintable() and not sign.isspace()}
        if len(seen) < LEAST_DIFFERENT:
            raise ValidationError(self.get_help_text(), code="too_few_different_signs")

    def get_help_text(self) -> str:
        return (
            f"Use at least {LEAST_DIFFERENT} different characters in the password; blanks do not "
            "count."
        )
