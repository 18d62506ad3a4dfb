"""`manage.py demo`: data and accounts to try rarrweb with, in an empty installation."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotation.campaigns.demo import (
    Demo,
    LogIn,
    NotEmpty,
    is_here,
    make_demo,
    renew_passwords,
    start_demo_run,
)
from annotation.campaigns.demo_campaigns import CannotJudge, make_demo_campaigns
from pipeline.models import Corpus
from pipeline.runs.start import RunRefused

FORGOTTEN = "Forgotten the demo's passwords? `manage.py demo --reset-passwords` makes new ones."


class Command(BaseCommand):
    help = (
        "Fills an empty installation with something to try: passages with planted errors, a "
        "corpus that can correct them, and three accounts whose generated passwords are printed "
        "once. Where anybody has an account it changes nothing and says so. "
        "Exit status: 0 done or nothing to do, 2 could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--with-run",
            action="store_true",
            help="also start a run of RARR over the passages; a worker carries it out",
        )
        parser.add_argument(
            "--with-campaigns",
            action="store_true",
            help="also revise five passages, which takes some seconds, and open two campaigns over "
            "them: five items of attribution and five of intent similarity for the demo's "
            "annotator; also in a demo that is there already",
        )
        parser.add_argument(
            "--reset-passwords",
            action="store_true",
            help="give the demo's accounts new passwords and print them; makes nothing else",
        )

    def handle(
        self, *, with_run: bool, with_campaigns: bool, reset_passwords: bool, **options: Any
    ) -> None:
        if reset_passwords and (with_run or with_campaigns):
            other = "--with-run" if with_run else "--with-campaigns"
            raise CommandError(f"Choose {other} or --reset-passwords, not both.", returncode=2)
        if reset_passwords:
            self.reset()
            return
        try:
            demo = make_demo()
        except NotEmpty:
            if with_campaigns and is_here():
                self.open_campaigns()
                return
            self.stdout.write(
                "There are accounts here already, so the demo made nothing and changed nothing."
            )
            if is_here():
                self.stdout.write(FORGOTTEN)
            return
        self.stdout.write(summary(demo))
        if demo.corpus.state != Corpus.State.READY:
            self.stderr.write(f"The corpus cannot be searched yet: {demo.corpus.error}")
        if with_run:
            self.start_run()
        if with_campaigns:
            self.open_campaigns()
        self.stdout.write(log_in_block(demo.log_ins))

    def reset(self) -> None:
        log_ins = renew_passwords()
        if not log_ins:
            raise CommandError(
                "None of the demo's accounts is here, so there is no password to make new. "
                "An administrator makes links for new passwords on the page People.",
                returncode=2,
            )
        self.stdout.write("The demo's accounts have new passwords; the old ones no longer work.\n")
        self.stdout.write(log_in_block(log_ins))

    def open_campaigns(self) -> None:
        try:
            made = make_demo_campaigns()
        except CannotJudge as error:
            self.stderr.write(f"There is nothing to judge yet: {error}")
            return
        self.stdout.write("Open to demo-annotator:\n")
        for campaign in made:
            self.stdout.write(f"  the campaign '{campaign.name}', {campaign.item_count} items;\n")

    def start_run(self) -> None:
        try:
            run = start_demo_run()
        except (LookupError, RunRefused) as error:
            self.stderr.write(f"The run was not started: {error}")
            return
        self.stdout.write(
            f"Run {run.pk} is waiting: a worker will revise its {run.passage_count} passages.\n"
        )


def summary(demo: Demo) -> str:
    return (
        "\nThe demo is ready:\n"
        f"  the dataset '{demo.dataset.name}', {demo.dataset.passage_count} passages with "
        f"{demo.planted_errors} planted errors;\n"
        f"  the corpus '{demo.corpus.name}', {demo.corpus.document_count} documents "
        f"({demo.corpus.get_state_display()});\n"
        f"  {len(demo.log_ins)} accounts.\n"
    )


def log_in_block(log_ins: Sequence[LogIn]) -> str:
    """The accounts in a readable block: address, names, passwords, and what each is for.

    All in ASCII, so that no terminal fails to print the passwords.
    """
    widths = [
        max(len("user name"), *(len(each.person.username) for each in log_ins)),
        max(len("password"), *(len(each.password) for each in log_ins)),
    ]
    rows = [("user name", "password", "this person ...")]
    rows += [(each.person.username, each.password, each.person.may) for each in log_ins]
    rule = "-" * 78
    lines = [
        rule,
        f"  Log in at {settings.PUBLIC_URL.geturl()}",
        "  The passwords are shown this once; only a hash of each is kept.",
        "",
        *(
            f"  {name:<{widths[0]}}   {password:<{widths[1]}}   {may}"
            for name, password, may in rows
        ),
        "",
        f"  {FORGOTTEN}",
        rule,
    ]
    return "\n".join(lines)
