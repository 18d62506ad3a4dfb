"""Pages of datasets, corpora, uploads, runs, revisions and model cards."""

import uuid
from dataclasses import replace

from django.utils import timezone

from pipeline.backends.readings import ReplyCounts
from pipeline.data import corpora, stored_files, upload_jobs
from pipeline.engine.configuration import RunConfig
from pipeline.generation.types import Step
from pipeline.jobs import queue
from pipeline.models import (
    Corpus,
    Dataset,
    Document,
    Passage,
    PassageNote,
    PassageTag,
    Revision,
    Run,
    Upload,
)
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.serialization import to_plain
from pipeline.rarr.types import Passage as PassageOf
from pipeline.runs.imported import get_unrevised_run
from pipeline.runs.sharing import share_revision
from pipeline.runs.stored_revisions import columns_of
from pipeline.trials import lifecycle
from rarrweb.accounts.models import User
from tests.browser.every_page.visit import Visit, visit
from tests.support.answer_rows import make_answer, make_answer_run
from tests.support.answer_runs import make_answer_runs
from tests.support.factories import (
    make_corpus,
    make_dataset,
    make_passage,
    make_revision,
    make_run,
    make_user,
)
from tests.support.hagrid import make_answers
from tests.support.revision_rows import make_viaduct
from tests.support.scripted_engine import in_capitals

SEND = "main form button.primary"
BROKEN = b"id,text,context\n1,A river is long.,\n1,The same id again.,\n3,,No text\n"


def lab_visits() -> list[Visit]:
    ruth = make_user("ruth-of-the-lab", role=User.Role.RESEARCHER)
    empty = [
        visit(f"pipeline:{name}", who=ruth, what="not an empty one")
        for name in ("datasets", "corpora", "runs", "compare")
    ]
    dataset, corpus = _dataset(), _corpus()
    visits = [*empty, *_data(dataset, corpus), *_runs(dataset, corpus, ruth), *_models()]
    visits += [*_trials(ruth, corpus), _compared_answers()]
    return [each if each.what == "nobody" else replace(each, who=ruth) for each in visits]


def _compared_answers() -> Visit:
    runs = make_answer_runs("vanilla", "closed-book", "rarr")
    chosen = "&".join(f"run={run.pk}" for run in runs)
    return visit("pipeline:compare", query=f"?{chosen}", what="of answers")


def _dataset() -> Dataset:
    dataset = make_dataset(slug="viaducts", name="Viaducts", description="Of the coast.")
    make_passage(dataset, context="Tell me about rivers.", source={"origin": "a model"})
    return dataset


def _corpus() -> Corpus:
    corpus = make_corpus(slug="rails", name="Rails and rivers")
    text = "# Construction\n\nIts first train crossed the viaduct in 1874."
    wenna = Document(external_id="wenna", title="Wenna Viaduct", url="https://rails.example/w")
    wenna.corpus, wenna.text, wenna.content_hash = corpus, text, "w"
    wenna.save()
    queue.mark_for_indexing(corpus)
    corpora.Indexing().run(corpus.pk)
    return corpus


def _upload(kind: str, content: bytes, name: str, **values: object) -> Upload:
    upload = Upload.objects.create(
        kind=kind, name="New", file_name=name, stored_name=name, size=len(content), **values
    )
    stored_files.file_path(upload).parent.mkdir(parents=True, exist_ok=True)
    stored_files.file_path(upload).write_bytes(content)
    upload_jobs.Reading().run(upload.pk)
    return upload


def _data(dataset: Dataset, corpus: Corpus) -> list[Visit]:
    passage = Passage.objects.filter(dataset=dataset)[0]
    document = Document.objects.filter(corpus=corpus)[0]
    bad = _upload(Upload.Kind.PASSAGES, BROKEN, "broken.csv")
    good = _upload(Upload.Kind.DOCUMENTS, b'{"id": "1", "title": "A", "text": "B."}\n', "d.jsonl")
    return [
        visit("pipeline:datasets", what="with an open upload"),
        visit("pipeline:new-dataset"),
        visit("pipeline:new-dataset", what="sent without a file", clicks=(SEND,)),
        visit("pipeline:dataset", dataset.slug),
        visit("pipeline:dataset", dataset.slug, query="?q=nothing", what="where nothing is found"),
        visit("pipeline:dataset-statistics", make_answers().slug),
        visit("pipeline:dataset-runs", dataset.slug),
        visit("pipeline:delete-dataset", dataset.slug),
        visit("pipeline:add-passages", dataset.slug),
        visit("pipeline:passage", dataset.slug, passage.pk),
        visit("pipeline:corpora", what="with an open upload"),
        visit("pipeline:new-corpus"),
        visit("pipeline:add-documents", corpus.slug),
        visit("pipeline:corpus", corpus.slug),
        visit("pipeline:search-corpus", corpus.slug),
        visit("pipeline:search-corpus", corpus.slug, query="?q=viaduct", what="searched"),
        visit("pipeline:corpus-runs", corpus.slug),
        visit("pipeline:delete-corpus", corpus.slug),
        visit("pipeline:document", corpus.slug, document.pk),
        visit("pipeline:upload", bad.pk, what="with errors"),
        visit("pipeline:upload", good.pk, what="of documents"),
    ]


