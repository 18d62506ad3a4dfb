"""Documents into corpora, and corpora into search indexes."""

import logging
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from pipeline import leases
from pipeline.backends.tantivy_corpus import CorpusWriter, IndexBusy
from pipeline.importing.corpus_files import content_hash, read_corpus
from pipeline.importing.rows import DocumentRow, RowError
from pipeline.models import Corpus, Document
from pipeline.naming import create_named, find_named
from pipeline.rarr import types
from pipeline.rarr.types import RarrError
from pipeline.staging import (
    Check,
    Progress,
    Row,
    batches,
    check_rows,
    failure_sentence,
    staged_rows,
)
from rarrweb.accounts.models import User

logger = logging.getLogger(__name__)

COMMIT_DOCUMENTS = 2_000
COMMIT_CHARACTERS = 32_000_000
"""The index is committed, and its rows marked, after so much: what a crash can cost."""
READ_DOCUMENTS = 20
"""Rows in memory at once while indexing: a document may have a million characters."""


def index_path(slug: str) -> Path:
    """The folder of a corpus's search index."""
    return Path(settings.CORPUS_DIR) / slug


def create_corpus(*, name: str, description: str = "", created_by: User | None = None) -> Corpus:
    """An empty corpus with a slug of its own."""
    return create_named(
        Corpus, name=name, fallback="corpus", description=description, created_by=created_by
    )


def find_corpus(name: str) -> Corpus | None:
    """The corpus of that slug or, failing it, of exactly that name."""
    return find_named(Corpus, name)


def check_documents(
    corpus: Corpus | None,
    path: Path,
    *,
    staged: Path | None = None,
    errors: Path | None = None,
    name: str = "",
    progress: Progress | None = None,
) -> Check:
    """What importing `path` into `corpus` (None: a new one) would do; writes no row.

    Raises `UnreadableFile` when nothing is at `path`.
    """

    def known(keys: list[str]) -> dict[str, str]:
        if corpus is None:
            return {}
        rows = Document.objects.filter(corpus=corpus, external_id__in=keys)
        return dict(rows.values_list("external_id", "content_hash"))

    return check_rows(
        _to_stage(read_corpus(path)),
        known=known,
        staged=staged,
        errors=errors,
        called={path.name: name or path.name},
        progress=progress,
    )


def import_documents(corpus: Corpus, staged: Path, *, progress: Progress | None = None) -> None:
    """Write the staged rows, in batches; doing it again after a crash completes it.

    New and changed documents wait to be indexed: call `launch.queue_indexing` or
    `index_corpus` afterwards.
    """
    done = 0
    for some in batches(staged_rows(staged)):
        with transaction.atomic():
            # Two imports into one corpus take turns.
            Corpus.objects.select_for_update().get(pk=corpus.pk)
            new = _write(corpus, some)
            Corpus.objects.filter(pk=corpus.pk).update(document_count=F("document_count") + new)
        done += len(some)
        if progress:
            progress(done)
    Corpus.objects.filter(pk=corpus.pk).update(document_count=corpus.documents.count())
    corpus.refresh_from_db()


def mark_for_indexing(corpus: Corpus) -> None:
    """Let the corpus wait for `index_corpus`; left alone while a worker is at it."""
    Corpus.objects.filter(pk=corpus.pk).exclude(state=Corpus.State.INDEXING).update(
        state=Corpus.State.QUEUED, error="", claim="", lease_until=None
    )


def waiting_for_index() -> QuerySet[Corpus]:
    """Corpora that wait for a worker, or whose worker died with its lease."""
    left_behind = Q(lease_until=None) | Q(lease_until__lt=timezone.now())
    return Corpus.objects.filter(
        left_behind, state__in=[Corpus.State.QUEUED, Corpus.State.INDEXING]
    )


def index_corpus(corpus_id: int, *, progress: Progress | None = None) -> bool:
    """Put into the index what is not in it yet; False when another worker is at it.

    Safe to call at any time and again after a crash: the index is committed first, then the
    rows are marked, so at worst some documents are written twice, which changes nothing. How
    it ended stands in the corpus's row. An index whose folder is gone is made again.
    """
    token = leases.claim(waiting_for_index(), corpus_id, state=Corpus.State.INDEXING, error="")
    if not token:
        return False
    corpus = Corpus.objects.get(pk=corpus_id)
    mine = leases.where_mine(Corpus, corpus_id, token)
    free = {"claim": "", "lease_until": None}
    try:
        with leases.renewed(Corpus, corpus_id, token):
            finished = _index(corpus, mine, progress)
    except IndexBusy as error:
        # The sweep of the workers tries again.
        logger.info("corpus %s: %s", corpus.slug, error)
        mine.update(state=Corpus.State.QUEUED, **free)
        return False
    except KeyboardInterrupt:
        mine.update(state=Corpus.State.QUEUED, **free)
        raise
    except OperationalError:
        logger.exception("corpus %s: the database is away, the sweep tries again", corpus.slug)
        return False
    except Exception as error:
        logger.exception("corpus %s could not be indexed", corpus.slug)
        mine.update(state=Corpus.State.FAILED, error=failure_sentence(error), **free)
        return True
    if finished:
        empty = not corpus.documents.exists()
        mine.update(state=Corpus.State.EMPTY if empty else Corpus.State.READY, **free)
        # Documents that came in after the last look would wait for ever.
        if corpus.documents.filter(is_indexed=False).exists():
            Corpus.objects.filter(pk=corpus_id, claim="").update(state=Corpus.State.QUEUED)
            return index_corpus(corpus_id, progress=progress)
    return finished


