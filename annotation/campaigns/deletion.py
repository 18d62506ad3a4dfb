from django.db import transaction
from django.db.models import Count, QuerySet

from annotation.models import Adjudication, Campaign, Judgment
from pipeline.data.deletion import locked_for_deletion
from rarrweb.accounts import audit
from rarrweb.accounts.models import User
from rarrweb.web.deletion import DeletionPreview


def deletion_preview(campaign: Campaign) -> DeletionPreview:
    given = Judgment.objects.filter(assignment__campaign=campaign, value__isnull=False)
    work = given.aggregate(n=Count("pk"), raters=Count("assignment__rater", distinct=True))
    judgments, raters = work["n"], work["raters"]
    people = campaign.memberships.count() + campaign.invitations.count()
    adjudicated = Adjudication.objects.filter(item__campaign=campaign).count()
    of_raters = "1 person" if raters == 1 else f"{raters:,} people"
    lost = (
        ("Items", f"{campaign.items.count():,}"),
        ("Judgments", f"{judgments:,} of {of_raters}" if judgments else "0"),
        ("Adjudicated answers", f"{adjudicated:,}"),
        ("Questions from raters", f"{campaign.rater_questions.count():,}"),
        ("Members and open invitations", f"{people:,}"),
        ("Accounts of a crowd’s participants", f"{_participants_of(campaign).count():,}"),
    )
    refusal = "Raters are judging in it. Close it first." if campaign.is_open else ""
    return DeletionPreview(lost=lost, refusal=refusal, is_work=judgments > 0)


def delete_campaign(campaign: Campaign) -> None:
    """Delete a campaign and its participants' accounts; raises `DeletionRefused`."""
    with transaction.atomic():
        locked = locked_for_deletion(campaign, deletion_preview)
        participants = list(_participants_of(locked).values_list("pk", flat=True))
        audit.record("deleted", locked)
        locked.delete()
        User.objects.filter(pk__in=participants, assignments=None, rater_questions=None).delete()


def _participants_of(campaign: Campaign) -> QuerySet[User]:
    return User.objects.filter(participation__crowd__campaign=campaign)
