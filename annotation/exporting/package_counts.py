"""What the manifest of a dataset package counts, over its formats and their parts."""

from collections.abc import Mapping
from typing import Any


def most_counted(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """The format whose counts tell most: the one with quotes, else the first that counts items."""
    found: list[Mapping[str, Any]] = list(manifest["formats"].values())
    return max(found, key=lambda of: [sum(each[name] for each in counts_of_parts(of))
                                      for name in ("quotes", "items")])  # fmt: skip


def counts_of_parts(of_format: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The counts of each part, or of the one file."""
    if "parts" in of_format:
        return [part["counts"] for part in of_format["parts"].values()]
    return [of_format["counts"]]


def summed(of_format: Mapping[str, Any], count: str) -> dict[str, int]:
    """Criterion to that count of its targets, over all parts; a part may have no item at all."""
    found: dict[str, int] = {}
    for part in counts_of_parts(of_format):
        for name, of in part["labels"].items():
            found[name] = found.get(name, 0) + of[count]
    return found


def part_names(of_format: Mapping[str, Any]) -> list[str]:
    return list(of_format.get("parts", ["all"]))


def data_files(of_format: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The files of a format without its schema."""
    return [each for each in of_format["files"] if not each["name"].endswith(".features.json")]


def totals(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Counts of the whole: of parts, their sums."""
    parts = counts_of_parts(most_counted(manifest))
    total = {name: sum(each[name] for each in parts) for name in ("items", "passages", "judgments")}
    given: dict[str, int] = {}
    for each in parts:
        for version, n in each["guidelines"].items():
            given[version] = given.get(version, 0) + n
    return {**total, "guidelines": given}