def forget_index(corpus: Corpus) -> None:
    """Have the next indexing make the index anew from the rows."""
    corpus.documents.update(is_indexed=False)
    Corpus.objects.filter(pk=corpus.pk).update(indexed_count=0)


def _index(corpus: Corpus, mine: QuerySet[Corpus], progress: Progress | None) -> bool:
    """Index all that waits; False when the claim was lost on the way."""
    path = index_path(corpus.slug)
    with _open_writer(path) as writer:
        done = corpus.documents.filter(is_indexed=True).count()
        if writer.document_count < done:
            # The folder was lost, or is of another machine: the rows know better.
            corpus.documents.update(is_indexed=False)
            done = 0
        if not done:
            writer.clear()
        if not mine.update(indexed_count=done):
            return False
        last = 0
        while True:
            batch = _add_batch(corpus, writer, after=last)
            if not batch:
                return True
            last = batch[-1][0]
            writer.commit()
            done += _mark_indexed(batch)
            if not mine.update(indexed_count=done):
                return False
            if progress:
                progress(done)


def _open_writer(path: Path) -> CorpusWriter:
    """A writer to the index; an index that cannot be read is dropped first."""
    try:
        return CorpusWriter(path)
    except IndexBusy:
        raise
    except RarrError as error:
        logger.warning("the index %s is made anew: %s", path, error)
        shutil.rmtree(path)
        return CorpusWriter(path)


def _add_batch(corpus: Corpus, writer: CorpusWriter, *, after: int) -> list[tuple[int, str]]:
    """Give the next documents to the writer; their ids and content hashes."""
    rows = Document.objects.filter(corpus=corpus, is_indexed=False, pk__gt=after).order_by("pk")
    batch: list[tuple[int, str]] = []
    characters = 0
    for row in rows[:COMMIT_DOCUMENTS].iterator(READ_DOCUMENTS):
        writer.add(types.Document(id=row.external_id, title=row.title, url=row.url, text=row.text))
        batch.append((row.pk, row.content_hash))
        characters += len(row.text)
        if characters >= COMMIT_CHARACTERS:
            break
    return batch


@transaction.atomic
def _mark_indexed(batch: list[tuple[int, str]]) -> int:
    """Mark what is in the index, but for rows that changed since they were read."""
    count = 0
    for some in batches(batch):
        rows = Document.objects.select_for_update().filter(pk__in=[pk for pk, _ in some])
        now = dict(rows.values_list("pk", "content_hash"))
        still = [pk for pk, seen in some if now.get(pk) == seen]
        count += Document.objects.filter(pk__in=still).update(is_indexed=True)
    return count


def _to_stage(rows: Iterable[DocumentRow | RowError]) -> Iterator[Row | RowError]:
    for row in rows:
        if isinstance(row, RowError):
            yield row
        else:
            document = row.document
            yield {
                "key": document.id,
                "hash": content_hash(document),
                "title": document.title,
                "url": document.url,
                "text": document.text,
            }


def _write(corpus: Corpus, rows: list[Row]) -> int:
    """Store new and changed documents; how many are new."""
    stored = {
        document.external_id: document
        for document in Document.objects.filter(
            corpus=corpus, external_id__in=[row["key"] for row in rows]
        ).only("external_id", "content_hash")
    }
    new: list[Document] = []
    changed: list[Document] = []
    for row in rows:
        document = stored.get(row["key"])
        if document is None:
            document = Document(corpus=corpus, external_id=row["key"])
            new.append(document)
        elif document.content_hash != row["hash"]:
            changed.append(document)
        else:
            continue
        document.title, document.url, document.text = row["title"], row["url"], row["text"]
        document.content_hash, document.is_indexed = row["hash"], False
    Document.objects.bulk_create(new)
    Document.objects.bulk_update(
        changed, ["title", "url", "text", "content_hash", "is_indexed"], batch_size=20
    )
    return len(new)
