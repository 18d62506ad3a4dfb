"""What a browser transfers for a page: with nothing kept from earlier, and when it comes again."""

from playwright.sync_api import BrowserContext

from tests.browser.chromium import a_browser
from tests.load.browser import Browser


def bytes_of_visits(rater: Browser, path: str) -> tuple[int, int]:
    """All that the first visit of `path` and a later one transfer, heads of answers included:
    the page, styles, scripts, icons, as they are packed on their way."""
    cookies = [
        {"name": name, "value": value, "url": rater.url} for name, value in rater.cookies.items()
    ]
    with a_browser() as chromium:
        context = chromium.new_context(base_url=rater.url)
        context.add_cookies(cookies)
        first = _transferred(context, path)
        return first, _transferred(context, path)


def _transferred(context: BrowserContext, path: str) -> int:
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    sizes: list[float] = []
    # What comes from the browser's own cache ends with a length of 0.
    network.on("Network.loadingFinished", lambda end: sizes.append(end["encodedDataLength"]))
    page.goto(path, wait_until="networkidle")
    page.close()
    return int(sum(sizes))
