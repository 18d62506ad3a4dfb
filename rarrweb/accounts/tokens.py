"""Personal tokens of the API."""

from datetime import timedelta

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from rarrweb.accounts import audit
from rarrweb.accounts.models import ApiToken, User, hash_token, new_token

MARK = "rarrweb_"
"""Beginning of every secret, for secret scanners."""
PREFIX_LENGTH = len(MARK) + 4
LIFETIMES = (7, 30, 90, 365)
"""Days."""
USUAL_DAYS = 90
USE_NOTED_EVERY = timedelta(minutes=1)


def make_token(user: User, *, name: str, scope: str, days: int) -> tuple[ApiToken, str]:
    """Create a token; return it and its secret, of which only a hash is stored."""
    secret = MARK + new_token()
    token = ApiToken.objects.create(
        user=user,
        name=name,
        scope=scope,
        prefix=secret[:PREFIX_LENGTH],
        token_hash=hash_token(secret),
        expires_at=timezone.now() + timedelta(days=days),
    )
    audit.record("token-made", token, by=user, scope=scope, days=days)
    return token, secret


def bearer_secret(request: HttpRequest) -> str:
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def find_token(secret: str) -> ApiToken | None:
    return (
        ApiToken.objects.usable()
        .select_related("user")
        .filter(token_hash=hash_token(secret))
        .first()
    )


def note_use(token: ApiToken) -> None:
    """Set the time of last use, at most once per `USE_NOTED_EVERY`."""
    now = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_NOTED_EVERY)
    if token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY:
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)


def revoke_token(token: ApiToken) -> None:
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        audit.record("token-revoked", token)


def revoke_tokens(person: User) -> None:
    ApiToken.objects.filter(user=person, revoked_at=None).update(revoked_at=timezone.now())
