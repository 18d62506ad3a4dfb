"""Password validators that Django lacks: maximum length and distinct characters."""

from django.core.exceptions import ValidationError

from rarrweb.accounts.models import User

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
