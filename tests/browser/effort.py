"""What an item takes: clicks and keys, beside the fewest, and how far pointer and page go."""

from dataclasses import dataclass, field

from playwright.sync_api import Page

COUNT = """() => {
    const acts = { clicks: 0, keys: 0, travel: 0, scroll: 0 };
    window.acts = acts;
    let at = null;
    addEventListener("pointermove", ({ clientX: x, clientY: y }) => {
        if (at) acts.travel += Math.hypot(x - at.x, y - at.y);
        at = { x, y };
    }, true);
    let top = scrollY;
    addEventListener("scroll", () => {
        acts.scroll += Math.abs(scrollY - top);
        top = scrollY;
    });
    addEventListener("pointerdown", () => { acts.clicks += 1; }, true);
    addEventListener("keydown", (event) => {
        const isModifier = ["Control", "Shift", "Alt", "Meta"].includes(event.key);
        if (!event.repeat && !isModifier) acts.keys += 1;
    }, true);
}"""


@dataclass
class Effort:
    """Counts from when it is made; `table` is printed with `pytest -rP`, and on a failure."""

    page: Page
    name: str
    fewest: int
    """An act for each required answer, and one to hand the item in."""
    clicks: int = field(default=0, init=False)
    keys: int = field(default=0, init=False)
    way: str = field(default="", init=False)
    """How far the pointer went from its first place on, and the page with it, in CSS pixels."""

    def __post_init__(self) -> None:
        self.page.evaluate(COUNT)

    def read(self) -> None:
        """Before the item is handed in: the page goes then, and its counts with it."""
        acts = self.page.evaluate("() => window.acts")
        self.clicks, self.keys = acts["clicks"], acts["keys"]
        self.way = f"pointer {acts['travel']:.0f} px, scroll {acts['scroll']:.0f} px"

    def hand_in(self, *, by_key: bool) -> None:
        """The last act of an item."""
        self.read()
        with self.page.expect_navigation():
            if by_key:
                self.page.keyboard.press("Control+Enter")
                self.keys += 1
            else:
                self.page.get_by_role("button", name="Submit and next").click()
                self.clicks += 1
        acts = f"{self.clicks} clicks, {self.keys} keys; fewest {self.fewest}"
        print(f"EFFORT {self.name}: {acts}; {self.way}")  # noqa: T201
