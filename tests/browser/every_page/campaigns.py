"""Pages of researchers and adjudicators."""

from dataclasses import replace

from annotation.adjudication.cases import AdjudicatedAnswer, open_case, save_adjudication
from annotation.campaigns.lifecycle import close_campaign, copy_campaign, make_draft
from annotation.guidelines import versions
from annotation.judging import skips
from annotation.models import Campaign, Crowd, Membership, RaterQuestion
from annotation.questions import rater_questions
from annotation.raters import consent, invitations
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.browser.every_page.visit import Visit, visit
from tests.support.answers import judged_answers
from tests.support.campaigns import make_campaign
from tests.support.crowds import enter, entry, make_crowd
from tests.support.factories import make_user
from tests.support.judged_citations import (
    DECISIONS,
    LEVELS,
    make_answer,
    make_citation_campaign,
    say,
)
from tests.support.reference_answers import claim, judge_next, put_in_use, set_checks
from tests.support.study import make_study

SEND = "main form button.primary"
INSTRUCTIONS = "Judge.\n\n## First\n\n- Read\n- Judge\n\n| a | b |\n|---|---|\n| 1 | 2 |"
CONSENT = "## What this is about\n\nWe study how people read. Taking part is free."


def campaign_visits() -> list[Visit]:
    lea = make_user("lea-who-leads", role=User.Role.RESEARCHER)
    bridges = _judged(lea)
    pilot = make_campaign(name="Pilot", passages=4, pilot_size=2, raters=(make_user(),))
    closed = make_campaign(name="Closed", raters=(make_user(),))
    close_campaign(closed)
    draft = copy_campaign(bridges, created_by=lea)
    runs, kind = bridges.runs.all(), "attribution"
    new = make_draft(
        name="New", created_by=lea, runs=runs, sides="after", raters_per_item=1, questionnaire=kind
    )
    question = _send_question(bridges, lea)
    study = make_study("rarr", "efec", "none", led_by=lea)
    visits = [
        visit("annotation:charts", study.slug),
        _statistics(),
        _citations(lea),
        *_lists(bridges, draft, new),
        *_of_one(bridges),
        *_words(bridges, question),
        *_settling(bridges, lea),
        *_checks(bridges),
        *_way_in(bridges, lea),
        visit("annotation:campaign", pilot.slug, what="a pilot"),
        visit("annotation:campaign", closed.slug, what="closed"),
        visit("annotation:delete-campaign", closed.slug),
        visit("annotation:delete-campaign", bridges.slug, what="that is open"),
        visit("annotation:move-on", pilot.slug, what="after a pilot"),
    ]
    return [
        each if each.who or each.what == "nobody" else replace(each, who=lea) for each in visits
    ]


def _citations(lea: User) -> Visit:
    campaign = make_citation_campaign(slug="cited", name="Cited", created_by=lea)
    say(make_answer(campaign), make_user(), DECISIONS, LEVELS)
    return visit("annotation:results", campaign.slug, what="of citations")


def _statistics() -> Visit:
    campaign = judged_answers(name="Quality", slug="quality")
    return visit("annotation:statistics", campaign.slug)


def _judged(lea: User) -> Campaign:
    raters = (make_user("a-first-rater"), make_user("a-second-rater"))
    campaign = make_campaign(name="Bridges", passages=10, raters_per_item=2, raters=raters)
    add_member(campaign, user=lea, role=Membership.Role.ADJUDICATOR)
    put_in_use(campaign, 1, "training")
    put_in_use(campaign, 2, "gold")
    set_checks(campaign, gold_every=2)
    for rater in raters:
        judge_next(rater, campaign)  # the training
    for _ in range(6):
        first = judge_next(raters[0], campaign, (1, 1, 0))
        judge_next(raters[1], campaign, (1, 0, 0))
    first.comment = "Hard to tell."
    first.save()
    skips.skip(claim(raters[0], campaign), reason="unclear", note="What is a viaduct?")
    claim(raters[0], campaign)
    claim(raters[1], campaign)
    consent.publish(campaign, text=CONSENT, withdrawal="delete", by=lea)
    number = campaign.guidelines_version
    versions.save_version(campaign, text=INSTRUCTIONS, note="Shorter.", by=lea, based_on=number)
    campaign.refresh_from_db()
    return campaign


def _send_question(campaign: Campaign, lea: User) -> RaterQuestion:
    requests = campaign.items.first().assignments.first()
    assert requests is not None
    question = rater_questions.ask(requests, text="Is one source enough?", sentence=0)
    rater_questions.answer(question, by=lea, text="Yes, where it says so.")
    return question


