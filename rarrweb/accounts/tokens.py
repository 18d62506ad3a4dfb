"""Personal tokens of the API: made, found by their secret, revoked."""

from datetime import timedelta

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from rarrweb.accounts import audit
from rarrweb.accounts.models import ApiToken, User, hash_token, new_token

MARK = "rarrweb_"
"""How every secret begins, so that people and scanners know one when they see it."""
SHOWN = len(MARK) + 4
"""Characters of the secret that lists show."""
LIFETIMES = (7, 30, 90, 365)
"""Days after which a token ends, to choose from."""
USUAL_DAYS = 90
USE_NOTED_EVERY = timedelta(minutes=1)


def make_token(user: User, *, name: str, scope: str, days: int) -> tuple[ApiToken, str]:
    """A new token, and its secret of 256 random bits, which nobody can read again later."""
    secret = MARK + new_token()
    token = ApiToken.objects.create(
        user=user,
        name=name,
        scope=scope,
        prefix=secret[:SHOWN],
        token_hash=hash_token(secret),
        expires_at=timezone.now() + timedelta(days=days),
    )
    audit.record("token-made", token, by=user, scope=scope, days=days)
    return token, secret


def bearer_secret(request: HttpRequest) -> str:
    """What `Authorization: Bearer …` says; "" where there is no such header."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def find_token(secret: str) -> ApiToken | None:
    """The token of that secret with its user, if it lets anybody in now."""
    return (
        ApiToken.objects.usable()
        .select_related("user")
        .filter(token_hash=hash_token(secret))
        .first()
    )


def note_use(token: ApiToken) -> None:
    """Remember that the token was used; writes at most once in `USE_NOTED_EVERY`."""
    now = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_NOTED_EVERY)
    if token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY:
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)


def revoke_token(token: ApiToken) -> None:
    """Let nobody in by it any more; a second call changes nothing."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        audit.record("token-revoked", token)


def revoke_tokens(person: User) -> None:
    """End all of a person's tokens, for good."""
    ApiToken.objects.filter(user=person, revoked_at=None).update(revoked_at=timezone.now())
