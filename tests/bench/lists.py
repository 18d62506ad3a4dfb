"""What a page of each list costs with 20, 2,000 and 20,000 rows: queries and milliseconds.

    python -m tests.bench.lists [20 2000 20000]

Fills a database of its own, in a temporary folder, and asks for each page through Django's client;
the median of seven requests. `deep` is the page in the middle of the sorted list.
"""

import logging
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

REQUESTS = 7
TRACE = {"trace": "A step of the trace, as long as they are. " * 200}
"""Eight kilobytes beside each revision, so that rows lie as far apart as real ones."""


def main() -> None:
    sizes = [int(each) for each in sys.argv[1:]] or [20, 2_000, 20_000]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RARR_VAR"] = folder
        os.environ.pop("DATABASE_URL", None)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rarrweb.settings")
        import django

        django.setup()
        from django.conf import settings
        from django.core.management import call_command

        settings.ALLOWED_HOSTS = ["*"]
        logging.disable(logging.WARNING)  # the results of these revisions cannot be read
        call_command("migrate", verbosity=0)
        found: dict[str, dict[int, tuple[int, float]]] = {}
        for size in sizes:
            fill(size)
            for name, address in pages(size):
                found.setdefault(name, {})[size] = cost(address)
    print(f"{'':40}" + "".join(f"{size:>18,} rows" for size in sizes))
    for name, by_size in found.items():
        figures = (f"{queries:>3} queries {ms:>7.1f} ms" for queries, ms in by_size.values())
        print(f"{name:40}" + "".join(f"{each:>23}" for each in figures))


def fill(size: int) -> None:
    """Add rows until each list has `size`."""
    from annotation.models import Campaign
    from pipeline.models import Corpus, Dataset, Document, Passage, Revision, Run

    def add(model: Any, have: int, make: Any) -> None:
        for start in range(have, size, 500):
            model.objects.bulk_create([make(i) for i in range(start, min(start + 500, size))])

    def named(model: Any) -> Any:
        return lambda i: model(slug=f"{model.__name__}-{i}".lower(), name=f"Set {i * 7919 % 1000}")

    add(Dataset, Dataset.objects.count(), named(Dataset))
    add(Corpus, Corpus.objects.count(), named(Corpus))
    add(Campaign, Campaign.objects.count(), named(Campaign))
    dataset, corpus = Dataset.objects.order_by("pk")[0], Corpus.objects.order_by("pk")[0]
    add(Run, Run.objects.count(), lambda i: Run(
        system=("rarr", "efec")[i % 2], dataset=dataset, corpus=corpus, config={},
        state=("finished", "cancelled")[i % 3 // 2], passage_count=i * 7919 % 1000,
    ))  # fmt: skip
    text = "The Ribble flows into the Irish Sea. It rises near the viaduct of Ribblehead. " * 4
    add(Passage, Passage.objects.count(), lambda i: Passage(
        dataset=dataset, external_id=f"p-{i * 7919 % 100_003}", text=text, content_hash=str(i),
    ))  # fmt: skip
    add(Document, Document.objects.count(), lambda i: Document(
        corpus=corpus, external_id=f"d-{i * 7919 % 100_003}", title=f"Page {i}", text=text * 5,
        content_hash=str(i), is_indexed=True,
    ))  # fmt: skip
    Dataset.objects.filter(pk=dataset.pk).update(passage_count=size)
    Corpus.objects.filter(pk=corpus.pk).update(document_count=size)
    run, keys = Run.objects.order_by("pk")[0], list(Passage.objects.values_list("pk", flat=True))
    add(Revision, Revision.objects.count(), lambda i: Revision(
        run=run, passage_id=keys[i], state="done", original_text=text, text=text, result=TRACE,
        is_changed=i % 2 == 0, attribution_before=0.4, attribution_after=i * 7919 % 1000 / 1000,
        preservation=0.9,
    ))  # fmt: skip


def pages(size: int) -> Iterator[tuple[str, str]]:
    """(what is asked for, its address)."""
    from annotation.models import Campaign
    from pipeline.models import Corpus, Dataset, Document, Passage, Revision, Run

    dataset, corpus = Dataset.objects.order_by("pk")[0], Corpus.objects.order_by("pk")[0]
    run = Run.objects.order_by("pk")[0]
    lists = {
        "datasets": ("/datasets/", Dataset, "name", ""),
        "corpora": ("/corpora/", Corpus, "-documents", "state=empty"),
        "runs": ("/runs/", Run, "-passages", "system=efec"),
        "campaigns": ("/campaigns/", Campaign, "name", "state=draft"),
        "passages": (f"/datasets/{dataset.slug}/", Passage, "id", "revised=yes"),
        "documents": (f"/corpora/{corpus.slug}/", Document, "id", "indexed=yes"),
        "revisions": (f"/runs/{run.pk}/revisions/", Revision, "-attribution", "filter=changed"),
    }
    for name, (address, model, sort, narrowed) in lists.items():
        middle = model._default_manager.order_by("pk")[size // 2].pk
        yield f"{name}, first page", address
        yield f"{name}, sorted", f"{address}?sort={sort}"
        yield f"{name}, sorted and deep", f"{address}?sort={sort}&after={middle}"
        if narrowed:
            yield f"{name}, filtered", f"{address}?{narrowed}"
        yield f"{name}, search that finds nothing", f"{address}?q=zeppelin"
    yield "a revision, in the sorted list", f"/revisions/{run.revisions.first().pk}/?sort={sort}"


def cost(address: str, username: str = "lea") -> tuple[int, float]:
    """The queries of a page and the median of its milliseconds; a new user is a researcher."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from rarrweb.accounts.models import User

    user, _ = User.objects.get_or_create(username=username, defaults={"role": User.Role.RESEARCHER})
    client = Client()
    client.force_login(user)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200, address
    asked = len(queries)  # before the next request clears them
    times = []
    for _ in range(REQUESTS):
        start = time.perf_counter()
        client.get(address)
        times.append(time.perf_counter() - start)
    return asked, 1000 * statistics.median(times)


if __name__ == "__main__":
    main()
