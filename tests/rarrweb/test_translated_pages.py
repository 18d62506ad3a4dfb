"""In a language that marks every text, nothing that a rater sees stands outside the marks."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.template.loader import render_to_string
from django.test import Client
from django.test.signals import template_rendered
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone
from django.utils.translation import override

from annotation import asking, consent, guidelines, joining, skipping
from annotation.campaigns import add_member, close_campaign, make_draft
from annotation.exporting import FORMATS
from annotation.models import Assignment, Item, Membership, Participant
from rarrweb.accounts.models import LogInFailure, User
from tests.annotation.checking import claim, judge, judge_next, put_in_use, set_checks
from tests.annotation.crowds import come, entry, make_crowd, participant_named
from tests.annotation.factories import make_campaign, make_judgeable_run
from tests.browser.every_page import Visit, visits
from tests.factories import make_passage, make_revision, make_user
from tests.marked_language import in_another_alphabet, in_marked_words, outside, unmarked
from tests.rarrweb.sources import ROOT, TEMPLATES

__all__ = ["in_marked_words"]  # a fixture

pytestmark = pytest.mark.django_db

FOR_RESEARCHERS = {
    "annotation": {
        "_allocated", "_from_runs", "_mean", "_once", "_result_head",
        "_result_rows", "_runs", "_said", "_set_up", "_strata", "results",
        "_campaign_rarely", "_draft", "_drawn", "_export", "_figure", "_figures", "_invite",
        "_items", "_outlook", "_phases", "_raters", "_raters_each", "_reliability", "_result",
        "_share", "_tick", "_work_actions", "_work_when", "campaign", "consent_edit",
        "differences", "edit_draft", "export",
        "invitations", "invitations_made", "move_on", "new_campaign", "reliability", "work",
        "crowd/crowd", "crowd/forget", "checks/_items", "checks/_line",
        "checks/_raters", "checks/_waiting", "checks/overview", "checks/right_answers",
        "guidelines/_preview", "guidelines/edit", "questions/_leading",
        "questions/comments",
    },
    "admin": {"base_site"},
}  # fmt: skip
"""Pages and parts that no rater sees, by name: they may stay in English. All of pipeline/ too."""
NEVER_SHOWN = {"annotation/judging/plain.html"}
"""The page of a questionnaire that brings none; test_marked_sources.py reads it all the same."""
PIECES = "pipeline/_pieces.html"
"""Shown to raters too: words that changed, which are data."""


def templates_of_raters() -> set[str]:
    ours = {path.relative_to(ROOT / "templates").as_posix() for path in TEMPLATES}
    theirs = {f"{room}/{name}.html" for room, names in FOR_RESEARCHERS.items() for name in names}
    assert theirs <= ours, "a name that is no template any more"
    return {name for name in ours - theirs if not name.startswith("pipeline/")} | {PIECES}


@contextmanager
def templates_seen() -> Iterator[set[str]]:
    seen: set[str] = set()

    def note(template: Any, **_values: Any) -> None:
        if template.name:
            seen.add(template.name)

    template_rendered.connect(note)
    yield seen
    template_rendered.disconnect(note)


def browser_of(who: User | Client | None) -> Client:
    if isinstance(who, Client):
        return who
    client = Client()
    if who is not None:
        client.force_login(who)
    return client


def is_for_raters(visit: Visit) -> bool:
    leads = isinstance(visit.who, User) and bool(visit.who.role)
    return not leads or visit.name.startswith(("accounts:", "error"))


def words_outside(client: Client, path: str, *, status: int = 200, **data: str) -> list[str]:
    """What stands outside the marks on the page that comes in the end."""
    if data:
        answer = client.post(path, {} if data == {"nothing": ""} else data, follow=True)
    else:
        answer = client.get(path, follow=True)
    assert answer.status_code == status, (path, answer.status_code)
    if not answer.headers["Content-Type"].startswith("text/html"):
        return []
    return unmarked(answer.content.decode())


def test_every_page_that_the_walk_of_all_pages_knows(in_marked_words: None) -> None:
    """With a rater's own pages it shows every template that is not named as a researcher's."""
    with override("en"):
        their_visits = [visit for visit in visits() if is_for_raters(visit)]
        world = World()
        in_another_alphabet()
    assert len(their_visits) > 60
    with templates_seen() as seen:
        found = {
            str(visit): words_outside(browser_of(visit.who), visit.path, status=visit.status)
            for visit in their_visits
        }
        for path in world.pages():
            found[path] = words_outside(browser_of(world.anna), path)
        for path in world.pages_of_an_adjudicator():
            found[path] = words_outside(browser_of(world.ada), path)
        administrator = make_user("администратор", role=User.Role.ADMINISTRATOR)
        invitation = {"role": "researcher", "note": "", "days": "7"}
        words = words_outside(browser_of(administrator), "/people/invite/", **invitation)
        found["an invitation"] = words
        for name in ("400", "403", "403_csrf", "404", "500"):
            render_to_string(f"{name}.html")
    assert {visit: words for visit, words in found.items() if words} == {}
    assert sorted(templates_of_raters() - seen) == sorted(NEVER_SHOWN)


class World:
    """A rater's campaigns in every state that a page can tell of."""

    def __init__(self) -> None:
        self.lea = make_user("lea-here", role=User.Role.RESEARCHER)
        self.anna, self.ben = make_user("anna-here"), make_user("ben-here")
        self.campaign = make_campaign(
            passages=12, raters=(self.anna, self.ben), raters_per_item=2, name="Bridges"
        )
        self.done = [judge_next(self.anna, self.campaign, (1, 0, 1)) for _ in range(4)]
        self.skipped = claim(self.anna, self.campaign)
        skipping.skip(self.skipped, reason="known", note="Mine.")
        self.task = claim(self.anna, self.campaign)
        self.thread = asking.ask(self.task, text="Is one enough?", sentence=0)
        asking.reply(self.thread, by=self.lea, text="It is.")
        others = asking.ask(claim(self.ben, self.campaign), text="And who says so?", sentence=None)
        asking.reply(others, by=self.lea, text="You do.")
        asking.publish(others)
        guidelines.save_version(
            self.campaign, text="Another text.", note="Shorter.", by=self.lea,
            based_on=self.campaign.guidelines_version,
        )  # fmt: skip
        self.back = self.done[0]
        Assignment.objects.filter(pk=self.back.pk).update(
            returned_at=timezone.now(), submitted_at=None
        )
        Assignment.objects.filter(pk=self.done[1].pk).update(
            released_at=timezone.now(), submitted_at=None, slot=None, is_late=True
        )
        Assignment.objects.filter(pk=self.done[2].pk).update(edited_at=timezone.now())

        self.ada = make_user("ada-here")
        self.differing = make_campaign(
            passages=1, raters=(self.anna, self.ben), raters_per_item=2, name="Differing"
        )
        add_member(self.differing, user=self.ada, role=Membership.Role.ADJUDICATOR)
        judge_next(self.anna, self.differing, (1, 1, 1))
        guidelines.save_version(
            self.differing, text="Another text.", note="Shorter.", by=self.lea, based_on=1
        )
        judge_next(self.ben, self.differing, (1, 0, 1))

    def pages(self) -> list[str]:
        """Some of the rater's that the walk does not have."""
        task, instructions = self.task.get_absolute_url(), f"/campaigns/{self.campaign.slug}"
        return [
            *(task, f"{task}questions/", self.thread.get_absolute_url()),
            *(f"{instructions}/guidelines/{which}/" for which in ("history", "1", "2")),
        ]

    def pages_of_an_adjudicator(self) -> list[str]:
        item = self.differing.items.get()
        queue = f"/adjudicate/?campaign={self.differing.slug}"
        return ["/adjudicate/", queue, f"{queue}&show=settled", f"/adjudicate/{item.pk}/"]

    def addresses(self) -> Iterator[tuple[str, str]]:
        """Name and path of every address of the site, with what is hers where it asks for it."""
        samples = {
            "slug": self.campaign.slug, "assignment_id": self.task.pk, "number": 1,
            "thread_id": self.thread.pk, "item_id": self.task.item_id, "token": "none",
            "message_id": 1, "membership_id": 1, "invitation_id": 1, "participant_id": 1,
            "user_id": self.anna.pk, "key": "none", "user_code": "x", "language": "xx",
            "version": "0", "revision_id": 1, "run_id": 1, "corpus_id": 1, "dataset_id": 1,
        }  # fmt: skip
        for name, converters in patterns(get_resolver()):
            values = {key: samples.get(key, "1") for key in converters}
            yield name, reverse(name, kwargs=values)


