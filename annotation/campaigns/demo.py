"""Demo data and accounts for an empty installation."""

import json
import secrets
import tempfile
from dataclasses import asdict
from pathlib import Path

from django.db import IntegrityError, transaction

from annotation.campaigns.lifecycle import start_campaign
from annotation.items.selection import NothingToJudge
from annotation.models import Campaign
from annotation.raters.memberships import add_member
from pipeline.data.corpora import (
    Indexing,
    check_documents,
    create_corpus,
    import_documents,
)
from pipeline.data.datasets import check_passages, create_dataset, import_passages
from pipeline.data.slugs import find_named
from pipeline.demo_data import CORPUS, PASSAGES, demo_documents
from pipeline.engine.configuration import RunConfig
from pipeline.models import Corpus, Dataset, Revision
from pipeline.runs import start
from pipeline.runs.execution import Revising
from rarrweb.accounts.models import User

DATASET, JUDGED = "Demo passages", "Demo: five to judge"
ADMIN, RESEARCHER, ANNOTATOR = "demo-admin", "demo-researcher", "demo-annotator"
PEOPLE = {
    ADMIN: (User.Role.ADMINISTRATOR, "invites people and gives roles; may do all that follows"),
    RESEARCHER: (User.Role.RESEARCHER, "uploads data, starts runs and campaigns, exports datasets"),
    ANNOTATOR: (User.Role.NONE, "judges, once a researcher has added them to a campaign"),
}
"""User name to role and what the person can do."""
FIVE = ("factoid-01", "factoid-04", "factoid-09", "reasoning-05", "dialog-02")
"""Short passages of each kind, with errors that the demo encyclopedia can correct."""
CAMPAIGNS = (
    {
        "name": "Demo: is it supported?",
        "questionnaire": "attribution",
        "sides": "after",
        "options": ["rate_evidence"],
    },
    {"name": "Demo: is it still the same story?", "questionnaire": "intent", "sides": "pair"},
)


class NotEmpty(Exception):
    """The installation has accounts already."""


class CannotOpenDemo(Exception):
    """The demo's campaigns cannot be made; the message says why."""


def make_demo() -> dict[str, str]:
    """Make accounts, dataset and searchable corpus; return user names to passwords.

    Raises `NotEmpty`.
    """
    passwords = {name: _password() for name in PEOPLE}
    try:
        with transaction.atomic():
            if User.objects.exists():
                raise NotEmpty
            for name, (role, _) in PEOPLE.items():
                User.objects.create_user(name, password=passwords[name], role=role)
            researcher = User.objects.get(username=RESEARCHER)
            _make_dataset(DATASET, PASSAGES.read_text(encoding="utf-8"), researcher)
            corpus = _make_corpus(researcher)
    except IntegrityError:  # made meanwhile
        raise NotEmpty from None
    # Less than a second; if this process dies here, a worker's sweep does it.
    Indexing().run(corpus.pk)
    return passwords


def renew_passwords() -> dict[str, str]:
    passwords = {}
    for user in User.objects.filter(username__in=PEOPLE):
        passwords[user.username] = _password()
        user.set_password(passwords[user.username])
        user.save(update_fields=["password"])
    return passwords


def make_demo_campaigns() -> list[Campaign]:
    """Revise five passages and open both campaigns, with the demo's annotator as rater.

    Returns existing ones unchanged. Raises `CannotOpenDemo`.
    """
    made = list(Campaign.objects.filter(runs__dataset__name=JUDGED).order_by("pk"))
    if made:
        return made
    people = {each.username: each for each in User.objects.filter(username__in=PEOPLE)}
    if not {RESEARCHER, ANNOTATOR} <= people.keys():
        raise CannotOpenDemo("The demo's accounts are gone, so nobody could lead or judge.")
    dataset = find_named(Dataset, JUDGED)
    if dataset is None:
        lines = PASSAGES.read_text(encoding="utf-8").splitlines(keepends=True)
        five = "".join(line for line in lines if json.loads(line)["id"] in FIVE)
        dataset = _make_dataset(JUDGED, five, people[RESEARCHER])
    try:
        run = dataset.runs.first() or start.start_run(
            dataset=dataset,
            corpus=find_named(Corpus, CORPUS),
            config=RunConfig.from_settings(),
            created_by=people[RESEARCHER],
        )
        for revision_id in run.revisions.order_by("pk").values_list("pk", flat=True):
            Revising().run(revision_id)
        if run.revisions.exclude(state__in=[Revision.State.DONE, Revision.State.FAILED]).exists():
            raise CannotOpenDemo("A worker still revises the passages: repeat this in a minute.")
        made = [
            start_campaign(**chosen, runs=[run], created_by=people[RESEARCHER])
            for chosen in CAMPAIGNS
        ]
    except (start.RunRefused, NothingToJudge) as refused:
        raise CannotOpenDemo(f"The five passages cannot be revised: {refused}") from None
    for campaign in made:
        add_member(campaign, user=people[ANNOTATOR])
    return made


def _password() -> str:
    # Without look-alikes; fifteen letters make 74 bits.
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(letters) for _ in range(5)) for _ in range(3))


def _make_dataset(name: str, lines: str, created_by: User) -> Dataset:
    about = "Passages with planted errors, to be revised against the demo encyclopedia."
    dataset = create_dataset(name=name, description=about, created_by=created_by)
    with tempfile.TemporaryDirectory() as folder:
        source, staged = Path(folder) / "passages.jsonl", Path(folder) / "passages"
        source.write_text(lines, encoding="utf-8")
        check_passages(dataset, source, reading={"format": "jsonl"}, staged=staged)
        import_passages(dataset, staged)
    dataset.refresh_from_db()
    return dataset


def _make_corpus(created_by: User) -> Corpus:
    about = "57 short documents, written for rarrweb; each names a public page to compare."
    corpus = create_corpus(name=CORPUS, description=about, created_by=created_by)
    with tempfile.TemporaryDirectory() as folder:
        # JSON lines, because a folder of Markdown has no addresses.
        source, staged = Path(folder) / "documents.jsonl", Path(folder) / "documents"
        lines = [json.dumps(asdict(document)) + "\n" for document in demo_documents()]
        source.write_text("".join(lines), encoding="utf-8")
        check_documents(corpus, source, staged=staged)
        import_documents(corpus, staged)
    Corpus.objects.filter(pk=corpus.pk).update(state=Corpus.State.QUEUED)
    return corpus
