"""Second factors, and codes of authenticator apps."""

import time

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value

from rarrweb.accounts.adapters import MfaAdapter
from rarrweb.accounts.models import User


def add_second_factor(person: User) -> None:
    TOTP.activate(person, generate_totp_secret())
    RecoveryCodes.activate(person)


def code_of(person: User, *, steps: int = 0) -> str:
    """Return the current code, or one some steps of 30 seconds from now."""
    stored = Authenticator.objects.get(user=person, type=Authenticator.Type.TOTP)
    return code_by(MfaAdapter().decrypt(stored.data["secret"]), steps=steps)


def code_by(secret: str, *, steps: int = 0) -> str:
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps)))


def recovery_codes_of(person: User) -> list[str]:
    return RecoveryCodes.activate(person).get_unused_codes()
