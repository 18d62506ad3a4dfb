"""Who may open which item, what the page shows and what it keeps to itself."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.campaigns.lifecycle import close_campaign
from annotation.judging.claims import claim_next
from annotation.models import Assignment
from rarrweb.accounts.models import User
from tests.support.campaigns import (
    judge_everything,
    make_assignment,
    make_campaign,
    make_judgeable_run,
    save_judgment,
)
from tests.support.factories import make_user
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(annotator: User) -> Assignment:
    return make_assignment(annotator, passages=3)


def task_url(assignment: Assignment) -> str:
    return reverse("annotation:task", args=[assignment.pk])


def submit_url(assignment: Assignment) -> str:
    return reverse("annotation:submit-task", args=[assignment.pk])


def test_an_item_that_is_not_there_or_deleted_is_not_found(
    as_annotator: Client, assignment: Assignment
) -> None:
    for number in (0, 2**63, 10**40):
        for path in ("", "submit/"):
            assert as_annotator.get(f"/tasks/{number}/{path}").status_code == 404
    task, submit = task_url(assignment), submit_url(assignment)
    assignment.delete()
    assert as_annotator.get(task).status_code == 404
    assert as_annotator.post(submit).status_code == 404


def test_the_rater_sees_context_passage_and_evidence(
    as_annotator: Client, assignment: Assignment
) -> None:
    page = as_annotator.get(task_url(assignment)).content.decode()
    assert "Tell me about the bridge." in page
    assert "The bridge opened in 1932." in page
    assert "It was opened in 1932 and carries two railway lines." in page
    assert "&lt;b&gt;Paint&lt;/b&gt;" in page
    assert "javascript:alert" not in page


def test_a_rater_learns_neither_system_nor_run_nor_side_nor_score_nor_other_raters(
    client: Client,
) -> None:
    one, two = make_user("rater-one"), make_user("rater-two")
    run = make_judgeable_run(passages=2, system="zz-system")
    run.revisions.update(attribution_before=0.1234, attribution_after=0.5678, f1_ap=0.4321)
    run.dataset.name = "zz-dataset"
    run.dataset.save()
    campaign = make_campaign(run=run, sides="both", raters_per_item=2, raters=(one, two))
    judge_everything(claim(two, campaign=campaign))
    mine = claim(one, campaign=campaign)
    client.force_login(one)
    pages = [
        task_url(mine),
        "/",
        "/campaigns/",
        f"/campaigns/{campaign.slug}/",
        f"/campaigns/{campaign.slug}/guidelines/",
    ]
    hidden = ["zz-system", "zz-dataset", "rater-two", "/runs/", "/revisions/"]
    hidden += ["1234", "5678", "4321", "before and after", ">Before<", ">After<", "AIS"]
    for path in pages:
        response = client.get(path)
        assert response.status_code == 200
        displayed = response.content.decode().replace(campaign.slug, "")
        assert [word for word in hidden if word in displayed] == [], path
    saved = client.put(
        f"/api/tasks/{mine.pk}/judgments/",
        {"answers": [], "comment": {"text": "x", "sequence": 1}},
        content_type="application/json",
    )
    state = {"submitted", "late", "held", "skipped", "released"}
    assert set(saved.json()) == state | {"id", "saved_at", "lease_until", "comment", "judgments"}


def test_only_a_button_takes_the_next_item(client: Client) -> None:
    rater = make_user()
    client.force_login(rater)
    assert "not a rater of any campaign" in client.get("/tasks/next/").content.decode()
    for slug in (make_campaign(name="Other").slug, "nowhere"):
        assert client.get(f"/tasks/next/?campaign={slug}").status_code == 404
    campaign = make_campaign(raters=(rater,))
    address = f"/tasks/next/?campaign={campaign.slug}"
    page = client.get(address).content.decode()
    assert "Get the next item" in page
    assert not Assignment.objects.exists()
    claimed = client.post(address, {"read": "yes"})
    assert claimed.headers["Location"] == Assignment.objects.get().get_absolute_url()
    assert client.get(address).headers["Location"] == claimed.headers["Location"]


def test_an_item_that_somebody_holds_is_announced_with_a_time_until_another_takes_it(
    client: Client,
) -> None:
    one, two = make_user(), make_user()
    campaign = make_campaign(passages=1, raters=(one, two))
    held = claim(one, campaign=campaign)
    client.force_login(two)
    page = client.get(f"/tasks/next/?campaign={campaign.slug}").content.decode()
    assert "1 item is with other raters" in page
    assert f'<time datetime="{held.lease_until.isoformat()}"' in page
    assert "minutes from now" in page
    Assignment.objects.update(lease_until=timezone.now())
    claim(two, campaign=campaign)
    client.force_login(one)
    response = client.get(f"/tasks/next/?campaign={campaign.slug}")
    assert response.status_code == 200  # and not on to the item


def test_an_incomplete_item_stays_and_names_its_gaps(
    as_annotator: Client, assignment: Assignment
) -> None:
    save_judgment(assignment, criterion="attributable", target=1, value=True, sequence=1)
    page = as_annotator.post(submit_url(assignment)).content.decode()
    assert "Sentence 1 is not judged." in page
    assert "Sentence 2 is not judged." not in page
    assert "Sentence 3 is not judged." in page
    reloaded = as_annotator.get(submit_url(assignment))
    assert reloaded.headers["Location"] == task_url(assignment)
    assert not Assignment.objects.submitted().exists()


def test_submitting_leads_to_the_next_item(as_annotator: Client, assignment: Assignment) -> None:
    judge_everything(assignment)
    Assignment.objects.update(submitted_at=None)
    response = as_annotator.post(submit_url(assignment), follow=True)
    [first, second] = Assignment.objects.order_by("pk")
    assert response.redirect_chain[-1][0] == task_url(second)
    assert first.submitted_at is not None


def test_previous_and_next_lead_through_ones_own_items(
    as_annotator: Client, annotator: User, assignment: Assignment
) -> None:
    judge_everything(assignment)
    second = claim(annotator)
    page = as_annotator.get(task_url(assignment)).content.decode()
    assert f'href="{task_url(second)}" data-next' in page
    page = as_annotator.get(task_url(second)).content.decode()
    assert f'href="{task_url(assignment)}" data-previous' in page
    assert "data-next" not in page
    judge_everything(second)
    response = as_annotator.post(submit_url(assignment))  # again, and on from there
    assert response.headers["Location"] == task_url(second)


def test_a_closed_campaign_can_be_read_and_not_submitted(
    as_annotator: Client, assignment: Assignment
) -> None:
    close_campaign(assignment.item.campaign)
    page = as_annotator.get(task_url(assignment)).content.decode()
    assert "This campaign is closed." in page
    assert "Submit and next" not in page
    response = as_annotator.post(submit_url(assignment), follow=True)
    assert "nothing can be changed now" in response.content.decode()
    assert not Assignment.objects.submitted().exists()


def test_a_campaign_that_is_done_leads_to_the_next_one_with_an_item(
    as_annotator: Client, annotator: User
) -> None:
    run = make_judgeable_run()
    done = make_campaign(run=run, raters=(annotator,))
    while isinstance(claimed := claim_next(annotator, campaign=done), Assignment):
        judge_everything(claimed)
    address = f"/tasks/next/?campaign={done.slug}"
    assert "Next campaign" not in as_annotator.get(address).content.decode()
    after = make_campaign(run=run, raters=(annotator,), questionnaire="intent")
    page = as_annotator.get(address).content.decode()
    assert f"Next campaign: {after.name}" in page
    response = as_annotator.post(f"/tasks/next/?campaign={after.slug}", {"read": "yes"})
    assert response.url == task_url(Assignment.objects.get(campaign=after))  # type: ignore[attr-defined]
