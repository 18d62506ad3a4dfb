"""Objects for every URL, and users in every role."""

import re
from typing import Any

from django.test import Client
from django.utils import timezone

from annotation.guidelines import versions
from annotation.models import Adjudication, Campaign, Membership
from annotation.questions import rater_questions
from annotation.raters import consent, invitations
from annotation.raters.memberships import add_member, leave
from pipeline.data.stored_files import errors_path
from pipeline.engine.configuration import RunConfig
from pipeline.models import Document, PassageNote, Run, Upload
from pipeline.runs.sharing import share_revision
from pipeline.trials.lifecycle import start_trial
from rarrweb.accounts.invitation_links import make_link
from rarrweb.accounts.models import Invitation, User
from rarrweb.accounts.passwords import new_password_link
from rarrweb.accounts.tokens import make_token
from rarrweb.help.documents import screenshots
from tests.support.answer_runs import make_answer_runs
from tests.support.answers import judged_answers
from tests.support.campaigns import make_campaign, make_judgeable_run
from tests.support.crowds import enter, make_crowd, participant_named
from tests.support.factories import make_corpus, make_dataset, make_user
from tests.support.hagrid import make_answers
from tests.support.judged_citations import (
    DECISIONS,
    LEVELS,
    make_answer,
    make_citation_campaign,
    say,
)
from tests.support.reference_answers import claim, judge_next, put_in_use, set_checks
from tests.support.revision_rows import make_viaduct
from tests.support.second_factors import add_second_factor
from tests.support.study import make_study

ROLES = {
    "owner": User.Role.RESEARCHER,
    "researcher": User.Role.RESEARCHER,
    "administrator": User.Role.ADMINISTRATOR,
}
PEOPLE = ("member", "rater", "colleague", "adjudicator", "removed", "rater elsewhere", *ROLES)
"""Roles of people with a password. A member has no part in anything; a colleague judges in the
rater's campaign; a removed one did so. The owner has made all that there is of the lab."""
TRIAL_PAGES = ("trial", "trial-status", "retry-trial", "keep-trial")


