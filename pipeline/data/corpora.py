"""Import and indexing of corpora."""

import logging
import shutil
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet

from pipeline.backends.opensearch.corpus import OpenSearchIndex, OpenSearchWriter, index_name
from pipeline.backends.searches import Index
from pipeline.backends.tantivy_corpus import CorpusWriter, IndexLocked
from pipeline.data.slugs import create_named
from pipeline.data.staging import (
    Check,
    Confirm,
    Progress,
    StagedRow,
    batches,
    check_file,
    write_batches,
    write_rows,
)
from pipeline.engine.search import opensearch_server
from pipeline.importing.corpus_files import read_corpus
from pipeline.jobs import leases, queue
from pipeline.jobs.runner import JobRunner, failure_sentence
from pipeline.models import Corpus, Document
from pipeline.rarr import types
from pipeline.rarr.errors import BadConfig, MissingIndex, RarrError, TransientError
from rarrweb.accounts.models import User

logger = logging.getLogger(__name__)

COMMIT_DOCUMENTS = (2_000, 50, 1)
"""Limit of a commit, by number of lost workers."""
COMMIT_CHARACTERS = 32_000_000
READ_DOCUMENTS = 20
"""Rows in memory, of up to a million characters."""
SEARCH_INDEX = "search index"
"""The key of the OpenSearch index in a run's versions."""


def index_path(slug: str) -> Path:
    return Path(settings.CORPUS_DIR) / slug


def index_of(corpus: Corpus) -> Index:
    """Return where RARR_OPENSEARCH puts a corpus's index."""
    if not (server := opensearch_server()):
        return index_path(corpus.slug)
    made = corpus.created_at.astimezone(UTC).isoformat()
    return OpenSearchIndex(server=server, name=index_name(corpus.slug, made=made))


def search_index(corpus: Corpus) -> Index:
    """Return a corpus's index; raises `MissingIndex` if it is elsewhere."""
    index = index_of(corpus)
    if _name_of(index) != corpus.indexed_in:
        raise MissingIndex(
            f"The corpus {corpus.name!r} is not indexed {_named(_name_of(index))} but "
            f"{_named(corpus.indexed_in)}: press “Index again” on its page, or set RARR_OPENSEARCH "
            "as it was."
        )
    return index


def index_version(corpus: Corpus) -> dict[str, str]:
    """Return what a run freezes of an OpenSearch index; raises as `Server.version`."""
    index = search_index(corpus)
    if isinstance(index, Path):
        return {}
    return {SEARCH_INDEX: f"{index.name} in {index.server.version()}"}


def check_index(corpus: Corpus, versions: Mapping[str, str]) -> None:
    """Raise `BadConfig` if a corpus is indexed elsewhere than in `versions`."""
    frozen = versions.get(SEARCH_INDEX, "").partition(" ")[0]
    if frozen != (now := _name_of(index_of(corpus))):
        raise BadConfig(
            f"The run was started over the corpus {_named(frozen)}, and now it is {_named(now)}: "
            "set RARR_OPENSEARCH as it was, or start a new run."
        )


def _name_of(index: Index) -> str:
    return "" if isinstance(index, Path) else index.name


def _named(name: str) -> str:
    return f"in OpenSearch ({name})" if name else "on the disk"


def create_corpus(*, name: str, description: str = "", created_by: User | None = None) -> Corpus:
    """Raises `NameTaken`."""
    return create_named(
        Corpus, name=name, is_unique=True, description=description, created_by=created_by
    )


def check_documents(corpus: Corpus | None, path: Path, **options: Any) -> Check:
    """Check an import into `corpus` (None: a new one) by `check_file`."""
    stored = Document.objects.filter(corpus=corpus)
    return check_file(path, read=read_corpus, stored=stored, **options)


def import_documents(
    corpus: Corpus,
    staged: Path,
    *,
    progress: Progress | None = None,
    confirm: Confirm = lambda: None,
) -> None:
    """Write the staged rows in batches; after a crash, another import completes it.

    `confirm` ends each transaction, or undoes it by raising.
    """
    rows = Corpus.objects.filter(pk=corpus.pk)

    def write(some: list[StagedRow]) -> None:
        new = write_rows(Document, some, parent=corpus, is_indexed=False)
        rows.update(document_count=F("document_count") + new)

    write_batches(staged, write, model=Document, progress=progress, confirm=confirm)
    with transaction.atomic():
        rows.update(document_count=corpus.documents.count())
        confirm()
    corpus.refresh_from_db()


