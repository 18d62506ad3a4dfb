"""What the pages that sum up runs cost with 20,000 passages a run: queries and milliseconds.

    python -m tests.bench.run_pages [--rows 20000] [--against CHECKOUT]

Fills a database in a temporary folder with one finished run of each of four systems, started
together, and one that is under way, and requests each page through Django's client. With
`--against`, another checkout of the code (a git worktree, say) serves the same pages from the same
database, turn by turn. Printed are medians over the rounds: queries, milliseconds by the clock, and
milliseconds of the process's own CPU time, which a loaded machine changes least.
"""

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROUNDS = 3
REQUESTS = 3
AGAIN = "again"
SYSTEMS = ("rarr", "efec", "rarr-no-agreement", "rarr-query-input")
TRACE = {"trace": "A step of the trace, as long as they are. " * 200}
"""Eight kilobytes in each revision, so that rows lie as far apart as real ones."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--against", type=Path, help="another checkout of the code")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        result = {name: cost(address, is_first=AGAIN not in name) for name, address in pages()}
        json.dump(result, sys.stdout)
        return
    here = Path(__file__).parents[2]
    trees = {"here": here} | ({"there": options.against.resolve()} if options.against else {})
    pages_of: dict[str, dict[str, list[list[float]]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RARR_VAR"] = folder
        set_up()
        fill(options.rows)
        for _ in range(ROUNDS):
            for tree, path in trees.items():
                for page, figures in measure_in(path).items():
                    pages_of.setdefault(page, {}).setdefault(tree, []).append(figures)
    print(f"{'':34}" + "".join(f"{tree:>36}" for tree in trees))
    for page, by_tree in pages_of.items():
        cells = ""
        for rounds in by_tree.values():
            queries, wall, cpu = map(statistics.median, zip(*rounds, strict=True))
            cells += f"{queries:>12.0f} q {wall:>6.0f} ms {cpu:>6.0f} ms CPU"
        print(f"{page:34}{cells}")


def measure_in(tree: Path) -> dict[str, list[float]]:
    script = f"import runpy, sys; sys.path.insert(0, {str(tree)!r}); "
    script += f"sys.argv = ['', '--measure']; runpy.run_path({__file__!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tree, stdout=subprocess.PIPE, check=True
    )
    figures: dict[str, list[float]] = json.loads(done.stdout)
    return figures


def set_up() -> None:
    os.environ.pop("DATABASE_URL", None)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rarrweb.settings")
    import django

    django.setup()
    from django.conf import settings

    settings.ALLOWED_HOSTS = ["*"]
    logging.disable(logging.WARNING)


def fill(size: int) -> None:
    import uuid
    from datetime import timedelta

    from django.core.management import call_command
    from django.utils import timezone

    from pipeline.engine.configuration import RunConfig
    from pipeline.models import Corpus, Dataset, Passage, Revision, Run

    call_command("migrate", verbosity=0)
    dataset = Dataset.objects.create(slug="rivers", name="Rivers", passage_count=size)
    corpus = Corpus.objects.create(slug="rivers", name="Rivers", state="ready", document_count=9)
    text = "The Ribble flows into the Irish Sea. It rises near the viaduct of Ribblehead. " * 4
    Passage.objects.bulk_create(
        [Passage(dataset=dataset, external_id=f"p-{i}", text=text, context="Where does it end?",
                 content_hash=str(i)) for i in range(size)], batch_size=500,
    )  # fmt: skip
    keys = list(Passage.objects.order_by("pk").values_list("pk", flat=True))
    start = timezone.now() - timedelta(hours=5)
    group = uuid.uuid4()
    for number, system in enumerate((*SYSTEMS, SYSTEMS[0])):
        is_over = number < len(SYSTEMS)
        run = Run.objects.create(
            system=system, dataset=dataset, corpus=corpus, started_at=start, passage_count=size,
            config=RunConfig.from_settings(system=system).to_plain(), versions={},
            state="finished" if is_over else "running", group=group if is_over else None,
            finished_at=start + timedelta(hours=4) if is_over else None,
        )  # fmt: skip
        for first in range(0, size, 500):
            Revision.objects.bulk_create(
                revision(run, keys[i], i, size, is_over=is_over)
                for i in range(first, min(first + 500, size))
            )


def revision(run: Any, passage: int, i: int, size: int, *, is_over: bool) -> Any:
    """A revision of a finished run, or a waiting one in the last tenth of a running one."""
    from datetime import timedelta

    from pipeline.models import Revision

    if not is_over and i > 0.9 * size:
        return Revision(run=run, passage_id=passage, state="queued", original_text="Waits.")
    end = run.started_at + timedelta(hours=4 if is_over else 4.99) * ((i + 1) / size)
    share = (i * 7919 + run.pk * 104_729) % 1000 / 1000
    usage = {
        "seconds": 2 + share, "model_calls": i % 9, "cached_calls": i % 3,
        "input_tokens": 900 + i % 80, "output_tokens": 80 + i % 9, "cost": share / 1000,
    }  # fmt: skip
    return Revision(
        run=run, passage_id=passage, state="done", original_text="The Ribble is a river. " * 12,
        text=f"The Ribble is a river, {i % 5}. " * 12, result=TRACE, usage=usage,
        started_at=end - timedelta(seconds=2), finished_at=end, is_changed=i % 2 == 0,
        attribution_before=0.8 * share, attribution_after=min(0.3 + share / 2, 1.0),
        attribution_restrictive=0.2 + share / 2, preservation=1 - share / 3,
    )  # fmt: skip


def pages() -> Iterator[tuple[str, str]]:
    set_up()
    from pipeline.models import Run

    *over, running = Run.objects.order_by("pk")
    yield "status of a run under way", f"/runs/{running.pk}/status/"
    yield "status of four runs together", f"/runs/{over[0].pk}/status/"
    yield "new run", "/runs/new/?dataset=rivers"
    query = "&".join(f"run={run.pk}" for run in over)
    yield "compare four runs", f"/compare/?{query}"
    yield f"compare four runs, {AGAIN}", f"/compare/?{query}"


def cost(address: str, *, is_first: bool) -> list[float]:
    """Return queries, and medians of wall and CPU milliseconds, uncached if `is_first`."""
    from django.core.cache import cache
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from rarrweb.accounts.models import User

    user, _ = User.objects.get_or_create(username="lea", defaults={"role": User.Role.RESEARCHER})
    client = Client()
    client.force_login(user)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200, address
    requests = len(queries)
    walls, cpus = [], []
    for _ in range(REQUESTS):
        if is_first:
            cache.clear()
        wall, cpu = time.perf_counter(), time.process_time()
        client.get(address)
        walls.append(1000 * (time.perf_counter() - wall))
        cpus.append(1000 * (time.process_time() - cpu))
    return [requests, statistics.median(walls), statistics.median(cpus)]


if __name__ == "__main__":
    main()
