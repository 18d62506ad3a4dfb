"""The pages on which differences are adjudicated: who may, and what they see."""

import re

import pytest
from django.test import Client

from annotation.adjudication.cases import waiting
from annotation.campaigns.lifecycle import close_campaign
from annotation.judging.claims import NoTask, Reason, claim_next, preview_next
from annotation.models import Adjudication, Assignment, Campaign, Item, Membership
from annotation.questionnaires import load_questionnaire
from annotation.raters.memberships import add_member, remove_member
from rarrweb.accounts.models import User
from tests.support.adjudication import make_differing, make_disputed, make_outvoted, settle_first
from tests.support.campaigns import hand_in, make_campaign, save_judgment
from tests.support.factories import make_user
from tests.support.kinds import make_citing_run
from tests.support.reference_answers import claim, judge, judge_next, put_in_use, set_checks

pytestmark = pytest.mark.django_db


def as_adjudicator(campaign: Campaign, name: str = "adi") -> Client:
    person = make_user(name)
    add_member(campaign, user=person, role=Membership.Role.ADJUDICATOR)
    client = Client()
    client.force_login(person)
    return client


def test_an_adjudicator_settles_and_goes_on_to_the_next() -> None:
    campaign = make_differing(passages=2)
    first, second = campaign.items.order_by("position")
    client = as_adjudicator(campaign)
    queue = client.get(f"/adjudicate/?campaign={campaign.slug}").content.decode()
    assert "2 items to adjudicate" in " ".join(queue.split())
    page = client.get(f"/adjudicate/{first.pk}/")
    assert page.content.decode().count("Final answer</legend>") == 1  # where they differ only
    data = {
        "seen": page.context["case"].seen,
        "value-attributable-1": "0",
        "reason-attributable-1": "Evidence 1 gives no number.",
    }
    answer = client.post(f"/adjudicate/{first.pk}/", data)
    assert answer.headers["Location"] == f"/adjudicate/{second.pk}/"
    row = Adjudication.objects.get()
    assert (row.item, row.value, row.reason) == (first, 0, "Evidence 1 gives no number.")
    page = client.get(f"/adjudicate/{second.pk}/")
    data["seen"] = page.context["case"].seen
    answer = client.post(f"/adjudicate/{second.pk}/", data)
    assert answer.headers["Location"] == f"/adjudicate/?campaign={campaign.slug}"
    assert "No disagreements left" in client.get(answer.headers["Location"]).content.decode()


def test_what_all_raters_agree_on_can_be_settled_against_them(as_researcher: Client) -> None:
    empty = make_campaign(raters_per_item=2).items.first()
    page = as_researcher.get(f"/adjudicate/{empty.pk}/?all=1").content.decode()
    assert "Nobody has submitted this item yet" in " ".join(page.split())
    assert "Change the answers" not in page
    campaign = make_differing()
    item = campaign.items.get()
    settle_first(item, make_user())
    client = as_adjudicator(campaign)
    page = client.get(f"/adjudicate/{item.pk}/")
    assert "Also change agreed answers" in page.content.decode()
    page = client.get(f"/adjudicate/{item.pk}/?all=1")
    assert page.content.decode().count("Final answer</legend>") == 3
    agreed = next(
        key for key in page.context["form"].targets if not page.context["case"].differs(key)
    )
    [message] = {each.answers[agreed] for each in page.context["case"].raters}
    data = {
        "seen": page.context["case"].seen,
        **{name: str(field.initial) for name, field in page.context["form"].fields.items()},
        f"value-{agreed[0]}-{agreed[1]}": str(1 - message),
    }
    before = Adjudication.objects.count()
    assert client.post(f"/adjudicate/{item.pk}/?all=1", data).status_code == 302
    row = Adjudication.objects.get(criterion=agreed[0], target=agreed[1])
    assert (row.value, Adjudication.objects.count()) == (1 - message, before + 1)


def test_what_an_only_citation_does_is_settled_once_for_both_questions() -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(
        questionnaire="citation", run=make_citing_run(), raters=raters, raters_per_item=2
    )
    for rater, value in zip(raters, (2, 0), strict=True):
        assignment = claim(rater, campaign=campaign)
        precision = {("citation_precision", target): 2 for target in (1, 2)}
        others = {("utility", 0): 4, ("citation_recall", 2): 1, ("citation_precision", 0): value}
        hand_in(assignment, others | precision)
    item = campaign.items.get()
    client = as_adjudicator(campaign)
    page = client.get(f"/adjudicate/{item.pk}/")
    assert list(page.context["form"].targets) == [("citation_precision", 0)]
    data = {"seen": page.context["case"].seen, "value-citation_precision-0": "1"}
    client.post(f"/adjudicate/{item.pk}/", data)
    settled = {(row.criterion, row.target): row.value for row in Adjudication.objects.all()}
    assert settled == {("citation_precision", 0): 1, ("citation_recall", 0): 0}
    assert not waiting(campaign).exists()


