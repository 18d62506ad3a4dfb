"""Exports of many items: few queries, little memory, the same bytes each time."""

import hashlib
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.exporting import FORMATS, Export, item_reader, load_format
from annotation.exporting.context import ExportContext
from annotation.exporting.item_reader import BATCH
from annotation.models import Assignment, Campaign
from tests.support.exports import (
    NOW,
    bytes_of,
    judge,
    make_campaign,
    make_item,
    make_many,
    manifest_of,
)
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


OF_EVERY_ITEM = [name for name in FORMATS if name not in {"checks", "reference_answers", "skips"}]
"""The others hold items in use alone, or what was skipped, and have tests beside those."""


@pytest.mark.parametrize("name", OF_EVERY_ITEM)
def test_a_download_asks_for_little_next_to_the_file(as_researcher: Client, name: str) -> None:
    campaign = make_many(2 * BATCH, name=name)
    address = f"/campaigns/{campaign.slug}/export/?format={name}"
    with CaptureQueriesContext(connection) as queries:
        text = as_researcher.get(address).getvalue()
    assert len(text) > 2 * BATCH
    # The session, the user, the campaign, its runs, the time of the first export; then the file.
    assert len(queries) <= 5 + 2 * 4 + 1


@pytest.mark.parametrize("name", [name for name in OF_EVERY_ITEM if name != "parquet"])
def test_memory_does_not_grow_with_the_campaign(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(item_reader, "BATCH", 25)
    size, peak = measured(make_many(200, text="One. " + "Two " * 1000, name=name), name)
    assert size > 700_000
    # A batch of 25 items with 4 kB twice over, some copies of it, and no more.
    assert peak < 1_400_000


def test_many_skips_take_one_query_and_little_memory() -> None:
    campaign = make_many(3000)
    Assignment.objects.update(
        slot=None, submitted_at=None, skipped_at=NOW, skip_reason="other", skip_note="Why? " * 200
    )
    with CaptureQueriesContext(connection) as queries:
        size, peak = measured(campaign, "skips")
    assert len(queries) == 1
    assert size > 3_000_000
    assert peak < 2_500_000


def measured(campaign: Campaign, name: str) -> tuple[int, int]:
    """The bytes of the file, and the most memory that it took."""
    export = Export(campaign=campaign, format=load_format(name))
    tracemalloc.start()
    for _ in export.chunks():
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return export.written.size, peak


@pytest.mark.parametrize("size", [1, 2, 3])
def test_pages_of_any_size_have_every_side_once(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    campaign = make_campaign()
    for _ in range(3):
        item = make_item(campaign, "One.", side="before")
        make_item(campaign, "Two.", side="after", revision=item.revision)
    make_item(campaign, "Three.")
    monkeypatch.setattr(item_reader, "BATCH", size)
    items = item_reader.read_items(ExportContext(campaign=campaign))
    sides = [("before", "One."), ("after", "Two.")] * 3
    assert [(item.side, item.text) for item in items] == [*sides, ("after", "Three.")]


@pytest.mark.django_db(transaction=True)
def test_who_exports_can_write_while_others_write_too() -> None:
    """As a job does that tells its progress; a cursor left open would make SQLite refuse."""
    campaign = make_many(2 * BATCH)
    items = item_reader.read_items(ExportContext(campaign=campaign))
    next(items)
    with ThreadPoolExecutor() as another:
        another.submit(write, campaign, "by another").result()
    write(campaign, "by itself")
    campaign.refresh_from_db()
    assert campaign.name == "by itself"
    assert len(list(items)) == 2 * BATCH - 1


def write(campaign: Campaign, name: str) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(name=name)
    if threading.current_thread() is not threading.main_thread():
        connection.close()


@pytest.mark.parametrize("name", FORMATS)
def test_the_manifest_describes_the_very_bytes(name: str) -> None:
    campaign = make_many(3, name=name)
    export = Export(campaign=campaign, format=load_format(name))
    data = b"".join(export.chunks())
    manifest = export.manifest()
    assert manifest["sha256"] == hashlib.sha256(data).hexdigest()
    assert manifest["bytes"] == len(data)
    assert data == bytes_of(campaign, name)


def test_the_manifest_counts_and_names_what_made_the_file() -> None:
    campaign = make_campaign(raters_per_item=2)
    anna, ben = make_user(), make_user()
    item = make_item(campaign, "One.", "Two.", "Three.")
    judge(item, anna, True, True, None, useful=(True,))
    judge(item, ben, True, False, None, slot=2)
    judge(item, make_user(), True, slot=None)
    make_item(campaign, "Four.", side="before", revision=item.revision)
    manifest = manifest_of(campaign)
    expected = {"lines": 6, "passages": 1, "items": 2, "raters": 3, "guidelines": {"unknown": 6}}
    expected |= {"sentences": 4, "sentences_unjudged": 2, "sentences_tied": 1}
    expected |= {"assignments": 3, "assignments_late": 1, "judgments": 6, "judgments_late": 1}
    expected |= dict.fromkeys(("citations", "as_imported", "sentences_adjudicated", "quotes"), 0)
    both = {"expected": 4, "adjudicated": 0, "levels": {"1": 1, "null": 3}}
    attributable = {"unjudged": 2, "tied": 1, "unsettled": 1, "judgments": 5}
    useful = {"unjudged": 3, "tied": 0, "unsettled": 0, "judgments": 1}
    labels = {"attributable": both | attributable, "useful": both | useful}
    assert manifest["counts"] == expected | {"labels": labels, "answer_labels": {}}
    assert manifest["runs"][0]["config"] == {"system": "rarr", "rarr": {"report_size": 5}}
    assert manifest["runs"][0]["versions"] == {"spacy": "3.8"}
    assert manifest["runs"][0]["auto_ais"] is None  # this run does not name its model
    assert manifest["campaign"]["raters_per_item"] == 2
    assert set(manifest["versions"]) == {"rarrweb", "django", "python"}
    assert manifest["label_rules"] == 5
