"""`manage.py load_corpus`: documents into a corpus and its search index."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pipeline import corpora
from pipeline.management.loading import Bar, refuse_errors, refuse_long_name, staging_folder
from pipeline.models import Corpus
from pipeline.rarr.types import RarrError

LOOK_EVERY_SECONDS = 1.0


class Command(BaseCommand):
    help = (
        "Loads documents into a corpus, which is made if there is none of that name, and "
        "indexes them for search. PATH is a folder or a ZIP of .txt, .md and .html files, or "
        'JSON lines of {"id", "title", "url", "text"}. All documents are checked before one is '
        "written; the same ones are passed over. Start it again after an interruption: it goes "
        "on where it was. Exit status: 0 done, 1 some documents are wrong and nothing was "
        "written, 2 nothing could be read, or the index failed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="a folder, a ZIP, or a file of JSON lines")
        parser.add_argument("--name", required=True, help="name or slug of the corpus")
        parser.add_argument(
            "--dry-run", action="store_true", help="only say what is new, the same and changed"
        )
        parser.add_argument(
            "--errors", type=Path, metavar="OUT.csv", help="write all errors to this file"
        )

    def handle(
        self, *, path: Path, name: str, dry_run: bool, errors: Path | None, **options: Any
    ) -> None:
        refuse_long_name(name)
        found = corpora.find_corpus(name)
        with staging_folder() as folder:
            staged = folder / "rows.jsonl"
            with Bar("documents read") as bar:
                try:
                    check = corpora.check_documents(
                        found,
                        path,
                        staged=None if dry_run else staged,
                        errors=errors,
                        progress=bar,
                    )
                except (RarrError, OSError) as error:
                    raise CommandError(str(error), returncode=2) from error
            refuse_errors(self, check, errors)
            self.stdout.write(f"{path.name}: {check}.")
            if dry_run:
                self.stdout.write("This was a dry run: nothing was written.")
                return
            corpus = found or corpora.create_corpus(name=name)
            with Bar("documents stored", total=check.rows) as bar:
                corpora.import_documents(corpus, staged, progress=bar)
        self._index(corpus)

    def _index(self, corpus: Corpus) -> None:
        corpora.mark_for_indexing(corpus)
        with Bar("documents indexed", total=corpus.document_count) as bar:
            # A worker may be quicker, or one may have died at it: then its lease has to end.
            while corpus.state in {Corpus.State.QUEUED, Corpus.State.INDEXING, Corpus.State.EMPTY}:
                if not corpora.index_corpus(corpus.pk, progress=bar):
                    time.sleep(LOOK_EVERY_SECONDS)
                corpus.refresh_from_db()
                bar(corpus.indexed_count)
        if corpus.state == Corpus.State.FAILED:
            raise CommandError(f"The index could not be made: {corpus.error}", returncode=2)
        self.stdout.write(
            f"The corpus {corpus.name!r} ({corpus.slug}) is ready: "
            f"{corpus.indexed_count:,} documents in its search index."
        )
