"""The machine's work: datasets, corpora, uploads, runs, revisions, model cards."""

import uuid

from django.urls import reverse
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
)  # fmt: skip
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.plain import to_plain
from pipeline.rarr.types import Passage as PassageOf
from pipeline.runs.as_it_is import run_as_it_is
from pipeline.runs.sharing import share_revision
from pipeline.runs.stored_revisions import columns_of
from pipeline.trials import lifecycle
from rarrweb.accounts.models import User
from tests.browser.every_page.visit import Visit
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


def _page(name: str, *args: object) -> str:
    return reverse(f"pipeline:{name}", args=args)


def lab_visits() -> list[Visit]:
    ruth = make_user("ruth-of-the-lab", role=User.Role.RESEARCHER)
    empty = [
        Visit(name=f"pipeline:{name}", path=_page(name), who=ruth, what="not an empty one")
        for name in ("datasets", "corpora", "runs", "compare")
    ]
    dataset, corpus = _dataset(), _corpus()
    visits = [*empty, *_data(dataset, corpus), *_runs(dataset, corpus, ruth), *_models()]
    visits += [*_trials(ruth, corpus), _compared_answers()]
    return [
        Visit(**{**_fields(visit), "who": None if visit.what == "nobody" else ruth})
        for visit in visits
    ]


def _compared_answers() -> Visit:
    runs = make_answer_runs("vanilla", "closed-book", "rarr")
    chosen = "&".join(f"run={run.pk}" for run in runs)
    return Visit(name="pipeline:compare", path=f"{_page('compare')}?{chosen}", what="of answers")


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
    queue.mark_for_indexing(corpus)
    corpora.index_corpus(corpus.pk)
    return corpus


def _upload(kind: str, content: bytes, name: str, **values: object) -> Upload:
    upload = Upload.objects.create(
        kind=kind, name="New", file_name=name, stored_name=name, size=len(content), **values
    )
    stored_files.file_path(upload).parent.mkdir(parents=True, exist_ok=True)
    stored_files.file_path(upload).write_bytes(content)
    upload_jobs.process_upload(upload.pk)
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
        Visit(name="pipeline:dataset-statistics",
              path=_page("dataset-statistics", make_answers().slug)),
        Visit(name="pipeline:dataset-runs", path=_page("dataset-runs", dataset.slug)),
        Visit(name="pipeline:delete-dataset", path=_page("delete-dataset", dataset.slug)),
        Visit(name="pipeline:add-passages", path=_page("add-passages", dataset.slug)),
        Visit(name="pipeline:passage", path=_page("passage", dataset.slug, passage.pk)),
        Visit(name="pipeline:corpora", path=_page("corpora"), what="with an open upload"),
        Visit(name="pipeline:new-corpus", path=_page("new-corpus")),
        Visit(name="pipeline:add-documents", path=_page("add-documents", corpus.slug)),
        Visit(name="pipeline:corpus", path=_page("corpus", corpus.slug)),
        Visit(name="pipeline:search-corpus", path=_page("search-corpus", corpus.slug)),
        Visit(name="pipeline:search-corpus", what="searched",
              path=_page("search-corpus", corpus.slug) + "?q=viaduct"),
        Visit(name="pipeline:corpus-runs", path=_page("corpus-runs", corpus.slug)),
        Visit(name="pipeline:delete-corpus", path=_page("delete-corpus", corpus.slug)),
        Visit(name="pipeline:document", path=_page("document", corpus.slug, document.pk)),
        Visit(name="pipeline:upload", path=_page("upload", bad.pk), what="with errors"),
        Visit(name="pipeline:upload", path=_page("upload", good.pk), what="of documents"),
    ]  # fmt: skip


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
    failed = make_revision(
        done, passage=make_passage(dataset), state=Revision.State.FAILED,
        failure="UnreadableReply", failure_message="The model’s reply could not be read.",
    )  # fmt: skip
    other = make_run(**values, system="efec", state=Run.State.FINISHED, config=config, group=group)
    make_revision(other, passage=read.passage, state="done", text="Another text.", is_changed=True)
    going = make_run(**values, state=Run.State.RUNNING, config=config)
    waiting = make_revision(going, passage=make_passage(dataset))
    return [
        Visit(name="pipeline:runs", path=_page("runs"), what="with three"),
        Visit(name="pipeline:new-run", path=_page("new-run")),
        Visit(
            name="pipeline:new-run",
            path=_page("new-run") + "?dataset=-",
            what="sent empty",
            clicks=(SEND,),
        ),
        Visit(name="pipeline:run", path=_page("run", done.pk), what="finished"),
        Visit(name="pipeline:run", path=_page("run", going.pk), what="under way"),
        Visit(
            name="pipeline:runs",
            path=_page("runs") + "?q=nothing&archived=yes",
            what="where nothing fits",
        ),
        Visit(name="pipeline:delete-run", path=_page("delete-run", going.pk)),
        Visit(name="pipeline:run-revisions", path=_page("run-revisions", done.pk)),
        Visit(name="pipeline:run-cost", path=_page("run-cost", done.pk)),
        Visit(name="pipeline:run-configuration", path=_page("run-configuration", done.pk)),
        Visit(name="pipeline:revision", path=_page("revision", read.pk)),
        Visit(name="pipeline:revision", path=_page("revision", failed.pk), what="failed"),
        *_shared(read),
        *_written(),
        Visit(name="pipeline:revision", path=_page("revision", waiting.pk), what="not begun"),
        Visit(name="pipeline:compare", path=f"{_page('compare')}?run={done.pk}&run={other.pk}"),
        *_passages(read, done, other),
    ]


