"""`manage.py load_corpus`: import documents into a corpus and index them."""

import time
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from pipeline.data import corpora
from pipeline.data.slugs import find_named
from pipeline.importing.columns import DOCUMENT_FIELDS
from pipeline.jobs import queue
from pipeline.management.base import LoadCommand, progress_bar, refuse_bad_name
from pipeline.models import Corpus

POLL_SECONDS = 1.0


class Command(LoadCommand):
    help = (
        "Loads documents into a corpus, which is created if needed, and indexes them for "
        "search. PATH is a folder or a ZIP of .txt, .md and .html files, or CSV or "
        'JSON lines of {"id", "title", "url", "text"}. All documents are checked before one is '
        "written; unchanged ones are skipped; other content under a known id is an error, or with "
        "--update replaces the document. Run it again after an interruption: it continues "
        "where it stopped. Exit status: 0 done, 1 some documents are invalid (nothing was "
        "written, unless --skip-invalid imported the others), 2 nothing could be read, or the "
        "index failed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path", type=Path, help="a folder, a ZIP, or a file of CSV or JSON lines"
        )
        parser.add_argument("--name", required=True, help="name or slug of the corpus")
        super().add_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        name: str = options["name"]
        refuse_bad_name(name)
        reading = self.reading(options, DOCUMENT_FIELDS)
        existing = find_named(Corpus, name)
        corpus = self.load(
            options["path"],
            options,
            bars=("documents read", "documents stored"),
            check=partial(corpora.check_documents, existing, reading=reading),
            find_or_create=lambda: existing or corpora.create_corpus(name=name),
            store=corpora.import_documents,
        )
        if corpus:
            self._index(corpus)

    def _index(self, corpus: Corpus) -> None:
        queue.mark_for_indexing(corpus)
        with progress_bar("documents indexed", total=corpus.document_count) as bar:
            # A worker may index it, or the lease of a dead worker may have to expire.
            while corpus.state in {Corpus.State.QUEUED, Corpus.State.INDEXING, Corpus.State.EMPTY}:
                if not corpora.Indexing(bar).run(corpus.pk):
                    time.sleep(POLL_SECONDS)
                corpus.refresh_from_db()
                if corpus.state == Corpus.State.QUEUED and corpus.error:
                    raise CommandError(
                        f"The index waits: {corpus.error} A worker tries again every minute.",
                        returncode=2,
                    )
                bar(corpus.indexed_count)
        if corpus.state == Corpus.State.FAILED:
            raise CommandError(f"The index could not be made: {corpus.error}", returncode=2)
        self.stdout.write(
            f"The corpus {corpus.name!r} ({corpus.slug}) is ready: "
            f"{corpus.indexed_count:,} documents in its search index."
        )
