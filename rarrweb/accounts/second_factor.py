"""A second factor at log-in: codes of an authenticator app (RFC 6238), and recovery codes.

A person who has one shows a code after the password. A code works once: the time step of the
last one is kept. Sessions remember that theirs was opened so.
"""

import base64
import hashlib
import secrets
from collections.abc import Callable

import pyotp
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib.auth import login
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from rarrweb.accounts import audit, people
from rarrweb.accounts.models import RecoveryCode, SecondFactor, User, hash_token

SHOWN = "second_factor"
"""In a session: that the person has shown the factor."""
PENDING = "second_step"
"""In a session without a log-in: whose password, or provider, was right, and until when."""
PENDING_SECONDS = 300
STEP_SECONDS = 30
STEPS_ASIDE = 1
"""A clock may be off by so many steps."""
RECOVERY_CODES = 10
RECOVERY_BYTES = 15
"""120 random bits: nobody guesses one, so SHA-256 will do."""
OPEN = frozenset({"second-factor", "second-factor-picture", "log-out", "theme"})
"""Pages of accounts that open to whoever has to set a factor up first."""


def factor_of(person: User) -> SecondFactor | None:
    """The factor that is asked at log-in; None where there is none, or it was never confirmed."""
    return SecondFactor.objects.filter(user=person, confirmed_at__isnull=False).first()


def is_required(person: User) -> bool:
    """Whether `RARR_SECOND_FACTOR` lets the person in only with one."""
    return {
        "researchers": person.is_researcher,
        "administrators": person.is_administrator,
    }.get(settings.RARR_SECOND_FACTOR, False)


def new_factor(person: User) -> SecondFactor:
    """A factor with a new secret, for the person to confirm; the unconfirmed one before is gone."""
    SecondFactor.objects.filter(user=person, confirmed_at=None).delete()
    return SecondFactor.objects.create(user=person, secret=_box().encrypt(_new_secret()).decode())


def secret_of(factor: SecondFactor) -> str | None:
    """The secret in base32, as an app takes it; None after a change of `RARR_SECRET_KEY`."""
    try:
        return _box().decrypt(factor.secret.encode()).decode()
    except InvalidToken:
        return None


def address_of(factor: SecondFactor) -> str:
    """What the picture says to the app."""
    name = settings.PUBLIC_URL.hostname or "rarrweb"
    return pyotp.TOTP(secret_of(factor) or "").provisioning_uri(
        name=factor.user.username, issuer_name=name
    )


@transaction.atomic
def confirm(factor: SecondFactor, code: str) -> list[str]:
    """Ask for the factor from now on: its recovery codes, which nobody can read again later.

    None of them where the code is wrong.
    """
    if not _is_new_code(factor, code):
        return []
    SecondFactor.objects.filter(pk=factor.pk).update(confirmed_at=timezone.now())
    audit.record("second-factor-on", factor.user)
    return new_recovery_codes(factor.user)


@transaction.atomic
def new_recovery_codes(person: User) -> list[str]:
    """Codes that let the person in once each, without the app; those from before work no more."""
    RecoveryCode.objects.filter(user=person).delete()
    codes = [
        base64.b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode().lower()
        for _ in range(RECOVERY_CODES)
    ]
    RecoveryCode.objects.bulk_create(
        RecoveryCode(user=person, code_hash=hash_token(code)) for code in codes
    )
    return ["-".join(code[at : at + 4] for at in range(0, len(code), 4)) for code in codes]


def is_right(factor: SecondFactor, code: str) -> bool:
    """Whether the code is the app's of now, or a recovery code; each of them works once."""
    plain = "".join(code.split()).replace("-", "").lower()
    if plain.isdecimal():
        return _is_new_code(factor, plain)
    unused = RecoveryCode.objects.filter(user=factor.user_id, code_hash=hash_token(plain))
    if not unused.filter(used_at=None).update(used_at=timezone.now()):
        return False
    audit.record("recovery-code-used", factor.user)
    return True


@transaction.atomic
def remove(person: User, *, action: str) -> None:
    """Ask for no second factor any more, and end all sessions: one may be of who found the app.

    `action` is what the audit log says of it.
    """
    people.end_sessions(person)
    RecoveryCode.objects.filter(user=person).delete()
    if SecondFactor.objects.filter(user=person).delete()[0]:
        audit.record(action, person)


def log_in(request: HttpRequest, person: User, *, onward: str) -> HttpResponse:
    """Open a session for a person whose password, or provider, was right; or ask for the code."""
    if factor_of(person) is None:
        login(request, person, backend=settings.AUTHENTICATION_BACKENDS[0])
        return redirect(onward or settings.LOGIN_REDIRECT_URL)
    request.session.cycle_key()
    request.session[PENDING] = {
        "person": person.pk,
        "hash": person.get_session_auth_hash(),
        "until": timezone.now().timestamp() + PENDING_SECONDS,
        "next": onward,
    }
    return redirect("accounts:second-step")


def pending_person(request: HttpRequest) -> User | None:
    """Who has still to show the code; None where nobody has, or too late."""
    pending = request.session.get(PENDING)
    if pending is None or pending["until"] < timezone.now().timestamp():
        return None
    person = User.objects.filter(pk=pending["person"], is_active=True).first()
    # A password that was changed, or an account that was shut, in the meantime.
    is_same = person is not None and person.get_session_auth_hash() == pending["hash"]
    return person if is_same else None


def finish(request: HttpRequest, person: User) -> HttpResponse:
    """Open the session of a person who has shown the code."""
    onward = request.session.pop(PENDING)["next"]
    login(request, person, backend=settings.AUTHENTICATION_BACKENDS[0])
    request.session[SHOWN] = True
    return redirect(onward or settings.LOGIN_REDIRECT_URL)


class SecondFactorMiddleware:
    """Leads whoever has to have a second factor, and has not, to the page that sets it up."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, *args: object, **values: object
    ) -> HttpResponse | None:
        person = request.user
        if (
            not isinstance(person, User)
            or not is_required(person)
            or request.session.get(SHOWN)
            or request.resolver_match is None
            or _is_open(request.resolver_match.view_name)
        ):
            return None
        return redirect("accounts:second-factor")


def _is_open(name: str) -> bool:
    space, _, page = name.rpartition(":")
    return (space == "accounts" and page in OPEN) or name == "healthz"


def _is_new_code(factor: SecondFactor, code: str) -> bool:
    secret, now = secret_of(factor), int(timezone.now().timestamp()) // STEP_SECONDS
    if secret is None:
        return False
    app = pyotp.TOTP(secret)
    for step in range(now - STEPS_ASIDE, now + STEPS_ASIDE + 1):
        if secrets.compare_digest(app.generate_otp(step).encode(), code.strip().encode()):
            later = SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step)
            return later.update(last_step=step) == 1
    return False


def _new_secret() -> bytes:
    return pyotp.random_base32().encode()


def _box() -> Fernet:
    """Keeps secrets from who reads the tables, a backup of them, or a log, but not the key."""
    key = hashlib.sha256(f"rarrweb.second-factor{settings.SECRET_KEY}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
