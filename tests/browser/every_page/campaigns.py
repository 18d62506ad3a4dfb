"""A campaign for those who lead it and who settle what its raters differ about."""

from django.urls import reverse

from annotation.adjudication.cases import Settled, open_case, settle
from annotation.campaigns.lifecycle import close_campaign, copy_campaign, make_draft
from annotation.guidelines import questions, versions
from annotation.judging import skips
from annotation.models import Campaign, Crowd, Membership, RaterQuestion
from annotation.raters import consent, invitations
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.browser.every_page.visit import Visit
from tests.support.answers import judged_answers
from tests.support.campaigns import make_campaign
from tests.support.crowds import come, entry, make_crowd
from tests.support.factories import make_user
from tests.support.judged_citations import LEVELS, SAID, make_answer, make_citation_campaign, say
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
    new = make_draft(
        name="New", created_by=lea, runs=bridges.runs.all(), sides="after", raters_per_item=1,
        questionnaire="attribution",
    )  # fmt: skip
    question = _asked(bridges, lea)
    study = make_study("rarr", "efec", "none", led_by=lea)
    visits = [
        Visit(name="annotation:charts", path=_page("charts", study.slug)),
        _statistics(),
        _citations(lea),
        *_lists(bridges, draft, new),
        *_of_one(bridges),
        *_words(bridges, question),
        *_settling(bridges, lea),
        *_checks(bridges),
        *_way_in(bridges, lea),
        Visit(name="annotation:campaign", path=pilot.get_absolute_url(), what="a pilot"),
        Visit(name="annotation:campaign", path=closed.get_absolute_url(), what="closed"),
        Visit(name="annotation:delete-campaign", path=_page("delete-campaign", closed.slug)),
        Visit(
            name="annotation:delete-campaign",
            path=_page("delete-campaign", bridges.slug),
            what="that is open",
        ),
        Visit(name="annotation:move-on", path=_page("move-on", pilot.slug), what="after a pilot"),
    ]
    return [
        visit
        if visit.who
        else Visit(
            name=visit.name, path=visit.path, who=None if visit.what == "nobody" else lea,
            what=visit.what, status=visit.status, fills=visit.fills, clicks=visit.clicks,
            leads_on=visit.leads_on,
        )
        for visit in visits
    ]  # fmt: skip


def _citations(lea: User) -> Visit:
    campaign = make_citation_campaign(slug="cited", name="Cited", created_by=lea)
    say(make_answer(campaign), make_user(), SAID, LEVELS)
    return Visit(
        name="annotation:results", path=_page("results", campaign.slug), what="of citations"
    )


def _statistics() -> Visit:
    campaign = judged_answers(name="Quality", slug="quality")
    return Visit(name="annotation:statistics", path=_page("statistics", campaign.slug))


def _page(name: str, *args: object) -> str:
    return reverse(f"annotation:{name}", args=args)


def _judged(lea: User) -> Campaign:
    """Two raters, who differ; one item in hand, one skipped, training and gold, a comment."""
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
    versions.save_version(
        campaign, text=INSTRUCTIONS,
        note="Shorter.", by=lea, based_on=campaign.guidelines_version,
    )  # fmt: skip
    campaign.refresh_from_db()
    return campaign


def _asked(campaign: Campaign, lea: User) -> RaterQuestion:
    asked = campaign.items.first().assignments.first()
    assert asked is not None
    question = questions.ask(asked, text="Is one source enough?", sentence=0)
    questions.answer(question, by=lea, text="Yes, where it says so.")
    return question


def _lists(bridges: Campaign, draft: Campaign, new: Campaign) -> list[Visit]:
    return [
        Visit(name="annotation:campaigns", path="/campaigns/"),
        Visit(name="annotation:new-campaign", path=f"/campaigns/new/?run={bridges.runs.get().pk}"),
        Visit(name="annotation:new-campaign", path="/campaigns/new/", what="sent empty",
              clicks=(SEND,)),
        Visit(name="annotation:campaign", path=draft.get_absolute_url(), what="a draft"),
        Visit(name="annotation:items", path=_page("items", draft.slug), what="of a draft"),
        Visit(name="annotation:campaign-settings", path=_page("campaign-settings", draft.slug),
              what="of a draft"),
        Visit(name="annotation:edit-draft", path=_page("edit-draft", draft.slug)),
        Visit(name="annotation:move-on", path=_page("move-on", draft.slug), what="from a draft"),
        Visit(name="annotation:preview", path=_page("preview", new.slug)),
        Visit(name="home", path="/", what="of who leads a campaign"),
    ]  # fmt: skip


