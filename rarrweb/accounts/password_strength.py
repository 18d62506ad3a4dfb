"""What Django does not ask of a password: a greatest length, and different characters."""

from django.core.exceptions import ValidationError

from rarrweb.accounts.models import User


class MaximumLengthValidator:
    """Refuses a password that takes long to hash and that nobody types (OWASP ASVS 2.1.2)."""

    def __init__(self, most: int = 128) -> None:
        self.most = most

    def validate(self, password: str, user: User | None = None) -> None:
        """Raises `ValidationError`."""
        if len(password) > self.most:
            raise ValidationError(self.get_help_text(), code="password_too_long")

    def get_help_text(self) -> str:
        return f"Use at most {self.most} characters in the password."


class DifferentSignsValidator:
    """Refuses a password of blanks, or of one sign or two again and again."""

    def __init__(self, least: int = 5) -> None:
        self.least = least

    def validate(self, password: str, user: User | None = None) -> None:
        """Raises `ValidationError`. Blanks and what nobody sees do not count."""
        seen = {sign for sign in password if sign.isprintable() and not sign.isspace()}
        if len(seen) < self.least:
            raise ValidationError(self.get_help_text(), code="too_few_different_signs")

    def get_help_text(self) -> str:
        return (
            f"Use at least {self.least} different character in the password; blanks do not count."
            if self.least == 1
            else (
                f"Use at least {self.least} different characters in the password; blanks "
                "do not count."
            )
        )
