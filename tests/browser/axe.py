"""Runs axe-core on a page, through the debugger, which bypasses the CSP."""

from functools import cache
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_SIZE = ["scrollable-region-focusable", "target-size"]
"""Rules that can be broken on a narrow page and kept on a wide one."""
OF_COLOUR = ["color-contrast", "link-in-text-block"]
"""Rules that can be broken in the dark and kept in the light, or the other way round."""


@cache
def source() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, only: list[str] | None = None) -> list[str]:
    """Return a line per element that breaks a rule."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(f"{source()}; undefined")
    answer = page.evaluate(
        "runOnly => axe.run(document, {runOnly, resultTypes: ['violations']})",
        {"type": "rule", "values": only} if only else {"type": "tag", "values": TAGS},
    )
    return [_line(rule, node) for rule in answer["violations"] for node in rule["nodes"]]


def _line(rule: dict[str, Any], node: dict[str, Any]) -> str:
    where = " ".join(str(part) for part in node["target"])
    why = " ".join(str(node.get("failureSummary", rule["help"])).split())
    return f"{rule['id']} at {where}: {why}"