class World:
    """A campaign with its people, and another one. See `browser_of` and `address_of`."""

    def __init__(self) -> None:
        self._people = {role: make_user(role, role=ROLES.get(role, "")) for role in PEOPLE}
        self.owner, self.rater = self._people["owner"], self._people["rater"]
        self.colleague, self.removed = self._people["colleague"], self._people["removed"]
        run = make_judgeable_run(
            passages=8, dataset=make_dataset(slug="theirs"), corpus=make_corpus(slug="theirs")
        )
        self.campaign = self._campaign("theirs", run)
        self._other_campaign()
        self._values = self._of_the_lab(run) | self._of_the_campaign()
        self._values |= self._links() | self._figures()

    def browser_of(self, role: str) -> Client:
        browser = Client()
        if role == "participant":
            return enter(self.crowd, "another", "another-session")
        if role == "participant elsewhere":
            return enter(self.other_crowd, "third", "third-session")
        if role != "nobody":
            browser.force_login(self._people[role])
        return browser

    def address_of(self, name: str, pattern: str) -> str:
        """Fill a URL pattern; raises `KeyError` for a new argument: give it a value here."""
        room = pattern.split("/")[1 if pattern.startswith("api/") else 0]

        def value(result: re.Match[str]) -> str:
            keys = (f"{name} {result[1]}", f"{room} {result[1]}")
            key = next((each for each in keys if each in self._values), result[1])
            return str(self._values[key])

        path = re.sub(r"<(?:\w+:)?(\w+)>", value, pattern)
        return f"/{path}{self._values.get(f'{name} ?', '')}"

    def _campaign(self, slug: str, run: Run) -> Campaign:
        raters = (self.rater, self.colleague, self.removed)
        campaign = make_campaign(name=slug, run=run, raters_per_item=2, raters=raters)
        add_member(campaign, user=self._people["adjudicator"], role=Membership.Role.ADJUDICATOR)
        put_in_use(campaign, 1, "training")
        set_checks(campaign)
        text = consent.publish(campaign, text="Agree.", withdrawal="delete", by=self.owner)
        for rater in raters:
            consent.answer(text, user=rater, answer="agreed")
        versions.save_version(
            campaign, text="Judge.", note="", by=self.owner, based_on=campaign.guidelines_version
        )
        campaign.refresh_from_db()
        return campaign

    def _other_campaign(self) -> None:
        elsewhere = self._people["rater elsewhere"]
        other = make_campaign(name="Another", raters=(elsewhere,))
        add_member(other, user=elsewhere, role=Membership.Role.ADJUDICATOR)
        claim(elsewhere, other)
        self.other_crowd = make_crowd(other)

    def _of_the_lab(self, run: Run) -> dict[str, object]:
        self.revision = make_viaduct(run, external_id="viaduct")
        document = Document.objects.create(
            corpus=run.corpus, external_id="d", text="-", content_hash="-"
        )
        upload = Upload.objects.create(
            kind=Upload.Kind.PASSAGES, dataset=run.dataset, file_name="p.csv", stored_name="p.csv"
        )
        errors_path(upload).parent.mkdir(parents=True, exist_ok=True)
        errors_path(upload).write_text("line,problem\n")
        trial = start_trial(owner=self.owner, text="A text.", config=RunConfig())
        add_second_factor(self.owner)
        note = PassageNote.objects.create(
            passage=self.revision.passage, text="-", author=self.owner
        )
        token, _ = make_token(self.owner, name="-", scope="read", days=7)
        rows = {"run": run, "revision": self.revision, "passage": self.revision.passage}
        rows |= {"document": document, "upload": upload, "note": note, "token": token}
        values = {f"{name}_id": row.pk for name, row in {**rows, "user": self.rater}.items()}
        values |= {f"{name}s pk": rows[name].pk for name in ("run", "revision", "upload")}
        values |= {f"pipeline:{name} revision_id": trial.pk for name in TRIAL_PAGES}
        return values | dict.fromkeys(("slug", "datasets slug", "corpora slug"), "theirs")

    def _of_the_campaign(self) -> dict[str, object]:
        trained = judge_next(self.rater, self.campaign)
        begun = claim(self.rater, self.campaign)
        judge_next(self.removed, self.campaign)
        leave(self.removed, self.campaign)
        question = rater_questions.ask(begun, text="Is it?")
        item = begun.item
        # What is up for adjudication, or settled, is all that an adjudicator may open.
        Adjudication.objects.create(
            item=item, criterion="attributable", target=0, value=1, updated_at=timezone.now()
        )
        self.crowd = make_crowd(self.campaign)
        enter(self.crowd)
        participant = participant_named(self.crowd)
        member = self.campaign.memberships.get(user=self.rater)
        rows = {"assignment": begun, "annotation:feedback assignment": trained, "item": item}
        rows |= {"question": question, "membership": member, "participant": participant}
        values: dict[str, object] = {f"{name}_id": row.pk for name, row in rows.items()}
        values |= dict.fromkeys(("campaigns slug", "adjudicate slug"), self.campaign.slug)
        return values | {"number": 1}

    def _links(self) -> dict[str, Any]:
        mine, users_token = make_link(Invitation, created_by=self._people["administrator"], role="")
        one, token = invitations.invite(self.campaign, created_by=self.owner)
        code, password_token = new_password_link(self.colleague)
        shared = share_revision(self.revision, by=self.owner, shows_raters=False)
        tokens = {"accounts:accept-invitation": users_token, "annotation:join": token}
        tokens |= {"accounts:new-password": password_token, "shared-revision": shared.token}
        values = {f"{name} token": each for name, each in tokens.items()}
        values |= {"accounts:new-password user_code": code, "invitation_id": one.pk}
        values["accounts:revoke-invitation invitation_id"] = mine.pk
        return values | {"key": self.crowd.key, "provider_id": "any"}

    def _figures(self) -> dict[str, object]:
        cited = make_citation_campaign(slug="cited")
        say(make_answer(cited), make_user(), DECISIONS, LEVELS)
        quality = judged_answers(slug="quality")
        answers = make_answer_runs("vanilla", "extractive")
        study = make_study("rarr", "efec")
        campaigns = {"statistics": quality, "statistic": quality, "chart": study}
        campaigns["human-vs-automatic"] = cited
        names = {"annotation:chart": "reliability", "pipeline:model": "compact"}
        names |= {"help-document": "campaigns", "joined-script": "judging"}
        values = {f"annotation:{name} slug": each.slug for name, each in campaigns.items()}
        values["pipeline:dataset-statistic slug"] = make_answers(slug="hagrid").slug
        for name in ("annotation:statistic", "pipeline:dataset-statistic"):
            values |= {f"{name} name": "tables", f"{name} form": "csv"}
        values |= {f"{name} name": each for name, each in names.items()}
        values["help-screenshot name"] = next(iter(screenshots()))
        values["pipeline:compare-chart ?"] = f"?run={answers[0].pk}&run={answers[1].pk}"
        values["annotation:joined-chart ?"] = f"?with={study.slug}"
        return values | {"form": "svg", "format_name": "csv"}
