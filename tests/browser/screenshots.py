"""Screenshots of every page: `python -m tests.browser.screenshots`.

Makes an installation of its own with the demo data, walks the road once, and takes each page at
1280 and 390 pixels, light and dark, into var/screenshots. Those that the documents show are copied
to docs/screenshots by hand.
"""

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import FLAGS, chromium_path, new_context
from tests.support.installation import Installation, running_installation

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
TALLEST = 1600  # pixels; a picture shows a page's way of speaking, not all its rows

Shoot = Callable[[Page, str], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("var/screenshots"))
    parser.add_argument("--only", help="take just the pictures whose name holds this")
    options = parser.parse_args()
    path = chromium_path()
    if path is None:
        sys.exit("Chromium is missing: install chromium-headless-shell.")
    options.out.mkdir(parents=True, exist_ok=True)
    with running_installation() as made, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)

        def shoot(page: Page, name: str) -> None:
            if options.only and options.only not in name:
                return
            for width in WIDTHS:
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    page.set_viewport_size({"width": width, "height": 800})
                    page.wait_for_timeout(150)
                    wide = page.evaluate("document.documentElement.scrollWidth")
                    if wide > width:
                        sys.stderr.write(f"{name}: {wide} px wide at {width}\n")
                    tall = page.evaluate("document.documentElement.scrollHeight")
                    page.set_viewport_size({"width": width, "height": min(max(tall, 800), TALLEST)})
                    page.screenshot(path=options.out / f"{name}-{width}-{scheme}.png")
            page.emulate_media(color_scheme="light")
            page.set_viewport_size({"width": 1280, "height": 800})
            sys.stdout.write(f"{name}\n")

        walk(made, browser, shoot)
        browser.close()


def open_page(made: Installation, browser: Browser, role: str) -> Page:
    page = new_context(browser, base_url=made.url).new_page()
    page.goto("/")
    if role:
        username, password = made.logins[role]
        page.get_by_label("User name").fill(username)
        page.get_by_label("Password").fill(password)
        page.keyboard.press("Enter")
        page.get_by_role("heading", level=1).wait_for()
    return page


