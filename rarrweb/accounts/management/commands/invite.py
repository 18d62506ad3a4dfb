"""Create an invitation link."""

from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from rarrweb.accounts import invitation_links
from rarrweb.accounts.models import Invitation, User
from rarrweb.accounts.names import normalize_username
from rarrweb.web.addresses import absolute

ROLES = {
    "member": User.Role.NONE,
    "researcher": User.Role.RESEARCHER,
    "administrator": User.Role.ADMINISTRATOR,
}


class Command(BaseCommand):
    help = (
        "Print a link with which one person creates an account with a role. It works once and "
        "expires. Its address is below PUBLIC_URL. Exit status: 0 made, 2 could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--role", choices=list(ROLES), default="researcher")
        parser.add_argument("--note", default="", help="for whom it is (shown on the people page)")
        parser.add_argument(
            "--days",
            type=int,
            default=settings.INVITATION_DAYS,
            help="days until it expires, 1 to 90 (default: %(default)s)",
        )
        parser.add_argument(
            "--by",
            metavar="NAME",
            help="the administrator who invites (default: the oldest account)",
        )

    def handle(self, *, role: str, note: str, days: int, by: str | None, **options: object) -> None:
        if not 1 <= days <= 90:
            raise CommandError(f"--days {days}: write a number from 1 to 90.", returncode=2)
        if len(note) > 200:
            raise CommandError(
                f"--note has {len(note)} characters: write at most 200.", returncode=2
            )
        administrators = User.objects.filter(role=User.Role.ADMINISTRATOR, is_active=True)
        if by is not None:
            administrators = administrators.filter(username=normalize_username(by))
        inviter = administrators.order_by("pk").first()
        if inviter is None:
            raise CommandError(
                f"No active administrator is called {by!r}."
                if by is not None
                else "Nobody can invite yet: make the first administrator with "
                "`manage.py createsuperuser`.",
                returncode=2,
            )
        _, token = invitation_links.make_link(
            Invitation, created_by=inviter, days=days, role=ROLES[role], note=note
        )
        path = reverse("accounts:accept-invitation", args=[token])
        self.stdout.write(absolute(path))