def patterns(resolver: URLResolver, namespace: str = "") -> Iterator[tuple[str, list[str]]]:
    """Every address of ours: its name, and what it asks for."""
    for each in resolver.url_patterns:
        if isinstance(each, URLResolver):
            if each.namespace != "admin":
                yield from patterns(
                    each, f"{namespace}{each.namespace}:" if each.namespace else namespace
                )
        elif isinstance(each, URLPattern):
            yield f"{namespace}{each.name}", list(each.pattern.converters)


@pytest.mark.parametrize("who", ["rater", "nobody", "participant", "adjudicator"])
def test_every_address_of_the_site_whoever_opens_it(in_marked_words: None, who: str) -> None:
    with override("en"):
        world = World()
        if who == "participant":
            client = come(make_crowd(world.campaign))
        else:
            client = browser_of(world.anna if who == "rater" else None)
        if who == "adjudicator":
            _, token = joining.invite(
                world.campaign, created_by=world.lea, note="", role="adjudicator"
            )
            client = browser_of(make_user("ada"))
            client.post(reverse("annotation:join", args=[token]))
        in_another_alphabet()
    found = {}
    for name, path in world.addresses():
        answer = client.get(path)
        if answer.headers.get("Content-Type", "").startswith("text/html") and answer.content:
            found[name] = unmarked(answer.content.decode())
    assert {name: words for name, words in found.items() if words} == {}
    assert len(found) > (4 if who == "nobody" else 20)