def test_split_answers_of_all_campaigns_lead_into_each_other(as_researcher: Client) -> None:
    first, other = make_differing(passages=2), make_differing()
    home = as_researcher.get("/").content.decode()
    assert "2 items to adjudicate" in home
    assert "1 item to adjudicate" in home
    overview = as_researcher.get(first.get_absolute_url()).content.decode()
    start = f"/adjudicate/?campaign={first.slug}&amp;start=1"
    assert overview.count(start) == 1
    item = first.items.get(position=1)
    to = as_researcher.get(start.replace("&amp;", "&")).headers["Location"]
    assert to == f"/adjudicate/{item.pk}/"
    for each in first.items.all():
        settle_first(each, make_user())
    done = as_researcher.get(start.replace("&amp;", "&")).content.decode()
    assert f"Next: {other.name} (1)" in done
    assert f"/campaigns/{first.slug}/results/" in done


def test_a_settled_answer_needs_a_level_that_there_is_and_no_reason(as_researcher: Client) -> None:
    item = make_differing().items.get()
    address = f"/adjudicate/{item.pk}/"
    for value in ("9", "true"):
        page = as_researcher.post(address, {"seen": "", "value-attributable-1": value})
        assert page.status_code == 200
        assert "Please correct this" in page.content.decode()
    assert not Adjudication.objects.exists()
    seen = as_researcher.get(address).context["case"].seen
    as_researcher.post(address, {"seen": seen, "value-attributable-1": "1"})
    assert Adjudication.objects.get().reason == ""


def test_the_page_shows_how_far_one_is(as_researcher: Client, researcher: User) -> None:
    first, second, third = make_differing(passages=3).items.order_by("position")
    assert "3 to adjudicate" in as_researcher.get(f"/adjudicate/{third.pk}/").content.decode()
    settle_first(first, researcher)
    settle_first(second, researcher)
    assert "1 to adjudicate" in as_researcher.get(f"/adjudicate/{third.pk}/").content.decode()


def test_where_all_but_one_agree_the_majority_is_accepted_and_taken_back(
    as_researcher: Client, researcher: User
) -> None:
    campaign = make_outvoted((1, 1, 0), (1, 0, 0), (1, 0, 0))
    changed, stored = campaign.items.order_by("position")
    address = f"/adjudicate/?campaign={campaign.slug}"
    assert "Accept the majority on 2 items" in as_researcher.get(address).content.decode()
    accept = f"/adjudicate/majority/{campaign.slug}/"
    page = as_researcher.post(accept, follow=True)
    assert "2 items now have the majority’s answers" in " ".join(page.content.decode().split())
    assert set(Adjudication.objects.values_list("criterion", "target", "value")) == {
        ("attributable", 1, 0)
    }
    assert not waiting(campaign).exists()
    settle_first(changed, researcher)
    as_researcher.post(accept, {"undo": page.context["accepted"]})
    assert Adjudication.objects.get().item == changed, "what was changed since stays"
    assert list(waiting(campaign)) == [stored]


@pytest.mark.parametrize(
    "answers",
    [
        ((1, 1, 0), (1, 0, 0)),
        ((1, 1, 0), (1, 1, 0), (1, 0, 0), (1, 0, 0)),
        # One answer is clear, the other one is not.
        ((1, 1, 0), (0, 0, 0), (0, 0, 0), (1, 0, 0)),
    ],
)
def test_where_there_is_no_such_majority_each_item_waits(
    as_researcher: Client, answers: tuple[tuple[int, int, int], ...]
) -> None:
    campaign = make_outvoted(*answers)
    page = as_researcher.get(f"/adjudicate/?campaign={campaign.slug}").content.decode()
    assert "Accept the majority" not in page
    as_researcher.post(f"/adjudicate/majority/{campaign.slug}/")
    assert not Adjudication.objects.exists()


def test_a_page_that_is_behind_shows_what_was_settled_meanwhile(as_researcher: Client) -> None:
    item = make_differing().items.get()
    data = {
        "seen": as_researcher.get(f"/adjudicate/{item.pk}/").context["case"].seen,
        "value-attributable-1": "0",
        "reason-attributable-1": "Mine.",
    }
    settle_first(item, make_user(), value=1, reason="Theirs.")
    page = as_researcher.post(f"/adjudicate/{item.pk}/", data, follow=True).content.decode()
    assert "Somebody else has adjudicated this item" in page
    assert "Theirs." in page
    assert Adjudication.objects.get().value == 1


