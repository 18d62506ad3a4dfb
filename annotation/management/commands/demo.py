"""`manage.py demo`: data and accounts to try rarrweb with."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotation.campaigns import demo
from pipeline.data.slugs import find_named
from pipeline.demo_data import CORPUS, planted
from pipeline.models import Corpus
from rarrweb.accounts.models import User

FORGOTTEN = "Forgotten the demo's passwords? `manage.py demo --reset-passwords` makes new ones."


class Command(BaseCommand):
    help = (
        "Fills an empty installation with something to try: passages with planted errors, a "
        "corpus that can correct them, and three accounts whose generated passwords are printed "
        "once. Where anybody has an account it changes nothing and says so. "
        "Exit status: 0 done or nothing to do, 2 could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument(
            "--with-campaigns",
            action="store_true",
            help="also revise five passages, which takes some seconds, and open two campaigns over "
            "them: five items of attribution and five of intent similarity for the demo's "
            "annotator; also in a demo that is there already",
        )
        choice.add_argument(
            "--reset-passwords",
            action="store_true",
            help="give the demo's accounts new passwords and print them; makes nothing else",
        )

    def handle(self, *, with_campaigns: bool, reset_passwords: bool, **options: Any) -> None:
        if reset_passwords:
            passwords = demo.renew_passwords()
            if not passwords:
                raise CommandError(
                    "None of the demo's accounts is here, so there is no password to make new. "
                    "An administrator makes links for new passwords on the page People.",
                    returncode=2,
                )
            self.stdout.write("The demo's accounts have new passwords; the old ones are void.\n")
            self.stdout.write(log_in_block(passwords))
            return
        try:
            passwords = demo.make_demo()
        except demo.NotEmpty:
            is_demo = User.objects.filter(username__in=demo.PEOPLE).exists()
            if with_campaigns and is_demo:
                self.open_campaigns()
                return
            self.stdout.write("There are accounts here already, so the demo changed nothing.")
            if is_demo:
                self.stdout.write(FORGOTTEN)
            return
        errors = sum(len(each.errors) for each in planted().values())
        self.stdout.write(
            "\nThe demo is ready:\n"
            f"  the dataset '{demo.DATASET}', {len(planted())} passages with {errors} planted "
            f"errors;\n  the corpus '{CORPUS}';\n  {len(passwords)} accounts.\n"
        )
        corpus = find_named(Corpus, CORPUS)
        if corpus and corpus.state != Corpus.State.READY:
            self.stderr.write(f"The corpus cannot be searched yet: {corpus.error}")
        if with_campaigns:
            self.open_campaigns()
        self.stdout.write(log_in_block(passwords))

    def open_campaigns(self) -> None:
        try:
            made = demo.make_demo_campaigns()
        except demo.CannotOpenDemo as error:
            self.stderr.write(f"There is nothing to judge yet: {error}")
            return
        self.stdout.write(f"Open to {demo.ANNOTATOR}:\n")
        for campaign in made:
            self.stdout.write(f"  the campaign '{campaign.name}', {campaign.item_count} items;\n")


def log_in_block(passwords: dict[str, str]) -> str:
    rows = [("user name", "password", "this person ...")]
    rows += [(name, password, demo.PEOPLE[name][1]) for name, password in passwords.items()]
    table = "\n".join(f"  {name:<15}   {password:<17}   {may}" for name, password, may in rows)
    rule = "-" * 78
    return (
        f"{rule}\n  Log in at {settings.PUBLIC_URL.geturl()}\n"
        "  The passwords are displayed only once; only a hash of each is stored.\n\n"
        f"{table}\n\n  {FORGOTTEN}\n{rule}"
    )