class Indexing(JobRunner[Corpus]):
    """Indexes new documents of a corpus.

    The index is committed before rows are marked: after a crash some are written twice.
    """

    model = Corpus
    tasks = (queue.INDEX_CORPUS,)
    released = {"state": Corpus.State.QUEUED}
    max_crashes = len(COMMIT_DOCUMENTS)

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress = progress

    def waiting(self) -> QuerySet[Corpus]:
        working = [Corpus.State.QUEUED, Corpus.State.INDEXING]
        return Corpus.objects.filter(state__in=working, lease_until=None)

    def claimed(self) -> dict[str, Any]:
        return {"state": Corpus.State.INDEXING, "error": ""}

    def work(self, job: Corpus, lease: leases.Lease) -> dict[str, Any]:
        _index(job, lease, self.progress)
        empty = not job.documents.exists()
        return {"state": Corpus.State.EMPTY if empty else Corpus.State.READY, "lost_leases": 0}

    def later(self, job: Corpus, error: Exception) -> dict[str, Any] | None:
        if isinstance(error, IndexLocked):
            return {}
        if isinstance(error, TransientError):
            return {"error": str(error)}
        return super().later(job, error)

    def failed(self, job: Corpus, error: Exception) -> dict[str, Any]:
        return {"state": Corpus.State.FAILED, "error": failure_sentence(error)}

    def ended(self, job: Corpus, end: Mapping[str, Any]) -> None:
        # Documents added after the last batch would wait for ever.
        if end["state"] == Corpus.State.READY and job.documents.filter(is_indexed=False).exists():
            Corpus.objects.filter(pk=job.pk, claim="").update(state=Corpus.State.QUEUED)
            self.run(job.pk)

    def crash_message(self, job: Corpus) -> str:
        waiting = job.documents.filter(is_indexed=False).order_by("pk")
        first = waiting.values_list("external_id", flat=True).first()
        over = f"document {first}" if first else "the search index of this corpus"
        fix = (
            "Shorten it or split it, and add it again, or give the worker more memory and index "
            "anew."
        )
        return leases.crash_sentence(over, fix=fix, crashes="three times")


def rebuild_index(corpus: Corpus) -> None:
    corpus.documents.update(is_indexed=False)
    Corpus.objects.filter(pk=corpus.pk).update(indexed_count=0)
    queue.queue_indexing(corpus)


def _index(corpus: Corpus, lease: leases.Lease, progress: Progress | None) -> None:
    """Index waiting documents; raises `LeaseLost` before another worker could write."""
    index = index_of(corpus)
    with _open_writer(index) as writer:
        lease.confirm()
        done = corpus.documents.filter(is_indexed=True).count()
        if writer.document_count < done or _name_of(index) != corpus.indexed_in:
            # The index is lost or another one.
            corpus.documents.update(is_indexed=False)
            done = 0
        if not done:
            writer.clear()
        lease.mine.update(indexed_count=done, indexed_in=_name_of(index))
        if index != (folder := index_path(corpus.slug)):
            # Else `revise --corpus` would still find it.
            shutil.rmtree(folder, ignore_errors=True)
        last = 0
        # A worker died: smaller batches find the document.
        lost = corpus.lost_leases
        suspects = COMMIT_DOCUMENTS[lost - 1] if lost else 0
        while batch := _add_batch(
            corpus, writer, after=last, most=COMMIT_DOCUMENTS[lost if suspects > 0 else 0]
        ):
            last = batch[-1][0]
            lease.confirm()
            writer.commit()
            done += _mark_indexed(batch, confirm=lease.confirm)
            suspects -= len(batch)
            lease.mine.update(indexed_count=done, **({} if suspects > 0 else {"lost_leases": 0}))
            if progress:
                progress(done)


def delete_remote_index(corpus: Corpus) -> None:
    """Delete a corpus's index in OpenSearch.

    Raises `BadConfig` if RARR_OPENSEARCH has changed, and as `Server.ask`.
    """
    if not corpus.indexed_in:
        return
    index = index_of(corpus)
    if isinstance(index, Path):
        raise BadConfig(
            f"Its search index is {_named(corpus.indexed_in)}, and RARR_OPENSEARCH is not set: "
            "set it as it was, or press “Index again” first and delete that index by hand."
        )
    index.delete()


def _open_writer(index: Index) -> CorpusWriter | OpenSearchWriter:
    """Open a writer; deletes an unreadable folder."""
    if isinstance(index, OpenSearchIndex):
        return OpenSearchWriter(index)
    try:
        return CorpusWriter(index)
    except IndexLocked:
        raise
    except RarrError as error:
        logger.warning("the index %s is made anew: %s", index, error)
        shutil.rmtree(index)
        return CorpusWriter(index)


def _add_batch(
    corpus: Corpus, writer: CorpusWriter | OpenSearchWriter, *, after: int, most: int
) -> list[tuple[int, str]]:
    """Write at most `most` documents; returns their ids and content hashes."""
    rows = Document.objects.filter(corpus=corpus, is_indexed=False, pk__gt=after).order_by("pk")
    batch: list[tuple[int, str]] = []
    characters = 0
    for row in rows[:most].iterator(READ_DOCUMENTS):
        writer.add(types.Document(id=row.external_id, title=row.title, url=row.url, text=row.text))
        batch.append((row.pk, row.content_hash))
        characters += len(row.text)
        if characters >= COMMIT_CHARACTERS:
            break
    return batch


@transaction.atomic
def _mark_indexed(batch: list[tuple[int, str]], *, confirm: Confirm) -> int:
    """Mark rows as indexed, unless they changed meanwhile."""
    count = 0
    for some in batches(batch):
        rows = Document.objects.select_for_update().filter(pk__in=[pk for pk, _ in some])
        now = dict(rows.values_list("pk", "content_hash"))
        still = [pk for pk, seen in some if now.get(pk) == seen]
        count += Document.objects.filter(pk__in=still).update(is_indexed=True)
    confirm()
    return count
