"""Counts clicks and keys per item."""

from dataclasses import dataclass, field

from playwright.sync_api import Page

COUNT = """() => {
    const acts = { clicks: 0, keys: 0 };
    window.acts = acts;
    addEventListener("pointerdown", () => { acts.clicks += 1; }, true);
    addEventListener("keydown", (event) => {
        const isModifier = ["Control", "Shift", "Alt", "Meta"].includes(event.key);
        if (!event.repeat && !isModifier) acts.keys += 1;
    }, true);
}"""


@dataclass
class Effort:
    page: Page
    name: str
    fewest: int
    """An act for each required answer, and one to hand the item in."""
    clicks: int = field(default=0, init=False)
    keys: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.page.evaluate(COUNT)

    def hand_in(self, *, by_key: bool) -> None:
        # The page's counts go with the page.
        acts = self.page.evaluate("() => window.acts")
        self.clicks, self.keys = acts["clicks"] + (not by_key), acts["keys"] + by_key
        with self.page.expect_navigation():
            if by_key:
                self.page.keyboard.press("Control+Enter")
            else:
                self.page.get_by_role("button", name="Submit and next").click()
        print(  # noqa: T201
            f"EFFORT {self.name}: {self.clicks} clicks, {self.keys} keys; fewest {self.fewest}"
        )
