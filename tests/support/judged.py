"""Judged campaigns of every questionnaire."""

from django.core.management.color import no_style
from django.db import connection

from annotation.exporting import FORMATS, load_format
from annotation.judging.answers import Comment, save_judgments
from annotation.judging.claims import claim_next
from annotation.judging.skips import skip
from annotation.models import Assignment, Campaign, Item
from annotation.quality_control.reference_answers import Right, checkable, use_item
from annotation.questionnaires import QUESTIONNAIRES, questionnaire_of
from rarrweb.accounts.models import User
from tests.support.campaigns import hand_in, make_campaign
from tests.support.crowds import enter, make_crowd, participant_named
from tests.support.exports import adjudicate
from tests.support.factories import make_user
from tests.support.kinds import assignment_of, everything

EXPORTS = {
    kind: [
        name for name in FORMATS if not load_format(name).kinds or kind in load_format(name).kinds
    ]
    for kind in QUESTIONNAIRES
}
"""The formats that a campaign of each kind leaves in."""
IDS = ("70617274696369706e742d31", "7374756479", "73657373696f6e2d31")
"""Of a crowd's participant and session."""
EMAIL = "olga.petrova@university.example"


def judged(kind: str, *, sides: str = "after", **values: dict[int, int]) -> Campaign:
    """A campaign whose rater gave the highest level except for `values`."""
    assignment = assignment_of(kind, make_user(), sides=sides)
    highest = everything(assignment)
    others = {(name, target): value for name in values for target, value in values[name].items()}
    hand_in(assignment, highest | others)
    return assignment.item.campaign


def judged_campaign(questionnaire: str) -> tuple[Campaign, list[User]]:
    """Items judged by two accounts and a participant, adjudicated, and skipped."""
    _fill_accounts()
    raters = [make_user(name) for name in ("olga.petrova", "pseudo+nymous@home")]
    User.objects.filter(pk__in=[each.pk for each in raters]).update(
        email=EMAIL, first_name="Olga", last_name="Petrova"
    )
    campaign = make_campaign(
        passages=3,
        questionnaire=questionnaire,
        sides="pair" if questionnaire == "intent" else "after",
        raters_per_item=3,
        raters=tuple(raters),
    )
    crowd = make_crowd(campaign)
    enter(crowd, IDS[0], session=IDS[2])
    raters.append(participant_named(crowd, IDS[0]).user)
    for position, rater in enumerate(raters):
        while isinstance(claimed := claim_next(rater, campaign=campaign), Assignment):
            if claimed.item.position == campaign.item_count:
                skip(claimed, reason="other", note="I would rather not.")
            else:
                _judge(claimed, shift=position)
    first = Item.objects.filter(campaign=campaign).earliest("position")
    criterion = questionnaire_of(campaign).criteria[0]
    adjudicate(first, 0, criterion.levels[0].value, criterion.name)
    first.adjudications.update(adjudicator=make_user("adele.judge", role=User.Role.RESEARCHER))
    for criterion in checkable(campaign)[:1]:
        target = (criterion.name, criterion.required_targets(first)[0])
        right = {target: Right(value=criterion.levels[0].value)}
        use_item(first, use="gold", answers=right, by=make_user("adele.gold", role="researcher"))
        gold = Assignment.objects.filter(item=first, rater=raters[0])
        gold.update(slot=None, purpose=Item.Use.GOLD)
    return campaign, raters


def _fill_accounts() -> None:
    """Make account ids different from other numbers in exported files."""
    User.objects.create(pk=918_273_641, username="placeholder-account")
    # PostgreSQL counts on from its own sequence, which knows nothing of that row.
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), [User]):
            cursor.execute(sql)


def _judge(assignment: Assignment, *, shift: int) -> None:
    item = assignment.item
    values = {
        (criterion.name, target): criterion.levels[shift % len(criterion.levels)].value
        for criterion in questionnaire_of(item.campaign).criteria
        for target in criterion.required_targets(item)
    }
    save_judgments(assignment, [], comment=Comment(text="A remark.", sequence=1))
    hand_in(assignment, values, text=f"{item.text} Changed.")
