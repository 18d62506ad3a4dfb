"""What a password must have beside its length."""

from django.core.exceptions import ValidationError
from django.utils.translation import ngettext

from rarrweb.accounts.models import User


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
        return ngettext(
            "Use at least %(least)d different character in the password; blanks do not count.",
            "Use at least %(least)d different characters in the password; blanks do not count.",
            self.least,
        ) % {"least": self.least}
