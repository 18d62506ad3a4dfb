"""The card of a dataset package, with metadata for the Hugging Face Hub."""

import re
from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string

from annotation.models import Campaign
from annotation.questionnaires import questionnaire_of
from annotation.results.reliability import CampaignReliability

SIZES = {
    1_000: "n<1K",
    10_000: "1K<n<10K",
    100_000: "10K<n<100K",
    1_000_000: "100K<n<1M",
    10_000_000: "1M<n<10M",
}
LOADABLE = (".jsonl", ".parquet", ".csv")
"""Suffixes that `load_dataset` reads; the card names the files of the first one present."""
TOTALS = ("items", "passages", "judgments", "as_imported", "assignments_late")


def card_text(
    campaign: Campaign, manifest: Mapping[str, Any], reliability: CampaignReliability
) -> str:
    formats = manifest["formats"].values()
    # Only HAGRID's file counts quotes.
    main = max(formats, key=lambda each: [_total(each, name) for name in ("quotes", "items")])
    context = {
        "campaign": campaign,
        "head": _head(campaign, manifest),
        "kind": questionnaire_of(campaign),
        "main": main,
        "manifest": manifest,
        "parts": _counts(main),
        "reliability": reliability,
        "total": {name: _total(main, name) for name in TOTALS},
    }
    return render_to_string("annotation/dataset_card.md", context)


def _head(campaign: Campaign, manifest: Mapping[str, Any]) -> str:
    from huggingface_hub import DatasetCardData

    licence = manifest["package"]["licence"]
    is_known = re.fullmatch(r"[a-z0-9][a-z0-9.\-]*", licence or "")
    lines = max(_total(each, "lines") for each in manifest["formats"].values())
    head = DatasetCardData(
        pretty_name=campaign.name,
        language=manifest["package"]["languages"] or None,
        license=licence if is_known or not licence else "other",
        license_name=None if is_known else licence,
        size_categories=[next((name for limit, name in SIZES.items() if lines < limit), "n>10M")],
        annotations_creators=["crowdsourced"] if manifest["participants"] else None,
        configs=_configs(manifest["formats"]) or None,
    )
    return head.to_yaml()


def _configs(formats: Mapping[str, Any]) -> list[dict[str, Any]]:
    for suffix in LOADABLE:
        files = {
            name: [each["name"] for each in of["files"] if each["name"].endswith(suffix)]
            for name, of in formats.items()
        }
        if any(files.values()):
            return [
                {
                    "config_name": name,
                    "data_files": [
                        {"split": split, "path": f"data/{file}"}
                        for split, file in zip(
                            formats[name].get("parts", ["train"]), names, strict=True
                        )
                    ],
                }
                for name, names in files.items()
                if names
            ]
    return []


def _counts(of_format: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    parts = of_format.get("parts", {"all": of_format})
    return {name: part["counts"] for name, part in parts.items()}


def _total(of_format: Mapping[str, Any], name: str) -> int:
    return sum(counts[name] for counts in _counts(of_format).values())