def _of_one(bridges: Campaign) -> list[Visit]:
    slug = bridges.slug
    work = _page("work", slug)
    return [
        Visit(name="annotation:campaign", path=bridges.get_absolute_url(), what="under way"),
        Visit(name="annotation:work", path=work),
        Visit(name="annotation:work", path=f"{work}?show=skipped", what="skipped"),
        Visit(name="annotation:work", path=f"{work}?show=handed-in", what="handed in"),
        Visit(name="annotation:items", path=_page("items", slug)),
        Visit(name="annotation:raters", path=_page("raters", slug)),
        Visit(name="annotation:results", path=_page("results", slug)),
        Visit(name="annotation:charts", path=_page("charts", slug), what="of what there is"),
        Visit(name="annotation:joined-results", path="/results/", what="before any is chosen"),
        Visit(name="annotation:joined-results", path=f"/results/?with={slug}"),
        Visit(name="annotation:campaign-settings", path=_page("campaign-settings", slug)),
        Visit(name="annotation:reliability", path=_page("reliability", slug)),
        Visit(name="annotation:differences", path=_page("differences", slug)),
        Visit(name="annotation:export", path=_page("export", slug)),
    ]  # fmt: skip


def _words(bridges: Campaign, question: RaterQuestion) -> list[Visit]:
    slug = bridges.slug
    return [
        Visit(name="annotation:guidelines", path=_page("guidelines", slug)),
        Visit(name="annotation:edit-guidelines", path=_page("edit-guidelines", slug)),
        Visit(name="annotation:preview-guidelines", path=_page("edit-guidelines", slug),
              what="in the editor", fills={"text": "# Another\n\n> An example."}),
        Visit(name="annotation:guidelines-history", path=_page("guidelines-history", slug)),
        Visit(name="annotation:guidelines-version", path=_page("guidelines-version", slug, 1)),
        Visit(name="annotation:questions", path=_page("questions", slug)),
        Visit(name="annotation:comments", path=_page("comments", slug)),
        Visit(name="annotation:question", path=question.get_absolute_url()),
    ]  # fmt: skip


def _settling(bridges: Campaign, lea: User) -> list[Visit]:
    differing = bridges.items.filter(assignments__slot=2).distinct()[:2]
    settled, waiting = differing
    settle(
        settled, by=lea, answers={("attributable", 1): Settled(value=1, reason="See evidence 1.")},
        seen=open_case(settled).seen,
    )  # fmt: skip
    return [
        Visit(name="annotation:adjudications", path="/adjudicate/"),
        Visit(name="annotation:adjudications", path=f"/adjudicate/?campaign={bridges.slug}",
              what="of a campaign"),
        Visit(name="annotation:adjudicate", path=_page("adjudicate", waiting.pk)),
        Visit(name="annotation:adjudicate", path=_page("adjudicate", settled.pk), what="settled"),
    ]  # fmt: skip


def _checks(bridges: Campaign) -> list[Visit]:
    first, third = bridges.items.get(position=1), bridges.items.get(position=3)
    return [
        Visit(name="annotation:checks", path=_page("checks", bridges.slug)),
        Visit(name="annotation:right-answers", path=_page("right-answers", bridges.slug, first.pk),
              what="of a training item"),
        Visit(name="annotation:right-answers", path=_page("right-answers", bridges.slug, third.pk)),
    ]  # fmt: skip


def _way_in(bridges: Campaign, lea: User) -> list[Visit]:
    slug = bridges.slug
    _, token = invitations.invite(bridges, created_by=lea, note="For Anna")
    _, shared = invitations.invite(bridges, created_by=lea, max_uses=2)
    crowd = make_crowd(bridges)
    come(crowd)
    links = _page("invitations", slug)
    return [
        Visit(name="annotation:invitations", path=links),
        Visit(name="annotation:invite-list", path=links, what="a name twice",
              fills={"names": "Anna\nAnna"}, clicks=("form[action$='/list/'] button.primary",),
              leads_on=True),
        Visit(name="annotation:add-raters", path=_page("add-raters", slug)),
        Visit(name="annotation:add-members", path=_page("add-raters", slug), what="nobody ticked",
              clicks=("form[action$='/add/'] button.primary",), leads_on=True),
        Visit(name="annotation:invite-rater", path=_page("add-raters", slug), what="invited",
              clicks=("form[action$='/invite/'] button",), leads_on=True),
        Visit(name="annotation:edit-consent", path=_page("edit-consent", slug)),
        Visit(name="annotation:crowd", path=_page("crowd", slug)),
        Visit(name="annotation:forget-ids", path=_page("forget-ids", slug)),
        Visit(name="annotation:join", path=_page("join", token), what="nobody"),
        Visit(name="annotation:join", path=_page("join", shared), who=make_user("invited")),
        Visit(name="annotation:join", path=_page("join", "nothing"), what="unknown link",
              who=make_user("lost"), status=404),
        *_entries(crowd),
    ]  # fmt: skip


def _entries(crowd: Crowd) -> list[Visit]:
    return [
        Visit(name="annotation:enter", path=entry(crowd), what="nobody"),
        Visit(name="annotation:enter", path=entry(crowd), who=make_user("somebody")),
        Visit(name="annotation:enter", path=_page("enter", crowd.key), what="nobody", status=400),
    ]