def walk(made: Installation, browser: Browser, shoot: Shoot) -> None:
    page = open_page(made, browser, "")
    shoot(page, "log-in")

    page = open_page(made, browser, "researcher")
    shoot(page, "home-first")
    for path, name in [
        ("/runs/", "runs-empty"),
        ("/campaigns/", "campaigns-empty"),
        ("/runs/new/", "run-new"),
    ]:
        page.goto(path)
        shoot(page, name)
    page.get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(r"/runs/\d+/$"))
    run = page.url
    page.get_by_text("finished").first.wait_for(timeout=180_000)
    page.goto(run)
    shoot(page, "run")
    page.goto(f"{run}revisions/")
    shoot(page, "revisions")
    page.goto(f"{run}revisions/?filter=changed")
    page.locator("main a[href^='/revisions/']").nth(1).click()
    shoot(page, "revision")

    compare(page, shoot)

    page.goto("/datasets/new/")
    shoot(page, "dataset-new")
    page.get_by_label("Name").fill("Broken file")
    page.set_input_files(
        "input[type=file]",
        {
            "name": "passages.csv",
            "mimeType": "text/csv",
            "buffer": b"id,text,context\n1,A river is long.,\n1,The same id again.,\n3,,No text\n",
        },
    )
    page.locator("main form button.primary").click()
    page.wait_for_url("**/uploads/**")
    page.wait_for_timeout(4000)
    page.reload()
    shoot(page, "upload")
    for path, name in [
        ("/datasets/", "datasets"),
        ("/corpora/", "corpora"),
        ("/corpora/new/", "corpus-new"),
        ("/runs/", "runs"),
    ]:
        page.goto(path)
        shoot(page, name)
    page.goto("/datasets/")
    page.locator("main tbody a[href^='/datasets/']").last.click()
    shoot(page, "dataset")
    page.goto("/corpora/")
    page.locator("main tbody th a[href^='/corpora/']").first.click()
    shoot(page, "corpus")
    page.locator("main tbody a[href*='/documents/']").first.click()
    shoot(page, "document")

    page.goto(f"/campaigns/new/?run={run.rstrip('/').rsplit('/', 1)[-1]}")
    page.wait_for_timeout(500)
    shoot(page, "campaign-new")
    page.locator("[name=questionnaire][value=intent]").uncheck()
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Name").fill("First look at the demo passages")
    page.get_by_role("button", name="Start campaign").click()
    page.wait_for_url("**/campaigns/first-look*/members/")
    campaign = page.url.removesuffix("members/")
    page.get_by_role("button", name="Judge items yourself").click()
    page.get_by_role("button", name="Start judging").click()
    page.locator(".s.here").wait_for()  # the page's script is up and obeys keys
    shoot(page, "task-new")
    for number in range(5):
        page.locator(".s.here").wait_for()
        for position, sentence in enumerate(page.locator(".s").all()):
            sentence.click()
            if (number + position) % 3 == 0:
                sentence.click(delay=100)
        for useful in page.get_by_role("button", name="Useful", exact=False).all():
            if useful.get_attribute("data-set") == "1":
                useful.click()
        page.locator("#saved", has_text="Saved").wait_for()
        page.wait_for_timeout(400)
        if number == 4:
            shoot(page, "task")
        here = page.url
        page.keyboard.press("Control+Enter")
        page.wait_for_url(lambda url, here=here: url != here)
    page.keyboard.press("?")
    shoot(page, "task-keys")
    page.keyboard.press("Escape")
    page.goto(campaign)
    shoot(page, "campaign")
    page.goto(f"{campaign}members/")
    shoot(page, "raters")
    page.goto(f"{campaign}guidelines/")
    shoot(page, "guidelines")
    page.goto(f"{campaign}export/")
    shoot(page, "export")
    page.goto(f"{campaign}differences/")
    shoot(page, "differences")
    page.goto("/adjudicate/")
    shoot(page, "adjudicate")
    for kind in ("intent", "answer_quality", "manual_revision"):
        page.goto(f"/campaigns/new/?run={run.rstrip('/').rsplit('/', 1)[-1]}")
        page.get_by_text("3 more", exact=True).click()
        page.locator(f"[name=questionnaire][value={kind}]").check()
        for other in {"attribution", "intent"} - {kind}:
            page.locator(f"[name=questionnaire][value={other}]").uncheck()
        page.get_by_text("Options", exact=True).click()
        page.get_by_label("Name").fill(f"Another look, {kind}")
        if kind == "manual_revision":
            page.get_by_label("Texts").select_option("after")
        page.get_by_role("button", name="Start campaign").click()
        page.get_by_role("button", name="Judge items yourself").click()
        page.get_by_role("button", name="Start judging").click()
        page.wait_for_url("**/tasks/*/")
        page.wait_for_timeout(500)
        shoot(page, f"task-{kind.replace('_', '-')}")
    for path, name in [
        ("/models/compact/", "model"),
        ("/", "home"),
        ("/campaigns/", "campaigns"),
        ("/account/", "account"),
        ("/nowhere/", "not-found"),
    ]:
        page.goto(path)
        shoot(page, name)

    page = open_page(made, browser, "annotator")
    shoot(page, "home-annotator")
    page = open_page(made, browser, "admin")
    page.goto("/people/")
    shoot(page, "people")


def compare(page: Page, shoot: Shoot) -> None:
    page.goto("/runs/new/")
    page.get_by_text("More systems and answers with citations").click()
    for system in ("rarr-no-agreement", "rarr-query-sentence", "efec"):
        page.locator(f"[name=system][value={system}]").check()
    page.locator("[name=system][value=rarr]").uncheck()
    page.locator("#start-run").click()
    page.get_by_role("link", name="Compare").wait_for(timeout=180_000)
    page.goto("/runs/")
    while page.locator(".chip.running, .chip.waiting").count():
        page.wait_for_timeout(3000)
        page.reload()
    page.goto("/compare/")
    # With one dataset the latest run of each system is chosen.
    page.locator("#figures").wait_for()
    shoot(page, "compare-runs")
    page.locator("main a.button[href^='/compare/passages/']").click()
    page.get_by_role("heading", level=1).wait_for()
    shoot(page, "compare")
    page.goto("/results/")
    page.locator("#systems").wait_for()
    shoot(page, "results")


if __name__ == "__main__":
    main()
