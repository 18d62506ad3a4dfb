"""Pages of raters: tasks of every questionnaire, lists, training, consent."""

from dataclasses import replace

from annotation.campaigns.lifecycle import close_campaign
from annotation.judging import skips
from annotation.questionnaires import QUESTIONNAIRES
from annotation.questions import rater_questions
from annotation.raters import consent
from rarrweb.accounts.models import User
from tests.browser.every_page.campaigns import CONSENT
from tests.browser.every_page.visit import Visit, visit
from tests.support.campaigns import TEXT, make_campaign, make_judgeable_run
from tests.support.crowds import enter, judge_one, make_crowd, participant_named
from tests.support.factories import make_user
from tests.support.kinds import make_citing_run
from tests.support.reference_answers import claim, judge_next, put_in_use, set_checks

MENU = ".task-head summary"
DIALOGS = {
    "keys": (MENU, "[data-open-dialog=keys-dialog]"),
    "instructions": (".task-head [data-open-dialog=guidelines-dialog]",),
    "a question": (".task-head [data-ask]",),
    "skipping": (MENU, "[data-open-dialog=skip-dialog]"),
    "menu": (MENU,),
}
SENTENCE = {"answered": ("#sentence-1",)}
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


def _tasks(kind: str) -> list[Visit]:
    rater = make_user(f"rater-of-{kind}".replace("_", "-"))
    citing = kind in {"answer_quality", "citation"}
    run = make_citing_run() if citing else make_judgeable_run()
    sides = "both" if kind == "intent" else "after"
    campaign = make_campaign(name=kind, questionnaire=kind, raters=(rater,), sides=sides, run=run)
    new = visit("annotation:task", claim(rater, campaign).pk, who=rater, what=kind)
    clicks = {"submitted too early": ("#submit-form button.primary",)}
    if kind == "attribution":
        clicks |= DIALOGS | SENTENCE
    elif kind != "manual_revision":
        clicks["answered"] = (ANY_CHOICE,)
    visits = [new, *(replace(new, what=f"{kind}, {a}", clicks=b) for a, b in clicks.items())]
    if kind == "manual_revision":
        visits.append(replace(new, what=f"{kind}, revised", fills={"revised": TEXT}))
    return visits


def _options() -> list[Visit]:
    rater = make_user("rater-with-options")
    campaign = make_campaign(name="Options", raters=(rater,), options=["partly", "two_stages"])
    assignment = claim(rater, campaign)
    rater_questions.ask(assignment, text="What is partly?", sentence=0)
    what = "attribution with all options"
    every = visit("annotation:task", assignment.pk, who=rater, what=what)
    return [
        every,
        replace(every, what=f"{every.what}, a question", clicks=DIALOGS["a question"]),
    ]


def _lists() -> list[Visit]:
    rater, idle = make_user("rater-with-items"), make_user("rater-without")
    campaign = make_campaign(name="Lists", passages=4, raters=(rater,))
    done = judge_next(rater, campaign)
    skipped = claim(rater, campaign)
    skips.skip(skipped, reason="upsetting")
    closed = make_campaign(name="Over", raters=(rater,))
    over = claim(rater, closed)
    close_campaign(closed)
    return [
        visit("home", who=rater, what="of a rater"),
        visit("annotation:my-items", who=rater),
        visit("annotation:my-items", who=idle, what="without any"),
        visit("annotation:task", done.pk, who=rater, what="submitted"),
        visit("annotation:task", skipped.pk, who=rater, what="skipped"),
        visit("annotation:task", over.pk, who=rater, what="closed"),
        visit("annotation:next-task", who=idle, what="nothing to judge"),
        visit("annotation:campaigns", who=rater, what="of a rater"),
        visit("annotation:campaign", campaign.slug, who=rater, what="of a rater"),
        visit("annotation:guidelines", campaign.slug, who=rater, what="for a rater"),
        visit("annotation:questions", campaign.slug, who=rater, what="for a rater"),
    ]


def _training() -> list[Visit]:
    rater = make_user("rater-in-training")
    campaign = make_campaign(name="Training", passages=8, raters=(rater,))
    put_in_use(campaign, 1, "training")
    put_in_use(campaign, 2, "training")
    set_checks(campaign, attempts=1)
    first = judge_next(rater, campaign, (0, 1, 0))
    second = claim(rater, campaign)
    return [
        visit("annotation:feedback", first.pk, who=rater),
        visit("annotation:task", second.pk, who=rater, what="training"),
        visit("annotation:training", campaign.slug, who=rater),
    ]


def _consent() -> list[Visit]:
    rater, agreed = make_user("rater-who-is-asked"), make_user("rater-who-agreed")
    campaign = make_campaign(name="Consent", raters=(rater, agreed))
    lea = make_user(role=User.Role.RESEARCHER)
    text = consent.publish(campaign, text=CONSENT, withdrawal="delete", by=lea)
    assert text is not None
    consent.answer(text, user=agreed, answer="agreed")
    return [
        visit("annotation:consent", campaign.slug, who=rater),
        visit("annotation:consent", campaign.slug, who=agreed, what="given"),
        visit("annotation:withdraw-consent", campaign.slug, who=agreed),
    ]


def _participant() -> list[Visit]:
    crowd = make_crowd(make_campaign(name="Crowd", passages=6))
    half_way = enter(crowd)
    judge_one(participant_named(crowd))
    at_the_end = enter(crowd, "done", "another-session")
    done = participant_named(crowd, "done")
    for _ in range(crowd.quota):
        judge_one(done)
    return [
        visit("annotation:study", who=half_way),
        visit("annotation:stop-study", who=half_way),
        visit("annotation:study", who=at_the_end, what="done"),
    ]