def test_raters_are_numbers_and_systems_are_not_named() -> None:
    campaign = make_differing()
    item = campaign.items.get()
    Assignment.objects.update(comment="<b>hard</b>")
    page = as_adjudicator(campaign).get(f"/adjudicate/{item.pk}/").content.decode()
    assert "Rater 1" in page
    assert "Rater 2" in page
    assert "&lt;b&gt;hard" in page
    assert 'href="javascript:' not in page
    for rater in User.objects.filter(assignments__item=item):
        assert rater.username not in page
    assert campaign.runs.get().system not in page.lower().replace("rarrweb", "")
    assert f"/revisions/{item.revision_id}/" not in page


@pytest.mark.parametrize("roles", [[], ["annotator"], Membership.Role.values])
def test_others_see_no_queue_and_who_judges_too_none_until_the_campaign_is_closed(
    client: Client, roles: list[str]
) -> None:
    campaign = make_differing()
    person = make_user()
    for role in roles:
        add_member(campaign, user=person, role=role)
    client.force_login(person)
    item = f"/adjudicate/{campaign.items.get().pk}/"
    for path in (item, f"/adjudicate/?campaign={campaign.slug}"):
        assert client.get(path).status_code == 404
    assert campaign.name not in client.get("/adjudicate/").content.decode()
    close_campaign(campaign)
    assert client.get(item).status_code == (200 if "adjudicator" in roles else 404)


@pytest.fixture
def disputed() -> Campaign:
    return make_disputed()


def test_an_adjudicator_opens_only_what_is_up_for_adjudication(disputed: Campaign) -> None:
    first, second = disputed.items.order_by("position")
    client = as_adjudicator(disputed)
    assert client.get(f"/adjudicate/{second.pk}/").status_code == 404
    assert client.post(f"/adjudicate/{second.pk}/?all=1", {"seen": ""}).status_code == 404
    assert client.get(f"/adjudicate/{first.pk}/").status_code == 200
    other = make_differing().items.get()  # of another campaign
    assert client.get(f"/adjudicate/{other.pk}/").status_code == 404
    settle_first(first, make_user())
    assert client.get(f"/adjudicate/{first.pk}/").status_code == 200
    assert as_adjudicator(disputed, "another").get(f"/adjudicate/{first.pk}/").status_code == 200
    # What they have opened stays open when raters agree.
    Adjudication.objects.all().delete()
    changed = first.assignments.order_by("pk")[1]
    save_judgment(changed, criterion="attributable", target=1, value=1, sequence=9)
    assert client.get(f"/adjudicate/{first.pk}/").status_code == 200
    assert as_adjudicator(disputed, "late").get(f"/adjudicate/{first.pk}/").status_code == 404


def test_who_opened_an_item_as_an_adjudicator_is_never_handed_it_as_a_rater(
    disputed: Campaign,
) -> None:
    first, second = disputed.items.order_by("position")
    as_adjudicator(disputed).get(f"/adjudicate/{first.pk}/")
    adi = User.objects.get(username="adi")
    add_member(disputed, user=adi)
    assert judge_next(adi, disputed, (1, 1, 0)).item == second
    nothing = claim_next(adi, campaign=disputed)
    assert isinstance(nothing, NoTask)
    assert nothing.reason == Reason.YOURS_DONE
    assert preview_next(adi, campaign=disputed) == nothing


def test_what_an_adjudicator_had_begun_as_a_rater_counts_no_more(disputed: Campaign) -> None:
    first = disputed.items.get(position=1)
    adi = make_user("adi")
    add_member(disputed, user=adi)
    begun = claim(adi, campaign=disputed)
    if begun.item != first:
        Assignment.objects.filter(pk=begun.pk).update(item=first, slot=3)
    remove_member(Membership.objects.get(user=adi))
    add_member(disputed, user=adi, role=Membership.Role.ADJUDICATOR)
    client = Client()
    client.force_login(adi)
    client.get(f"/adjudicate/{first.pk}/")
    add_member(disputed, user=adi)
    assert claim_next(adi, campaign=disputed) != begun
    judge(begun, (1, 1, 0))
    begun.refresh_from_db()
    assert (begun.slot, begun.is_late) == (None, True)
    assert Item.objects.get(pk=first.pk).done == 2


