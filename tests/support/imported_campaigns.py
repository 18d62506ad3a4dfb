"""Campaigns over datasets without revision."""

import json
from pathlib import Path
from typing import Any

from django.core.management import call_command

from annotation.models import Campaign, Item
from pipeline.models import Dataset
from pipeline.runs.imported import get_unrevised_run
from tests.support.campaigns import make_campaign
from tests.support.factories import make_dataset


def dataset_of(folder: Path, *lines: dict[str, Any]) -> Dataset:
    file, dataset = folder / "in.jsonl", make_dataset()
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    call_command("load_passages", str(file), "--dataset", dataset.slug)
    dataset.refresh_from_db()
    return dataset


def campaign_of(dataset: Dataset, questionnaire: str, sides: str = "both") -> Campaign:
    return make_campaign(
        name="Rivers",
        run=get_unrevised_run(dataset, created_by=None),
        sides=sides,
        questionnaire=questionnaire,
        may_repeat_passages=False,
    )


def items_of(campaign: Campaign) -> list[Item]:
    return list(campaign.items.order_by("revision", "-side"))