def _runs(dataset: Dataset, corpus: Corpus, ruth: User) -> list[Visit]:
    values = {"dataset": dataset, "corpus": corpus, "passage_count": 3}
    config = {"system": "rarr", "entailment": "compact", "rarr": {"report_size": 5}}
    group = uuid.uuid4()
    unread = UnreadableReply("There is no verdict.", reply="I cannot compare these texts.")
    counts = {
        "edit": ReplyCounts(at_once=3, on_second_attempt=1),
        "agreement": ReplyCounts.of(unread),
    }
    done = make_run(
        **values, state=Run.State.FINISHED, config=config, group=group, replies=to_plain(counts)
    )
    read = make_viaduct(done, external_id="viaduct", finished_at=timezone.now())
    failure = {"failure": "UnreadableReply", "failure_message": "The reply could not be read."}
    failed = make_revision(done, passage=make_passage(dataset), state="failed", **failure)
    other = make_run(**values, system="efec", state=Run.State.FINISHED, config=config, group=group)
    make_revision(other, passage=read.passage, state="done", text="Another text.", is_changed=True)
    going = make_run(**values, state=Run.State.RUNNING, config=config)
    waiting = make_revision(going, passage=make_passage(dataset))
    return [
        visit("pipeline:runs", what="with three"),
        visit("pipeline:new-run"),
        visit("pipeline:new-run", query="?dataset=-", what="sent empty", clicks=(SEND,)),
        visit("pipeline:run", done.pk, what="finished"),
        visit("pipeline:run", going.pk, what="under way"),
        visit("pipeline:runs", query="?q=nothing&archived=yes", what="where nothing fits"),
        visit("pipeline:delete-run", going.pk),
        visit("pipeline:run-revisions", done.pk),
        visit("pipeline:run-cost", done.pk),
        visit("pipeline:run-configuration", done.pk),
        visit("pipeline:revision", read.pk),
        visit("pipeline:revision", failed.pk, what="failed"),
        *_shared(read),
        *_written(),
        visit("pipeline:revision", waiting.pk, what="not begun"),
        visit("pipeline:compare", query=f"?run={done.pk}&run={other.pk}"),
        *_passages(read, done, other),
    ]


def _written() -> list[Visit]:
    run = make_answer_run(state=Run.State.FINISHED, passage_count=2)
    answer = make_answer(run, steps=[Step(name="search", text="When did it open?")])
    make_answer(run, "It is said to be so.", external_id="bare")
    return [
        visit("pipeline:revision", answer.pk, what="an answer"),
        visit("pipeline:run", run.pk, what="of answers"),
        visit("pipeline:run-revisions", run.pk, what="of answers"),
        visit("pipeline:run", _unrevised_run().pk, what="imported"),
    ]


def _unrevised_run() -> Run:
    source = {"quotes": [{"idx": 1, "text": "It fell."}]}
    passage = make_passage(text="It fell [1].", context="Did it?", source=source)
    return get_unrevised_run(passage.dataset, created_by=None)


def _shared(read: Revision) -> list[Visit]:
    maker = make_user(role=User.Role.RESEARCHER)
    share = share_revision(read, by=maker, shows_raters=True)
    displayed = visit("shared-revision", share.token)
    return [displayed, replace(displayed, what="nobody")]


def _passages(read: Revision, done: Run, other: Run) -> list[Visit]:
    PassageNote.objects.create(passage=read.passage, author=None, text="An odd date.")
    PassageTag.objects.create(passage=read.passage, name="dates")
    chosen = f"?run={done.pk}&run={other.pk}"
    return [
        visit("compare-passage", read.passage_id, query=chosen),
        visit("compare-passages", query=f"{chosen}&show=intent"),
        visit("compare-passages", what="without runs"),
    ]


def _trials(ruth: User, corpus: Corpus) -> list[Visit]:
    def tried(**values: object) -> Revision:
        trial = lifecycle.start_trial(
            owner=ruth,
            text="The Ribble flows into the North Sea.",
            context="Where does it end?",
            config=RunConfig.from_settings(),
            corpus=corpus,
        )
        Revision.objects.filter(pk=trial.pk).update(**values)
        return trial

    passage = PassageOf(id="1", text="The Ribble flows into the North Sea.")
    result = {"state": Revision.State.DONE, **columns_of(in_capitals(passage))}
    done, shared = tried(**result), tried(**result)
    share_revision(shared, by=ruth, shows_raters=False)
    waiting = tried()
    failed = tried(
        state=Revision.State.FAILED, failure="WorkerCrashed", failure_message="It was too long."
    )
    return [
        visit("pipeline:try"),
        visit("pipeline:try", what="sent empty", clicks=("#revise",)),
        visit("pipeline:trial", done.pk, what="done"),
        visit("pipeline:trial", shared.pk, what="shared"),
        visit("pipeline:trial", waiting.pk, what="not begun"),
        visit("pipeline:trial", failed.pk, what="failed"),
    ]


def _models() -> list[Visit]:
    return [
        visit("pipeline:model", "compact"),
        visit("home", what="of a researcher"),
    ]
