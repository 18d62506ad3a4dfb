"""A person's own data: all of it as one file, and its erasure.

`PARTS` says of every table that points at people what a person gets of it; a test holds it to the
tables. Secrets, what is only the lab's, and what would give the check items away stay out.
"""

from collections.abc import Iterator
from typing import NamedTuple

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Model

from annotation.models import (
    Assignment,
    Campaign,
    CampaignInvitation,
    Participant,
    Pause,
    PlatformIdentity,
    TrainingTry,
)
from annotation.raters.consent import erase_work
from annotation.raters.memberships import leave, remove_member
from annotation.raters.participants import end
from pipeline.models import SavedView, Trial
from rarrweb.accounts import audit, people
from rarrweb.accounts.models import User, new_token

CHUNK = 2_000


class Part(NamedTuple):
    """Rows of one table that are a person's."""

    model: str
    person: str
    """The lookup from a row to the person."""
    fields: str
    """What they get of a row."""

    @property
    def name(self) -> str:
        return f"{self.model} by {self.person}" if self.person != "pk" else self.model


_LINK = "id note created_at expires_at accepted_at role"
_MADE = "id created_at"
PARTS = tuple(
    Part(*each)
    for each in (
        ("accounts.User", "pk", "id username first_name last_name email role is_active "
         "date_joined last_login"),
        ("accounts.ApiToken", "user", "name prefix scope created_at expires_at last_used_at "
         "revoked_at"),
        ("mfa.Authenticator", "user", "type created_at last_used_at"),
        ("socialaccount.SocialAccount", "user", "provider uid last_login date_joined"),
        ("account.EmailAddress", "user", "email"),
        ("accounts.Invitation", "created_by", _LINK),
        ("accounts.Invitation", "accepted_by", "accepted_at role"),
        ("admin.LogEntry", "user", "action_time object_repr change_message"),
        ("annotation.Membership", "user", "campaign__slug role created_at"),
        ("annotation.Assignment", "rater", "id campaign__slug item__position claimed_at "
         "submitted_at is_late comment edited_at skipped_at skip_reason skip_note released_at "
         "returned_at return_note active_ms idle_ms clicks keys visits"),
        ("annotation.Assignment", "released_by", "id released_at"),
        ("annotation.Assignment", "returned_by", "id returned_at return_note"),
        ("annotation.Judgment", "assignment__rater", "assignment criterion target value text "
         "guidelines_version updated_at"),
        ("annotation.Adjudication", "adjudicator", "item criterion target value reason updated_at"),
        ("annotation.AdjudicationOpening", "user", "item at"),
        ("annotation.RightAnswer", "given_by", "item criterion target value why updated_at"),
        ("annotation.TrainingTry", "rater", "campaign__slug number started_at finished_at right "
         "judged has_passed answers let_through_at"),
        ("annotation.TrainingTry", "let_through_by", "id let_through_at"),
        ("annotation.Pause", "rater", "campaign__slug since ended_at"),
        ("annotation.Pause", "ended_by", "id ended_at"),
        ("annotation.ConsentAnswer", "rater", "text__campaign__slug text__version text__text "
         "answer at"),
        ("annotation.Participant", "user", "crowd__campaign__slug state entered_at seen_at "
         "ended_at code entries sessions"),
        ("annotation.PlatformIdentity", "participant__user", "platform_id study_id session_id"),
        ("annotation.Thread", "asked_by", "id campaign__slug sentence asked_at closed_at"),
        ("annotation.Message", "author", "thread text written_at"),
        ("annotation.ThreadReading", "user", "thread read_through"),
        ("annotation.GuidelinesReading", "user", "version__campaign__slug version__number read_at"),
        ("annotation.GuidelinesVersion", "created_by", "campaign__slug number note text "
         "created_at"),
        ("annotation.ConsentText", "created_by", "campaign__slug version text created_at"),
        ("annotation.CampaignInvitation", "created_by", f"campaign__slug max_uses {_LINK}"),
        ("annotation.CampaignInvitation", "accepted_by", "campaign__slug accepted_at role"),
        ("annotation.InvitationUse", "user", "invitation__campaign__slug at"),
        ("annotation.Campaign", "created_by", f"slug name {_MADE}"),
        ("annotation.ExportJob", "created_by", f"campaign__slug formats {_MADE}"),
        ("pipeline.Dataset", "created_by", f"slug name description {_MADE}"),
        ("pipeline.Corpus", "created_by", f"slug name description {_MADE}"),
        ("pipeline.Upload", "created_by", f"file_name name description {_MADE}"),
        ("pipeline.Run", "created_by", f"system dataset__slug {_MADE}"),
        ("pipeline.ScoringJob", "created_by", f"run {_MADE}"),
        ("pipeline.SimilarityJob", "created_by", f"subject {_MADE}"),
        ("pipeline.SharedRevision", "shared_by", "revision shows_raters shared_at"),
        ("pipeline.PassageNote", "author", "passage text created_at edited_at"),
        ("pipeline.PassageTag", "added_by", "passage name created_at"),
        ("pipeline.Trial", "owner", "original_text context text sources created_at"),
        ("pipeline.SavedView", "owner", "dataset__slug name query is_shared created_at"),
    )
)  # fmt: skip