def test_what_a_rater_is_told_in_every_state(in_marked_words: None) -> None:
    with override("en"):
        world = World()
        in_another_alphabet()
    anna, task = browser_of(world.anna), world.task.get_absolute_url()
    slug = world.campaign.slug
    items = [each.get_absolute_url() for each in [*world.done, world.skipped, world.task]]
    found = {path: words_outside(anna, path) for path in [*items, "/", "/campaigns/", "/tasks/"]}
    said = {
        f"{task}submit/": {"nothing": ""},
        f"{task}skip/": {"nothing": ""},
        f"{task}skip/?": {"reason": "other"},
        f"{task}ask/": {"text": ""},
        f"{task}ask/?": {"text": "Why?", "sentence": "99"},
        f"{task}ask/??": {"text": "Why?", "sentence": "x"},
        f"/questions/{world.thread.pk}/reply/": {"text": "х" * 5001},
        f"/campaigns/{slug}/guidelines/2/read/": {"nothing": ""},
        f"{world.skipped.get_absolute_url()}take-back-skip/": {"nothing": ""},
        f"{world.done[3].get_absolute_url()}skip/": {"reason": "known"},
    }
    found |= {path: words_outside(anna, path.rstrip("?"), **data) for path, data in said.items()}
    beside = anna.get(f"{task}questions/").content.decode()
    found["beside"] = unmarked(beside)
    assert "⟦Your question to the researchers⟧" in beside
    with override("en"):
        close_campaign(world.campaign)
    found |= {f"{path} closed": words_outside(anna, path) for path in [*items, "/tasks/next/"]}
    found["late skip"] = words_outside(anna, f"{task}skip/", reason="known")
    found["late question"] = words_outside(anna, f"{task}ask/", text="Still?")
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize("right", [True, False])
def test_what_a_rater_in_training_is_told(in_marked_words: None, right: bool) -> None:
    with override("en"):
        rater = make_user("in-training")
        campaign = make_campaign(name="Training", passages=6, raters=(rater,))
        for position in (1, 2):
            put_in_use(campaign, position, "training")
        set_checks(campaign, tries=2)
        in_another_alphabet()
    client, address = browser_of(rater), f"/campaigns/{campaign.slug}/training/"
    found = []
    for _ in range(2):  # a second try, where the first one failed
        for _ in range(2):
            found += words_outside(client, "/tasks/next/")
            assignment = claim(rater, campaign)
            if assignment.purpose != Item.Use.TRAINING:
                continue
            judge(assignment, (1, 1, 0) if right else (0, 0, 1))
            found += words_outside(client, f"/tasks/{assignment.pk}/feedback/")
        found += words_outside(client, address) + words_outside(client, campaign.get_absolute_url())
        found += words_outside(client, f"{address}again/", nothing="")
    assert found == []


