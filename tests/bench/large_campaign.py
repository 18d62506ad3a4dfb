"""Seconds of a page with figures over 300,000 judgments.

    python -m tests.bench.large_campaign [--judgments 300000]

Fills an SQLite database in a temporary folder, or the empty one that DATABASE_URL names, with one
campaign of attribution, and requests each page through Django's client: with nothing cached, then
with `?figures=now`, then again. Printed are seconds by the clock and, in brackets, of the process's
own CPU time, which a loaded machine changes least.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

PER_ITEM = 27
"""Judgments: `add_progress` has three raters judge five sentences and five snippets, of 90 %."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--judgments", type=int, default=300_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RARR_VAR"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rarrweb.settings")
        import django

        django.setup()
        measure(fill(options.judgments))


def fill(judgments: int) -> str:
    from django.conf import settings
    from django.core.management import call_command

    from annotation.models import Judgment
    from tests.load.filling import add_progress, make_campaign, make_people

    settings.ALLOWED_HOSTS = ["*"]
    call_command("migrate", verbosity=0)
    researcher, raters = make_people(50)
    campaign = make_campaign(
        "large", items=-(-judgments // PER_ITEM), per_item=3, researcher=researcher, raters=raters
    )
    add_progress(campaign, raters)
    print(f"{Judgment.objects.count():,} judgments")
    return campaign.get_absolute_url()


def measure(campaign: str) -> None:
    from django.core.cache import cache
    from django.test import Client

    from rarrweb.accounts.models import User

    client = Client()
    client.force_login(User.objects.get(username="researcher"))
    pages = {
        "overview": campaign,
        "results": f"{campaign}results/",
        "reliability": f"{campaign}reliability/",
        "charts": f"{campaign}results/figures/",
        "joined results": "/results/",
        "adjudication": "/adjudicate/?campaign=large",
        "home": "/",
    }
    print(f"{'':16}{'page, cold':>18}{'its figures':>18}{'page, warm':>18}")
    for name, address in pages.items():
        client.get(address)  # imports, and compiles the templates
        cache.clear()
        figures = f"{address}{'&' if '?' in address else '?'}figures=now"
        seconds = [timed(client.get, each) for each in (address, figures, address)]
        print(f"{name:16}" + "".join(f"{wall:>10.2f} ({cpu:>4.2f})" for wall, cpu in seconds))


def timed(get: Callable[[str], Any], address: str) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    assert get(address).status_code == 200, address
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main()
