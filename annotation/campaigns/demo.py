"""The demo: data to try rarrweb on and three accounts, made once, in an empty installation."""

import json
import secrets
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from django.db import IntegrityError, transaction

from pipeline.data.corpora import (
    check_documents,
    create_corpus,
    find_corpus,
    import_documents,
    index_corpus,
)
from pipeline.data.datasets import check_passages, create_dataset, find_dataset, import_passages
from pipeline.demo_data import CORPUS, PASSAGES, demo_documents, planted
from pipeline.engine.configuration import RunConfig
from pipeline.models import Corpus, Dataset, Run
from pipeline.runs import start
from rarrweb.accounts.models import User

DATASET = "Demo passages"

# Without characters that look alike. Fifteen of them make some 74 bits.
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An account of the demo."""

    username: str
    role: str
    may: str
    """What the person can do, in a few words."""


PEOPLE = (
    Person(
        username="demo-admin",
        role=User.Role.ADMINISTRATOR,
        may="invites people and gives roles; may do all that follows",
    ),
    Person(
        username="demo-researcher",
        role=User.Role.RESEARCHER,
        may="uploads data, starts runs and campaigns, exports datasets",
    ),
    Person(
        username="demo-annotator",
        role=User.Role.NONE,
        may="judges, once a researcher has added them to a campaign",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogIn:
    """An account with its password in clear: to be shown once and kept nowhere."""

    person: Person
    password: str

    def __repr__(self) -> str:
        # A traceback or a log line must not carry the password away.
        return f"LogIn({self.person.username})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """What `make_demo` has made."""

    dataset: Dataset
    corpus: Corpus
    planted_errors: int
    log_ins: tuple[LogIn, ...]


class NotEmpty(Exception):
    """The installation has people already, so nothing was made."""


def is_here() -> bool:
    """Whether any of the demo's accounts exists."""
    return User.objects.filter(username__in=[person.username for person in PEOPLE]).exists()


def make_demo() -> Demo:
    """Make the dataset, the corpus with its search index, and the accounts.

    Raises `NotEmpty`, and makes nothing, where anybody has an account: the demo's people have
    no business in an installation that is in use.
    """
    try:
        with transaction.atomic():
            log_ins = _make_people()
            researcher = User.objects.get(username=PEOPLE[1].username)
            dataset = make_dataset(
                DATASET,
                "30 passages with planted errors: factoid statements, reasoning chains and dialog "
                "turns, to be revised against the demo encyclopedia.",
                PASSAGES,
                created_by=researcher,
            )
            corpus = _make_corpus(researcher)
    except IntegrityError:  # the same command in another terminal was faster
        raise NotEmpty from None
    # 57 short documents take less than a second, so nobody need wait for a worker. If this
    # process dies here, the sweep of the next worker does it.
    index_corpus(corpus.pk)
    corpus.refresh_from_db()
    return Demo(
        dataset=dataset,
        corpus=corpus,
        planted_errors=sum(len(each.errors) for each in planted().values()),
        log_ins=log_ins,
    )


def renew_passwords() -> tuple[LogIn, ...]:
    """New passwords for the demo's accounts that still exist; logs everybody out of them."""
    log_ins = []
    for person in PEOPLE:
        user = User.objects.filter(username=person.username).first()
        if user is not None:
            log_in = LogIn(person=person, password=new_password())
            user.set_password(log_in.password)
            user.save(update_fields=["password"])
            log_ins.append(log_in)
    return tuple(log_ins)


def start_demo_run() -> Run:
    """Start RARR over the demo's passages; a worker does the work.

    Raises `start.RunRefused`, and `LookupError` where the demo's data are gone.
    """
    dataset, corpus = find_dataset(DATASET), find_corpus(CORPUS)
    if dataset is None or corpus is None:
        raise LookupError(f"There is no dataset {DATASET!r} with a corpus {CORPUS!r} any more.")
    return start.start_run(
        dataset=dataset,
        corpus=corpus,
        config=RunConfig.from_settings(),
        created_by=User.objects.filter(username=PEOPLE[1].username).first(),
    )


def new_password() -> str:
    """Three groups of five letters and digits, easy to read off a screen."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(5)) for _ in range(3))


def _make_people() -> tuple[LogIn, ...]:
    if User.objects.exists():
        raise NotEmpty
    log_ins = tuple(LogIn(person=person, password=new_password()) for person in PEOPLE)
    for log_in in log_ins:
        person = log_in.person
        User.objects.create_user(person.username, password=log_in.password, role=person.role)
    return log_ins


def make_dataset(name: str, description: str, source: Path, *, created_by: User) -> Dataset:
    """A dataset of the passages in `source`, JSON lines."""
    dataset = create_dataset(name=name, description=description, created_by=created_by)
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder) / "passages"
        check_passages(dataset, source, format="jsonl", staged=staged)
        import_passages(dataset, staged)
    dataset.refresh_from_db()
    return dataset


def _make_corpus(created_by: User) -> Corpus:
    corpus = create_corpus(
        name=CORPUS,
        description="57 short documents, written for rarrweb; each names a public page to compare.",
        created_by=created_by,
    )
    with tempfile.TemporaryDirectory() as folder:
        # As JSON lines, because a plain folder of Markdown knows no addresses.
        lines, staged = Path(folder) / "documents.jsonl", Path(folder) / "documents"
        lines.write_text(
            "".join(json.dumps(asdict(document)) + "\n" for document in demo_documents()),
            encoding="utf-8",
        )
        check_documents(corpus, lines, staged=staged)
        import_documents(corpus, staged)
    Corpus.objects.filter(pk=corpus.pk).update(state=Corpus.State.QUEUED)
    return corpus
