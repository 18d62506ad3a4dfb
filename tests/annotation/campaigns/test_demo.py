"""`manage.py demo`: made once, in an empty installation, with passwords shown once."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from django.test import RequestFactory

from annotation.campaigns.demo import PEOPLE, make_demo
from annotation.judging.claims import claim_next
from annotation.models import Assignment, Campaign
from pipeline.backends.tantivy_corpus import TantivyCorpus
from pipeline.data.corpora import index_path
from pipeline.demo_data import CORPUS
from pipeline.models import Corpus, Dataset, Document, Passage, Run
from rarrweb.accounts.models import User
from tests.support.factories import make_user
from tests.support.installation import migrated_sqlite

pytestmark = pytest.mark.django_db

PASSWORD = re.compile(r"\b(?:[a-z2-9]{5}-){2}[a-z2-9]{5}\b")


def demo(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    call_command("demo", *options)
    return capsys.readouterr().out


def passwords(output: str) -> dict[str, str]:
    """User name to password, as a person reads them from the screen."""
    return dict(re.findall(rf"(?m)^\s*(demo-\w+)\s+({PASSWORD.pattern})\s", output))


def may_enter(username: str, password: str) -> bool:
    request = RequestFactory().post("/log-in/")
    return authenticate(request, username=username, password=password) is not None


def rows() -> list[int]:
    return [model.objects.count() for model in (User, Dataset, Passage, Corpus, Document, Run)]


def test_it_makes_data_a_searchable_corpus_and_three_accounts_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output = demo(capsys)
    assert rows() == [3, 1, 30, 1, 57, 0]
    roles = {"demo-admin": "administrator", "demo-researcher": "researcher", "demo-annotator": ""}
    assert dict(User.objects.values_list("username", "role")) == roles
    corpus = Corpus.objects.get()
    assert (corpus.state, corpus.indexed_count, corpus.name) == (Corpus.State.READY, 57, CORPUS)
    ((best, *_),) = TantivyCorpus(index_path(corpus.slug)).search(["Forth Bridge opened"], limit=5)
    assert (best.title, best.url) == ("Forth Bridge", "https://en.wikipedia.org/wiki/Forth_Bridge")
    assert "30 passages with 26 planted errors" in output
    assert f"Log in at {settings.PUBLIC_URL.geturl()}" in output
    displayed = passwords(output)
    assert set(displayed) == set(PEOPLE)
    assert len(set(displayed.values())) == len(PEOPLE)
    output = demo(capsys)
    assert rows() == [3, 1, 30, 1, 57, 0]
    assert "changed nothing" in output
    assert not PASSWORD.search(output)
    assert all(may_enter(*log_in) for log_in in displayed.items())


@pytest.mark.parametrize("options", [(), ("--with-campaigns",)])
def test_an_installation_in_use_is_left_alone(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    make_user("somebody")
    output = demo(capsys, *options)
    assert rows() == [1, 0, 0, 0, 0, 0]
    assert "changed nothing" in output
    assert "--reset-passwords" not in output
    with pytest.raises(CommandError, match="None of the demo's accounts is here") as refused:
        call_command("demo", "--reset-passwords")
    assert refused.value.returncode == 2


def test_it_makes_all_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("annotation.campaigns.demo.import_documents", fail)
    with pytest.raises(OSError, match="No space"):
        make_demo()
    assert rows() == [0, 0, 0, 0, 0, 0]


def test_new_passwords_replace_the_old_ones(capsys: pytest.CaptureFixture[str]) -> None:
    old = passwords(demo(capsys))
    other = make_user("somebody", password="a long test password")
    new = passwords(demo(capsys, "--reset-passwords"))
    assert set(new) == set(old)
    assert not any(may_enter(*log_in) for log_in in old.items())
    assert all(may_enter(*log_in) for log_in in new.items())
    assert may_enter(other.username, "a long test password")


def test_two_campaigns_of_five_wait_for_the_annotator_and_are_made_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    demo(capsys)
    output = demo(capsys, "--with-campaigns")
    made = list(Campaign.objects.order_by("pk"))
    counts = [(each.questionnaire, each.item_count) for each in made]
    assert counts == [("attribution", 5), ("intent", 5)]
    assert "'Demo: is it supported?', 5 items" in output
    annotator = User.objects.get(username="demo-annotator")
    for campaign in made:
        assert isinstance(claim_next(annotator, campaign=campaign), Assignment)
    assert any(item.text != item.second_text for item in made[1].items.all())
    assert demo(capsys, "--with-campaigns") == output
    assert Campaign.objects.count() == 2


def test_no_file_of_the_installation_holds_a_password(tmp_path: Path) -> None:
    """A real installation on disk: database, its journal, index, queue, secret key."""
    stored = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    # ASCII output: a terminal that cannot print a sign must not swallow the passwords.
    environment = {**stored, "RARR_VAR": str(tmp_path), "PYTHONIOENCODING": "ascii"}
    environment["DJANGO_SETTINGS_MODULE"] = "rarrweb.settings"

    def manage(*arguments: str) -> str:
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), *arguments]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=600
        )
        return done.stdout

    (tmp_path / "db.sqlite3").write_bytes(migrated_sqlite())
    displayed = [*passwords(manage("demo")).values()]
    displayed += passwords(manage("demo", "--reset-passwords")).values()
    assert len(displayed) == 6
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "db.sqlite3" for path in files)
    for path in files:
        content = path.read_bytes()
        assert not any(password.encode() in content for password in displayed), path
