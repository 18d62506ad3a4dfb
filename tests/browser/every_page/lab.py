"""The machine's work: datasets, corpora, uploads, runs, revisions, prompts, model cards."""

from django.urls import reverse
from django.utils import timezone

from pipeline.data import corpora, stored_files, uploads
from pipeline.models import Corpus, Dataset, Document, Passage, Revision, Run, Upload
from rarrweb.accounts.models import User
from tests.browser.every_page.visit import Visit
from tests.support.factories import (
    make_corpus,
    make_dataset,
    make_passage,
    make_revision,
    make_run,
    make_user,
)
from tests.support.revision_rows import make_viaduct

SEND = "main form button.primary"
BROKEN = b"id,text,context\n1,A river is long.,\n1,The same id again.,\n3,,No text\n"


def _page(name: str, *args: object) -> str:
    return reverse(f"pipeline:{name}", args=args)


def lab_visits() -> list[Visit]:
    ruth = make_user("ruth-of-the-lab", role=User.Role.RESEARCHER)
    empty = [
        Visit(name=f"pipeline:{name}", path=_page(name), who=ruth, what="not an empty one")
        for name in ("datasets", "corpora", "runs", "compare")
    ]
    dataset, corpus = _dataset(), _corpus()
    visits = [*empty, *_data(dataset, corpus), *_runs(dataset, corpus), *_models()]
    return [Visit(**{**_fields(visit), "who": ruth}) for visit in visits]


def _fields(visit: Visit) -> dict[str, object]:
    return {name: getattr(visit, name) for name in Visit.__slots__}


def _dataset() -> Dataset:
    dataset = make_dataset(slug="viaducts", name="Viaducts", description="Of the coast.")
    make_passage(dataset, context="Tell me about rivers.", source={"origin": "a model"})
    return dataset


def _corpus() -> Corpus:
    corpus = make_corpus(slug="rails", name="Rails and rivers")
    Document.objects.create(
        corpus=corpus, external_id="wenna", title="Wenna Viaduct", url="https://rails.example/w",
        text="# Construction\n\nIts first train crossed the viaduct in 1874.", content_hash="w",
    )  # fmt: skip
    corpora.mark_for_indexing(corpus)
    corpora.index_corpus(corpus.pk)
    return corpus


def _upload(kind: str, content: bytes, name: str, **values: object) -> Upload:
    upload = Upload.objects.create(
        kind=kind, name="New", file_name=name, stored_name=name, size=len(content), **values
    )
    stored_files.file_path(upload).parent.mkdir(parents=True, exist_ok=True)
    stored_files.file_path(upload).write_bytes(content)
    uploads.process_upload(upload.pk)
    return upload


def _data(dataset: Dataset, corpus: Corpus) -> list[Visit]:
    passage = Passage.objects.filter(dataset=dataset)[0]
    document = Document.objects.filter(corpus=corpus)[0]
    bad = _upload(Upload.Kind.PASSAGES, BROKEN, "broken.csv")
    good = _upload(Upload.Kind.DOCUMENTS, b'{"id": "1", "title": "A", "text": "B."}\n', "d.jsonl")
    return [
        Visit(name="pipeline:datasets", path=_page("datasets"), what="with an open upload"),
        Visit(name="pipeline:new-dataset", path=_page("new-dataset")),
        Visit(name="pipeline:new-dataset", path=_page("new-dataset"), what="sent without a file",
              clicks=(SEND,)),
        Visit(name="pipeline:dataset", path=_page("dataset", dataset.slug)),
        Visit(name="pipeline:dataset", path=_page("dataset", dataset.slug) + "?q=nothing",
              what="where nothing is found"),
        Visit(name="pipeline:add-passages", path=_page("add-passages", dataset.slug)),
        Visit(name="pipeline:passage", path=_page("passage", dataset.slug, passage.pk)),
        Visit(name="pipeline:corpora", path=_page("corpora"), what="with an open upload"),
        Visit(name="pipeline:new-corpus", path=_page("new-corpus")),
        Visit(name="pipeline:add-documents", path=_page("add-documents", corpus.slug)),
        Visit(name="pipeline:corpus", path=_page("corpus", corpus.slug)),
        Visit(name="pipeline:corpus", path=_page("corpus", corpus.slug) + "?q=viaduct",
              what="searched"),
        Visit(name="pipeline:document", path=_page("document", corpus.slug, document.pk)),
        Visit(name="pipeline:upload", path=_page("upload", bad.pk), what="with errors"),
        Visit(name="pipeline:upload", path=_page("upload", good.pk), what="of documents"),
    ]  # fmt: skip


def _runs(dataset: Dataset, corpus: Corpus) -> list[Visit]:
    values = {"dataset": dataset, "corpus": corpus, "passage_count": 3}
    config = {"system": "rarr", "entailment": "compact", "rarr": {"report_size": 5}}
    done = make_run(**values, state=Run.State.FINISHED, config=config)
    read = make_viaduct(done, external_id="viaduct", finished_at=timezone.now())
    failed = make_revision(
        done, passage=make_passage(dataset), state=Revision.State.FAILED,
        failure="UnreadableReply", failure_message="The model’s reply could not be read.",
    )  # fmt: skip
    other = make_run(**values, system="efec", state=Run.State.FINISHED, config=config)
    make_revision(other, passage=read.passage, state="done", text="Another text.", is_changed=True)
    going = make_run(**values, state=Run.State.RUNNING, config=config)
    waiting = make_revision(going, passage=make_passage(dataset))
    return [
        Visit(name="pipeline:runs", path=_page("runs"), what="with three"),
        Visit(name="pipeline:new-run", path=_page("new-run")),
        Visit(name="pipeline:new-run", path=_page("new-run"), what="sent empty", clicks=(SEND,)),
        Visit(name="pipeline:run", path=_page("run", done.pk), what="finished"),
        Visit(name="pipeline:run", path=_page("run", going.pk), what="under way"),
        Visit(name="pipeline:run-revisions", path=_page("run-revisions", done.pk)),
        Visit(name="pipeline:revision", path=_page("revision", read.pk)),
        Visit(name="pipeline:revision", path=_page("revision", failed.pk), what="failed"),
        Visit(name="pipeline:revision", path=_page("revision", waiting.pk), what="not begun"),
        Visit(name="pipeline:compare", path=f"{_page('compare')}?run={done.pk}&run={other.pk}"),
    ]


def _models() -> list[Visit]:
    return [
        Visit(name="pipeline:prompts", path=_page("prompts")),
        Visit(name="pipeline:prompt", path=_page("prompt", "agreement")),
        Visit(name="pipeline:model", path=_page("model", "compact")),
        Visit(name="home", path="/", what="of a researcher"),
    ]
