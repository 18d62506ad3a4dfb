"""Each page asks the database a few times, and as often for a thousand items as for fifty."""

import json
import re
from collections.abc import Callable, Mapping

import pytest
from django.core.cache import cache
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Campaign, Item
from rarrweb.accounts.models import User
from tests.load.filling import add_progress, make_campaign, make_people

pytestmark = pytest.mark.django_db

QUERY_BUDGET = 12
CLAIM_BUDGET = 24
"""A submission and the claim after it, which are one request."""
SIZES = (50, 1_000)
TRANSACTION = re.compile(r"BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET |PRAGMA")


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


def queries_of(ask: Callable[[], HttpResponse], status: int) -> int:
    """How many statements, those that begin and end transactions not counted."""
    with CaptureQueriesContext(connection) as captured:
        answer = ask()
    assert answer.status_code == status, answer.content[:500]
    requests = [row["sql"] for row in captured if not TRANSACTION.match(row["sql"])]
    return len(requests)


def rater_counts(client: Client, campaign: Campaign) -> Mapping[str, int]:
    """A rater's way: the next task, its page, a click, submitting, the page again."""
    counts = {}
    next_address = f"{reverse('annotation:next-task')}?campaign={campaign.slug}"
    client.logout()
    client.force_login(User.objects.get(username="rater-002"))
    counts["home"] = queries_of(lambda: client.get("/"), 200)
    counts["own campaign"] = queries_of(lambda: client.get(campaign.get_absolute_url()), 200)
    claimed = {"claim": queries_of(lambda: client.post(next_address, {"read": "yes"}), 302)}
    counts["resume"] = queries_of(lambda: client.get(next_address), 302)
    task = client.get(next_address).headers["Location"]
    counts["task page"] = queries_of(lambda: client.get(task), 200)
    answers = [
        {"criterion": "attributable", "target": target, "value": 1, "sequence": 1}
        for target in range(5)
    ]
    key = int(task.strip("/").split("/")[-1])
    save = reverse("annotation:save-judgments", args=[key])

    def put(content: object) -> HttpResponse:
        return client.put(save, json.dumps({"answers": content}), content_type="application/json")

    counts["first click"] = queries_of(lambda: put(answers[:1]), 200)
    counts["same click again"] = queries_of(lambda: put(answers[:1]), 200)
    put(answers)
    submit = reverse("annotation:submit-task", args=[key])
    claimed["submit and claim"] = queries_of(lambda: client.post(submit), 302)
    counts["submitted page"] = queries_of(lambda: client.get(task), 200)
    assert {name: n for name, n in claimed.items() if n > CLAIM_BUDGET} == {}
    return counts | claimed


def researcher_counts(client: Client, campaign: Campaign) -> Mapping[str, int]:
    """First views: nothing is kept from an earlier one."""
    client.logout()
    client.force_login(User.objects.get(username="researcher"))
    item = Item.objects.filter(campaign=campaign).order_by("position")[0]
    addresses = {
        "home": "/",
        "campaigns": reverse("annotation:campaigns"),
        "campaign": campaign.get_absolute_url(),
        "reliability": reverse("annotation:reliability", args=[campaign.slug]),
        "adjudication": reverse("annotation:adjudications"),
        "adjudication queue": f"{reverse('annotation:adjudications')}?campaign={campaign.slug}",
        "adjudicate": reverse("annotation:adjudicate", args=[item.pk]),
    }
    return {
        name: queries_of(lambda address=address: client.get(address), 200)
        for name, address in addresses.items()
    }


@pytest.mark.parametrize("counts_of", [rater_counts, researcher_counts])
def test_no_page_asks_more_often_for_more_items(
    client: Client, counts_of: Callable[[Client, Campaign], Mapping[str, int]]
) -> None:
    researcher, raters = make_people(50)
    result = {}
    for size in SIZES:
        campaign = make_campaign(
            f"of-{size}", items=size, per_item=3, researcher=researcher, raters=raters
        )
        add_progress(campaign, raters)
        result[size] = counts_of(client, campaign)
    few, many = (result[size] for size in SIZES)
    assert many == few
    pages = {name: count for name, count in many.items() if "claim" not in name}
    assert {name: count for name, count in pages.items() if count > QUERY_BUDGET} == {}
