"""What raters see: the task page of every questionnaire, their lists, training, consent."""

from django.urls import reverse

from annotation.campaigns.lifecycle import close_campaign
from annotation.guidelines import questions
from annotation.judging import skips
from annotation.questionnaires import QUESTIONNAIRES
from annotation.raters import consent
from rarrweb.accounts.models import User
from tests.annotation.questionnaires.test_kinds import make_citing_run
from tests.browser.every_page.campaigns import CONSENT
from tests.browser.every_page.visit import Visit
from tests.support.campaigns import TEXT, make_campaign, make_judgeable_run
from tests.support.crowds import come, judge_one, make_crowd, participant_named
from tests.support.factories import make_user
from tests.support.reference_answers import claim, judge_next, put_in_use, set_checks

DIALOGS = {
    "keys": "[data-open-dialog=keys-dialog]",
    "instructions": ".task-links [data-open-dialog=guidelines-dialog]",
    "a question": ".task-links [data-ask]",
    "skipping": "[data-open-dialog=skip-dialog]",
}
SENTENCE = {"answered": "#sentence-1"}
ANY_CHOICE = "[role=radio]:visible, label:has(> input[type=radio]):visible, .choices button:visible"


def rater_visits() -> list[Visit]:
    return [
        *[visit for kind in QUESTIONNAIRES for visit in _tasks(kind)],
        *_options(),
        *_lists(),
        *_training(),
        *_consent(),
        *_participant(),
    ]


def _page(name: str, *args: object) -> str:
    return reverse(f"annotation:{name}", args=args)


def _tasks(kind: str) -> list[Visit]:
    """A new item and one that is handed in without all answers."""
    rater = make_user(f"rater-of-{kind}".replace("_", "-"))
    citing = kind in {"answer_quality", "citation"}
    campaign = make_campaign(
        name=kind, questionnaire=kind, raters=(rater,),
        sides="both" if kind == "intent" else "after",
        run=make_citing_run() if citing else make_judgeable_run(),
    )  # fmt: skip
    path = claim(rater, campaign).get_absolute_url()
    task = "annotation:task"
    found = [
        Visit(name=task, path=path, who=rater, what=kind),
        Visit(name=task, path=path, who=rater, what=f"{kind}, handed in too early",
              clicks=("#hand-in button.primary",)),
    ]  # fmt: skip
    if kind == "attribution":
        more = DIALOGS | SENTENCE
        found += [
            Visit(name=task, path=path, who=rater, what=f"{kind}, {what}", clicks=(click,))
            for what, click in more.items()
        ]
    elif kind == "manual_revision":
        found.append(
            Visit(name=task, path=path, who=rater, what=f"{kind}, revised",
                  fills={"revised": TEXT})
        )  # fmt: skip
    else:
        found.append(
            Visit(name=task, path=path, who=rater, what=f"{kind}, answered", clicks=(ANY_CHOICE,))
        )
    return found


def _options() -> list[Visit]:
    """The attribution page with all that a campaign can add to it."""
    rater = make_user("rater-with-options")
    campaign = make_campaign(name="Options", raters=(rater,), options=["partly", "two_stages"])
    assignment = claim(rater, campaign)
    questions.ask(assignment, text="What is partly?", sentence=0)
    return [
        Visit(name="annotation:task", path=assignment.get_absolute_url(), who=rater,
              what="attribution with all options"),
        Visit(name="annotation:task", path=assignment.get_absolute_url(), who=rater,
              what="attribution with all options, a question", clicks=(DIALOGS["a question"],)),
    ]  # fmt: skip


def _lists() -> list[Visit]:
    rater, idle = make_user("rater-with-items"), make_user("rater-without")
    campaign = make_campaign(name="Lists", passages=4, raters=(rater,))
    done = judge_next(rater, campaign)
    skipped = claim(rater, campaign)
    skips.skip(skipped, reason="unclear")
    closed = make_campaign(name="Over", raters=(rater,))
    over = claim(rater, closed)
    close_campaign(closed)
    return [
        Visit(name="home", path="/", who=rater, what="of a rater"),
        Visit(name="annotation:own-items", path="/tasks/", who=rater),
        Visit(name="annotation:own-items", path="/tasks/", who=idle, what="without any"),
        Visit(name="annotation:task", path=done.get_absolute_url(), who=rater, what="handed in"),
        Visit(name="annotation:task", path=skipped.get_absolute_url(), who=rater, what="skipped"),
        Visit(name="annotation:task", path=over.get_absolute_url(), who=rater, what="closed"),
        Visit(name="annotation:next-task", path="/tasks/next/", who=idle, what="nothing to judge"),
        Visit(name="annotation:campaigns", path="/campaigns/", who=rater, what="of a rater"),
        Visit(name="annotation:campaign", path=campaign.get_absolute_url(), who=rater,
              what="of a rater"),
        Visit(name="annotation:guidelines", path=_page("guidelines", campaign.slug), who=rater,
              what="for a rater"),
        Visit(name="annotation:questions", path=_page("questions", campaign.slug), who=rater,
              what="for a rater"),
    ]  # fmt: skip


def _training() -> list[Visit]:
    rater = make_user("rater-in-training")
    campaign = make_campaign(name="Training", passages=8, raters=(rater,))
    put_in_use(campaign, 1, "training")
    put_in_use(campaign, 2, "training")
    set_checks(campaign)
    first = judge_next(rater, campaign, (0, 1, 0))
    second = claim(rater, campaign)
    return [
        Visit(name="annotation:feedback", path=_page("feedback", first.pk), who=rater),
        Visit(name="annotation:task", path=second.get_absolute_url(), who=rater, what="training"),
        Visit(name="annotation:training", path=_page("training", campaign.slug), who=rater),
    ]


def _consent() -> list[Visit]:
    rater, agreed = make_user("rater-who-is-asked"), make_user("rater-who-agreed")
    campaign = make_campaign(name="Consent", raters=(rater, agreed))
    lea = make_user(role=User.Role.RESEARCHER)
    text = consent.publish(campaign, text=CONSENT, withdrawal="delete", by=lea)
    assert text is not None
    consent.answer(text, user=agreed, answer="agreed")
    return [
        Visit(name="annotation:consent", path=_page("consent", campaign.slug), who=rater),
        Visit(name="annotation:consent", path=_page("consent", campaign.slug), who=agreed,
              what="given"),
        Visit(name="annotation:withdraw-consent", path=_page("withdraw-consent", campaign.slug),
              who=agreed),
    ]  # fmt: skip


def _participant() -> list[Visit]:
    """Somebody of a crowd platform, half-way and at the end."""
    crowd = make_crowd(make_campaign(name="Crowd", passages=6))
    half_way = come(crowd)
    judge_one(participant_named(crowd))
    at_the_end = come(crowd, "done", "another-session")
    done = participant_named(crowd, "done")
    for _ in range(crowd.quota):
        judge_one(done)
    return [
        Visit(name="annotation:study", path="/study/", who=half_way),
        Visit(name="annotation:stop-study", path="/study/stop/", who=half_way),
        Visit(name="annotation:study", path="/study/", who=at_the_end, what="done"),
    ]
