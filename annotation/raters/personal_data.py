from django.db import transaction

from annotation.models import (
    Assignment,
    Campaign,
    CampaignInvitation,
    Participant,
    Pause,
    PlatformIdentity,
    TrainingAttempt,
)
from annotation.raters.consent import erase_work
from annotation.raters.memberships import leave, remove_member
from annotation.raters.participants import finish
from pipeline.models import Dataset
from pipeline.trials.lifecycle import delete_trials
from rarrweb.accounts import audit, people
from rarrweb.accounts.models import User, new_token


@transaction.atomic
def erase(person: User, *, by: User, with_judgments: bool = False) -> None:
    """Delete everything that identifies the person.

    Judgments stay under a pseudonym, or go too `with_judgments`. Raises `people.NotAllowed` for the
    last administrator.
    """
    people.forget(person)
    for campaign in Campaign.objects.filter(memberships__user=person).distinct():
        leave(person, campaign)
        for other in campaign.memberships.filter(user=person):
            remove_member(other)
    if with_judgments:
        for campaign in Campaign.objects.filter(items__assignments__rater=person).distinct():
            erase_work(person, campaign)
        TrainingAttempt.objects.filter(rater=person).delete()
        Pause.objects.filter(rater=person).delete()
    assignments = Assignment.objects.filter(rater=person)
    assignments.exclude(comment="", skip_note="").update(comment="", skip_note="")
    person.rater_questions.all().delete()
    CampaignInvitation.objects.filter(accepted_by=person, max_uses=1).update(note="")
    PlatformIdentity.objects.filter(participant__user=person).delete()
    for part in Participant.objects.filter(user=person):
        finish(part, Participant.State.RETURNED)
        part.id_hash = new_token()
        part.save(update_fields=["id_hash"])
    delete_trials(Dataset.objects.filter(trial_owner=person))
    audit.record("erased", person, by=by, judgments="deleted" if with_judgments else "kept")