def test_a_gold_item_that_an_adjudicator_opened_tells_nothing_about_them(
    as_researcher: Client, researcher: User
) -> None:
    campaign = make_campaign(passages=4, raters=(researcher,))
    for position in (1, 2):
        put_in_use(campaign, position, "gold")
    set_checks(campaign, gold_every=1)
    opened, gold = campaign.items.filter(use="gold").order_by("position")
    as_researcher.get(f"/adjudicate/{opened.pk}/")
    assert judge_next(researcher, campaign, (1, 1, 0)).item == gold
    assert judge_next(researcher, campaign, (1, 1, 0)).purpose == ""


def test_a_researcher_makes_an_adjudicator_by_name_and_takes_it_back(
    as_researcher: Client, stranger: User
) -> None:
    campaign = make_differing()
    data = {"person": stranger.pk, "role": "owner"}
    refused = as_researcher.post(f"/campaigns/{campaign.slug}/members/add/", data)
    assert "owner is not one of the available choices" in refused.content.decode()
    data = {"person": stranger.pk, "role": "adjudicator"}
    as_researcher.post(f"/campaigns/{campaign.slug}/members/add/", data)
    membership = Membership.objects.get(user=stranger)
    assert membership.role == "adjudicator"
    page = as_researcher.get(f"/campaigns/{campaign.slug}/raters/").content.decode()
    assert "Remove stan as an adjudicator" in page
    client = Client()
    client.force_login(stranger)
    for path in ("/", "/campaigns/", "/adjudicate/"):
        assert campaign.name in client.get(path).content.decode()
    mine = client.get(f"/campaigns/{campaign.slug}/").content.decode()
    assert f'"/adjudicate/?campaign={campaign.slug}">Adjudicate</a>' in mine
    assert "The first item comes after" not in mine
    as_researcher.post(f"/campaigns/{campaign.slug}/members/{membership.pk}/remove/")
    assert client.get(f"/adjudicate/?campaign={campaign.slug}").status_code == 404


@pytest.mark.parametrize("kind", ["intent", "answer_quality", "citation"])
def test_every_kind_with_levels_is_settled_on_the_same_page(
    as_researcher: Client, kind: str
) -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(
        questionnaire=kind, run=make_citing_run(), raters=raters, raters_per_item=2
    )
    questionnaire = load_questionnaire(kind)
    item = campaign.items.order_by("position")[0]
    for rater, index in zip(raters, (0, -1), strict=True):
        assignment = claim(rater, campaign=campaign)
        values = {
            (criterion.name, target): criterion.levels[index].value
            for criterion in questionnaire.criteria
            for target in range(criterion.target_count(item))
        }
        hand_in(assignment, values)
    assert list(waiting(campaign)) == [item]
    page = as_researcher.get(f"/adjudicate/{item.pk}/")
    data = {"seen": page.context["case"].seen}
    for name, target in page.context["form"].targets:
        first, *_ = page.context["form"].fields[f"value-{name}-{target}"].choices
        lowest_first = name in {"intent", "utility"}  # as on the raters' page
        assert first[0] == questionnaire.criterion(name).levels[0 if lowest_first else -1].value
        data[f"value-{name}-{target}"] = str(questionnaire.criterion(name).levels[-1].value)
        data[f"reason-{name}-{target}"] = "Read it again."
    assert as_researcher.post(f"/adjudicate/{item.pk}/", data).status_code == 302
    assert not waiting(campaign).exists()
    settled = set(item.adjudications.values_list("criterion", "target"))
    requests = set(page.context["form"].targets)
    assert requests
    assert requests <= settled
    assert all(questionnaire.criterion(name).follows for name, _ in settled - requests)


def test_the_campaign_with_most_to_settle_is_first_on_the_first_page(
    as_researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.views.adjudication.PAGE", 2)
    oldest = make_differing(passages=2)
    make_campaign(questionnaire="manual_revision", raters_per_item=2)  # nobody settles texts
    others = [make_campaign(raters_per_item=2) for _ in range(2)]
    done = make_differing()

    def listed(page: int) -> list[str]:
        html = as_researcher.get(f"/adjudicate/?page={page}").content.decode()
        return re.findall(r'campaign=([\w-]+)">', html)

    assert listed(1) == [oldest.slug, done.slug]
    assert sorted(listed(2)) == sorted(each.slug for each in others)
    settle_first(done.items.get(), make_user())
    page = as_researcher.get(f"/adjudicate/?campaign={done.slug}").content.decode()
    assert f"Next: {oldest.name} (2)" in page