def test_what_somebody_of_a_crowd_is_told(in_marked_words: None) -> None:
    with override("en"):
        campaign = make_campaign(name="Crowd", passages=6)
        crowd = make_crowd(campaign)
        consent.publish(campaign, text="Read this.", withdrawal="keep", by=campaign.created_by)
        clients = {state: come(crowd, state, state) for state in Participant.State}
        for state in Participant.State:
            participant = participant_named(crowd, state)
            participant.state, participant.code = state, "0" if state != "declined" else ""
            participant.save()
        in_another_alphabet()
    found = [word for each in clients.values() for word in words_outside(each, "/study/")]
    for values in ({"completion_code": ""}, {"back_url": ""}, {"completion_code": "1"}):
        for name, value in values.items():
            setattr(crowd, name, value)
        crowd.save()
        found += words_outside(Client(), entry(crowd, "new", "new"))
    for why in ("full", "closed", "wait", "done", "ids"):
        context = {"why": why, "minutes": 2, "message": "0"}
        found += unmarked(render_to_string("annotation/crowd/not_open.html", context))
    found += words_outside(Client(), f"/enter/{crowd.key}/?PROLIFIC_PID=%7B%7Bx%7D%7D", status=400)
    assert found == []


def test_a_folded_stretch_and_a_draft(in_marked_words: None) -> None:
    with override("en"):
        rater = make_user("anna")
        run = make_judgeable_run(passages=0)
        same = " ".join(f"Мост {number} стар." for number in range(6))
        passage = make_passage(run.dataset, text=f"{same} Он с 1934.", context="")
        make_revision(
            run, passage=passage, state="done", text=f"{same} Он с 1932.", is_changed=True,
            result={"report": {"evidence": []}},
        )  # fmt: skip
        pair = make_campaign(questionnaire="intent", run=run, sides="pair", raters=(rater,))
        lone = make_campaign(run=run, raters=(rater,))
        paths = [claim(rater, each).get_absolute_url() for each in (pair, lone)]
        lea = make_user("lea", role=User.Role.RESEARCHER)
        draft = make_draft(
            name="New", created_by=lea, runs=[run], sides="after", raters_per_item=1,
            questionnaire="attribution",
        )  # fmt: skip
        in_another_alphabet()
    found = [word for path in paths for word in words_outside(browser_of(rater), path)]
    found += words_outside(browser_of(lea), f"/campaigns/{draft.slug}/preview/")
    assert found == []


def test_what_a_log_in_and_a_wrong_password_are_told(in_marked_words: None) -> None:
    make_user("анна")
    client = Client()
    wrong = {"username": "анна", "password": "не тот пароль"}
    found = words_outside(client, "/log-in/", **wrong)
    for _ in range(10):
        client.post("/log-in/", wrong)
    answer = client.post("/log-in/", wrong)
    assert answer.status_code == 429
    found += unmarked(answer.content.decode())
    LogInFailure.objects.all().delete()
    client = browser_of(User.objects.get())
    short = {"old_password": "-", "new_password1": "а", "new_password2": "б"}
    found += words_outside(client, "/account/", **short)
    for name in ("400", "403", "403_csrf", "404", "500"):
        found += unmarked(render_to_string(f"{name}.html"))
    assert found == []


def test_a_refusal_of_the_api_is_told_in_words_and_its_values_stay(in_marked_words: None) -> None:
    with override("en"):
        rater = make_user("anna")
        campaign = make_campaign(raters=(rater,))
        task = claim(rater, campaign)
    client, path = browser_of(rater), f"/api/tasks/{task.pk}/judgments/"
    answer = {"criterion": "attributable", "target": 0, "value": 1, "sequence": 1}
    saved = client.put(path, answer, content_type="application/json").json()
    assert "⟦" not in json.dumps(saved, ensure_ascii=False)
    assert saved["judgments"][0]["criterion"] == "attributable"
    close_campaign(campaign)
    refused = client.put(path, answer, content_type="application/json")
    assert refused.status_code == 409
    assert refused.json()["error"] == "CampaignClosed"
    assert outside(refused.json()["message"]) == []


def test_no_export_changes_with_the_language(in_marked_words: None, tmp_path: Path) -> None:
    with override("en"):
        world = World()
    files: dict[str, list[object]] = {}
    for name in FORMATS:
        for language in ("en", "xx"):
            out = tmp_path / f"{name}.{language}"
            with override(language):
                try:
                    call_command("export", campaign=world.campaign.slug, format=name, out=out)
                except Exception as error:  # noqa: BLE001 - this campaign does not suit the format
                    files.setdefault(name, []).append(type(error))
                    continue
            manifest = json.loads(Path(f"{out}.manifest.json").read_text())
            for changing in ("exported_at", "file"):
                del manifest[changing]
            files.setdefault(name, []).append((out.read_bytes(), manifest))
    for name, (english, marked) in files.items():
        assert english == marked, name
    written = [made for made in files.values() if isinstance(made[0], tuple)]
    assert len(written) >= 3
    assert "⟦" not in str(written)
