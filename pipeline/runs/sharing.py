"""Links to revisions for readers without an account."""

from pipeline.models import Revision, SharedRevision
from rarrweb.accounts import audit
from rarrweb.accounts.models import User, new_token


def share_revision(revision: Revision, *, by: User, shows_raters: bool) -> SharedRevision:
    """Make a link, or change the existing one."""
    values = {"shows_raters": shows_raters, "shared_by": by}
    share, _ = SharedRevision.objects.update_or_create(
        revision=revision, defaults=values, create_defaults={**values, "token": new_token()}
    )
    audit.record("shared", revision, by=by)
    return share


def unshare_revision(revision: Revision) -> None:
    """Revoke the link; sharing again makes another one."""
    SharedRevision.objects.filter(revision=revision).delete()
    audit.record("unshared", revision)


def find_shared(token: str) -> SharedRevision | None:
    """Return what a link opens; None if it is revoked or its owner no researcher."""
    shares = SharedRevision.objects.filter(token=token, revision__state=Revision.State.DONE)
    share = shares.select_related("revision__run", "revision__passage", "shared_by").first()
    return share if share is not None and share.shared_by.is_researcher else None