def file_of(person: User) -> Iterator[str]:
    """Everything that is the person's, as pieces of one JSON object: part → rows."""
    encode = DjangoJSONEncoder(ensure_ascii=False).encode
    yield "{"
    for number, part in enumerate(PARTS):
        yield f"{',' if number else ''}\n{encode(part.name)}: ["
        for place, row in enumerate(_rows_of(part, person)):
            yield f"{',' if place else ''}\n  {encode(row)}"
        yield "]"
    yield "\n}\n"


def _rows_of(part: Part, person: User) -> Iterator[dict[str, object]]:
    model: type[Model] = apps.get_model(part.model)
    found = model._default_manager.filter(**{part.person: person.pk}).order_by("pk")
    last = None
    while True:  # by key, so that no cursor is left open where a reader goes away
        rows = found if last is None else found.filter(pk__gt=last)
        chunk = list(rows.values("pk", *part.fields.split())[:CHUNK])
        for row in chunk:
            last = row.pop("pk")
            yield row
        if len(chunk) < CHUNK:
            return


@transaction.atomic
def erase(person: User, *, by: User, with_judgments: bool = False) -> None:
    """Take the person out of everything that tells who they are, for good.

    Their judgments stay under a made-up name, so that no figure changes, or go too
    `with_judgments`. Raises `people.NotAllowed` for the last administrator.
    """
    people.forget(person)
    for campaign in Campaign.objects.filter(memberships__user=person).distinct():
        leave(person, campaign)
        for other in campaign.memberships.filter(user=person):
            remove_member(other)
    if with_judgments:
        for campaign in Campaign.objects.filter(items__assignments__rater=person).distinct():
            erase_work(person, campaign)
        TrainingTry.objects.filter(rater=person).delete()
        Pause.objects.filter(rater=person).delete()
    own = Assignment.objects.filter(rater=person)
    own.exclude(comment="", skip_note="").update(comment="", skip_note="")
    person.threads.filter(published_through=None).delete()
    CampaignInvitation.objects.filter(accepted_by=person, max_uses=1).update(note="")
    PlatformIdentity.objects.filter(participant__user=person).delete()
    for part in Participant.objects.filter(user=person):
        end(part, Participant.State.RETURNED)
        part.id_hash, part.session_hash, part.browser_hash = new_token(), "", new_token()
        part.save(update_fields=["id_hash", "session_hash", "browser_hash"])
    Trial.objects.filter(owner=person).delete()
    SavedView.objects.filter(owner=person, is_shared=False).delete()
    audit.record("erased", person, by=by, judgments="deleted" if with_judgments else "kept")