def _written() -> list[Visit]:
    """What a strategy wrote, and answers as they came."""
    run = make_answer_run(state=Run.State.FINISHED, passage_count=2)
    answer = make_answer(run, steps=[Step(name="search", text="When did it open?")])
    make_answer(run, "It is said to be so.", external_id="bare")
    return [
        Visit(name="pipeline:revision", path=_page("revision", answer.pk), what="an answer"),
        Visit(name="pipeline:run", path=_page("run", run.pk), what="of answers"),
        Visit(
            name="pipeline:run-revisions",
            path=_page("run-revisions", run.pk),
            what="of answers",
        ),
        Visit(name="pipeline:run", path=_page("run", _as_it_is().pk), what="as it is"),
    ]


def _as_it_is() -> Run:
    source = {"quotes": [{"idx": 1, "text": "It fell."}]}
    passage = make_passage(text="It fell [1].", context="Did it?", source=source)
    return run_as_it_is(passage.dataset, created_by=None)


def _shared(read: Revision) -> list[Visit]:
    """A revision that readers without an account may see, too."""
    maker = make_user(role=User.Role.RESEARCHER)
    share = share_revision(read, by=maker, shows_raters=True)
    path = reverse("annotation:shared-revision", args=[share.token])
    return [
        Visit(name="annotation:shared-revision", path=path),
        Visit(name="annotation:shared-revision", path=path, what="nobody"),
    ]


def _passages(read: Revision, done: Run, other: Run) -> list[Visit]:
    """One passage side by side, with a note and a tag."""
    PassageNote.objects.create(passage=read.passage, author=None, text="An odd date.")
    PassageTag.objects.create(passage=read.passage, name="dates")
    listed = reverse("annotation:compare-passages")
    chosen = f"?run={done.pk}&run={other.pk}"
    one = reverse("annotation:compare-passage", args=[read.passage_id])
    return [
        Visit(name="annotation:compare-passage", path=f"{one}{chosen}"),
        Visit(name="annotation:compare-passages", path=f"{listed}{chosen}&show=intent"),
        Visit(name="annotation:compare-passages", path=listed, what="without runs"),
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
        state=Revision.State.FAILED, failure="GaveUp", failure_message="It was too long."
    )
    return [
        Visit(name="pipeline:try", path=_page("try")),
        Visit(name="pipeline:try", path=_page("try"), what="sent empty", clicks=("#revise",)),
        Visit(name="pipeline:trial", path=_page("trial", done.pk), what="done"),
        Visit(name="pipeline:trial", path=_page("trial", shared.pk), what="shared"),
        Visit(name="pipeline:trial", path=_page("trial", waiting.pk), what="not begun"),
        Visit(name="pipeline:trial", path=_page("trial", failed.pk), what="failed"),
    ]


def _models() -> list[Visit]:
    return [
        Visit(name="pipeline:model", path=_page("model", "compact")),
        Visit(name="home", path="/", what="of a researcher"),
    ]