def _lists(bridges: Campaign, draft: Campaign, new: Campaign) -> list[Visit]:
    return [
        visit("annotation:campaigns"),
        visit("new-campaign", query=f"?run={bridges.runs.get().pk}"),
        visit("new-campaign", what="sent empty", clicks=(SEND,)),
        visit("annotation:campaign", draft.slug, what="a draft"),
        visit("annotation:items", draft.slug, what="of a draft"),
        visit("annotation:campaign-settings", draft.slug, what="of a draft"),
        visit("annotation:edit-draft", draft.slug),
        visit("annotation:move-on", draft.slug, what="from a draft"),
        visit("annotation:preview", new.slug),
        visit("home", what="of who leads a campaign"),
    ]


def _of_one(bridges: Campaign) -> list[Visit]:
    slug = bridges.slug
    return [
        visit("annotation:campaign", bridges.slug, what="under way"),
        visit("annotation:work", slug),
        visit("annotation:work", slug, query="?show=skipped", what="skipped"),
        visit("annotation:work", slug, query="?show=submitted", what="submitted"),
        visit("annotation:items", slug),
        visit("annotation:raters", slug),
        visit("annotation:results", slug),
        visit("annotation:charts", slug, what="of what there is"),
        visit("joined-results", what="before any is chosen"),
        visit("joined-results", query=f"?with={slug}"),
        visit("annotation:campaign-settings", slug),
        visit("annotation:reliability", slug),
        visit("annotation:differences", slug),
        visit("annotation:export", slug),
        visit("annotation:import-judgments", slug),
    ]


def _words(bridges: Campaign, question: RaterQuestion) -> list[Visit]:
    slug = bridges.slug
    return [
        visit("annotation:guidelines", slug),
        visit("annotation:edit-guidelines", slug),
        visit(
            "annotation:preview-guidelines",
            slug,
            at="annotation:edit-guidelines",
            what="in the editor",
            fills={"text": "# Another\n\n> An example."},
        ),
        visit("annotation:guidelines-history", slug),
        visit("annotation:guidelines-version", slug, 1),
        visit("annotation:questions", slug),
        visit("annotation:comments", slug),
        visit("annotation:question", question.pk),
    ]


def _settling(bridges: Campaign, lea: User) -> list[Visit]:
    differing = bridges.items.filter(assignments__slot=2).distinct()[:2]
    settled, waiting = differing
    answers = {("attributable", 1): AdjudicatedAnswer(value=1, reason="See evidence 1.")}
    save_adjudication(settled, by=lea, answers=answers, seen=open_case(settled).seen)
    return [
        visit("annotation:adjudications"),
        visit("annotation:adjudications", query=f"?campaign={bridges.slug}", what="of a campaign"),
        visit("annotation:adjudicate", waiting.pk),
        visit("annotation:adjudicate", settled.pk, what="settled"),
    ]


def _checks(bridges: Campaign) -> list[Visit]:
    first, third = bridges.items.get(position=1), bridges.items.get(position=3)
    return [
        visit("annotation:checks", bridges.slug),
        visit("annotation:reference-answers", bridges.slug, first.pk, what="of a training item"),
        visit("annotation:reference-answers", bridges.slug, third.pk),
    ]


def _way_in(bridges: Campaign, lea: User) -> list[Visit]:
    slug = bridges.slug
    _, token = invitations.invite(bridges, created_by=lea, note="For Anna")
    _, shared = invitations.invite(bridges, created_by=lea, max_uses=2)
    crowd = make_crowd(bridges)
    enter(crowd)
    add = "annotation:add-raters"
    return [
        visit("annotation:invitations", slug),
        visit(
            "annotation:invite-list",
            slug,
            at="annotation:invitations",
            what="a name twice",
            fills={"names": "Anna\nAnna"},
            sends="form[action$='/list/'] button.primary",
        ),
        visit(add, slug),
        visit(
            "annotation:add-members",
            slug,
            at=add,
            what="nobody ticked",
            sends="form[action$='/add/'] button.primary",
        ),
        visit(
            "annotation:invite-rater",
            slug,
            at=add,
            what="invited",
            sends="form[action$='/invite/'] button",
        ),
        visit("annotation:edit-consent", slug),
        visit("annotation:crowd", slug),
        visit("annotation:forget-ids", slug),
        visit("annotation:join", token, what="nobody"),
        visit("annotation:join", shared, who=make_user("invited")),
        visit("annotation:join", "nothing", what="unknown link", who=make_user("lost"), status=404),
        *_entries(crowd),
    ]


def _entries(crowd: Crowd) -> list[Visit]:
    return [
        Visit(name="annotation:enter", path=entry(crowd), what="nobody"),
        Visit(name="annotation:enter", path=entry(crowd), who=make_user("somebody")),
        visit("annotation:enter", crowd.key, what="nobody", status=400),
    ]
