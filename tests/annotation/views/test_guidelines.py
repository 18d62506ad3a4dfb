"""The pages of a campaign's instructions: readers, editors, announced changes."""

import pytest
from django.test import Client

from annotation.guidelines import versions
from annotation.models import Assignment, Campaign
from rarrweb.accounts.models import User
from tests.support.factories import make_user
from tests.support.pages import html_of
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db

HOSTILE = '# Read\n\n<script>x()</script><img src=x onerror="x()"> [go](javascript:x())'


def address(campaign: Campaign, rest: str = "") -> str:
    return f"/campaigns/{campaign.slug}/guidelines/{rest}"


def save(client: Client, campaign: Campaign, text: str, **more: object) -> str:
    """What the editor answers; the page that follows where it is saved."""
    data = {"text": text, "note": "Clearer.", "based_on": campaign.guidelines_version, **more}
    response = client.post(address(campaign, "edit/"), data, follow=True)
    assert response.status_code == 200
    campaign.refresh_from_db()
    return response.content.decode()


def test_members_read_and_learn_no_names(as_annotator: Client, campaign: Campaign) -> None:
    boss = make_user("zz-boss", role=User.Role.RESEARCHER)
    versions.save_version(campaign, text="Read it twice.", note="Twice.", by=boss, based_on=1)
    for rest in ("", "history/", "1/"):
        page = html_of(as_annotator, address(campaign, rest))
        assert "zz-boss" not in page
        assert "/edit/" not in page
    assert as_annotator.get(address(campaign, "3/")).status_code == 404


def test_a_saved_version_holds_and_is_shown_clean(
    as_researcher: Client, campaign: Campaign
) -> None:
    page = save(as_researcher, campaign, HOSTILE)
    assert "Version 2 is saved" in page
    assert versions.newest(campaign).text == HOSTILE
    for path in ("", "2/", "history/", "edit/"):
        page = html_of(as_researcher, address(campaign, path))
        assert "<script>x" not in page
        assert "<img" not in page
        assert 'href="javascript' not in page


def test_the_preview_shows_what_raters_would_see(as_researcher: Client, campaign: Campaign) -> None:
    response = as_researcher.post(address(campaign, "preview/"), {"text": f"### New\n\n{HOSTILE}"})
    fragment = response.content.decode()
    assert "<h3>New</h3>" in fragment
    assert "<html" not in fragment
    assert "<script>x" not in fragment
    assert "<ins>" in fragment
    same = as_researcher.post(
        address(campaign, "preview/"), {"text": versions.newest(campaign).text}
    )
    assert "<ins>" not in same.content.decode()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"text": " "}, "Instructions are empty"),
        ({"note": ""}, "What has changed is empty: say it in one sentence."),
        ({"note": "x" * 501}, "at most 500 characters"),
        ({"text": "x" * 50_001}, "at most 50000 characters"),
    ],
)
def test_a_wrong_form_gives_the_reason_and_keeps_the_text(
    as_researcher: Client, campaign: Campaign, data: dict[str, str], why: str
) -> None:
    page = save(as_researcher, campaign, data.pop("text", "Read it twice."), **data)
    assert why in page
    assert versions.newest(campaign).number == 1
    if "note" in data:
        assert "Read it twice." in page


def test_the_second_of_two_editors_keeps_their_text_and_saves_after_a_look(
    as_researcher: Client, campaign: Campaign
) -> None:
    save(as_researcher, campaign, "One.", note="First.")
    page = save(as_researcher, campaign, "Two.", based_on=1)
    assert "Version 2 was saved since you opened the editor" in page
    assert "First." in page
    assert ">Two.</textarea>" in page
    assert 'name="based_on" value="2"' in page
    save(as_researcher, campaign, "Two.", based_on=2)
    assert versions.newest(campaign).text == "Two."


def test_an_old_version_comes_back_as_a_new_one(as_researcher: Client, campaign: Campaign) -> None:
    old = versions.newest(campaign).text
    save(as_researcher, campaign, "One.")
    editor = as_researcher.get(address(campaign, "edit/?back=1"))
    assert editor.context["form"].initial["text"] == old
    assert "Back to version 1." in editor.content.decode()
    save(as_researcher, campaign, old)
    page = save(as_researcher, campaign, old.replace("\n", "\r\n") + " ")
    assert "Nothing has changed" in page
    assert (versions.newest(campaign).number, versions.newest(campaign).text) == (3, old)
    assert as_researcher.get(address(campaign, "edit/?back=9")).status_code == 404


def test_the_history_shows_the_words_between_any_two(
    as_researcher: Client, campaign: Campaign
) -> None:
    for text in ("Read it once.", "Read it twice.", "Read it twice, slowly."):
        save(as_researcher, campaign, text)
    page = html_of(as_researcher, address(campaign, "history/?from=2&to=3"))
    assert "From version 2 to version 3" in page
    assert "once</del>" in page
    assert "twice</ins>" in page
    newest = html_of(as_researcher, address(campaign, "history/"))
    assert "From version 3 to version 4" in newest
    for nonsense in ("?from=x&to=-1", "?from=99&to=99", "?from=4&to=2"):
        assert as_researcher.get(address(campaign, f"history/{nonsense}")).status_code == 200


def test_a_change_is_announced_until_the_next_answer(
    as_annotator: Client, annotator: User, campaign: Campaign, researcher: User
) -> None:
    task = claim(annotator, campaign=campaign).get_absolute_url()
    first = html_of(as_annotator, task)
    assert "guidelines-changed" not in first
    assert 'data-guidelines="1"' in first
    answer = {"criterion": "attributable", "target": 0, "value": 1, "sequence": 1, "guidelines": 1}
    url = f"/api{task}judgments/"
    as_annotator.put(url, {"answers": [answer]}, content_type="application/json")
    change = {"text": "Read it <b>twice</b>.", "note": "Be *slow* & <i>sure</i>."}
    versions.save_version(campaign, **change, by=researcher, based_on=1)
    page = html_of(as_annotator, task)
    assert 'id="guidelines-changed"' in page
    assert "Be *slow* &amp; &lt;i&gt;sure&lt;/i&gt;." in page
    assert 'data-guidelines="2"' in page
    assert "since your last answer" in html_of(as_annotator, address(campaign))
    answer |= {"sequence": 2, "guidelines": 2}
    as_annotator.put(url, {"answers": [answer]}, content_type="application/json")
    assert "guidelines-changed" not in html_of(as_annotator, task)
    assert "since your last answer" not in html_of(as_annotator, address(campaign))


def test_instructions_come_before_the_first_item(as_annotator: Client, campaign: Campaign) -> None:
    campaign.memberships.update(has_read_instructions=False)
    start = f"/tasks/next/?campaign={campaign.slug}"
    task = as_annotator.post(start).headers["Location"]
    assert task == Assignment.objects.get().get_absolute_url()
    for _ in range(2):  # to see them is not to go on
        assert as_annotator.get(task, follow=True).redirect_chain[-1][0] == address(campaign)
    assert as_annotator.post(start, {"read": "yes"}).headers["Location"] == task
    assert as_annotator.get(task).status_code == 200
