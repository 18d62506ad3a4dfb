"""What is lost, done twice or left undone after a fault: counts by name, all 0 where nothing is."""

from collections import Counter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from annotation.models import ExportJob
from pipeline.backends.calls import Call
from pipeline.backends.tantivy_corpus import TantivyCorpus
from pipeline.data.corpora import index_path
from pipeline.models import Corpus, Document, Passage, Revision, Run, Upload
from tests.faults.servers import asked as servers_asked
from tests.faults.work import BUDGET, DOCUMENTS, PER_ITEM, ROWS, Work, _text
from tests.load.checking import findings

UNDER_WAY = (Upload.State.CHECKING, Upload.State.IMPORTING)
"""One that is checked, and of which nobody has heard because the answer was lost, is no harm."""


def count_wrong(work: Work) -> dict[str, int]:
    connection.close()
    acknowledged = {key: said for rater in work.raters for key, said in rater.acknowledged.items()}
    wrong = {
        "kinds of work that did not end": 5 - len(work.done),
        "clients that gave up": len(work.errors),
        **findings(work.campaign, acknowledged, is_finished="annotation" in work.done),
        **_run(work),
        **(_calls(work, work.servers) if work.servers else {}),
        **_rows("passages", Passage.objects.filter(dataset__slug="brought-in"), ROWS),
        **_rows("documents", Document.objects.filter(corpus__slug="brought-in"), DOCUMENTS),
        **_index(),
        **_packages(work),
        "uploads not ended": Upload.objects.filter(state__in=UNDER_WAY).count(),
        # What the network or a proxy says is no fault of the product; a 500 is.
        "answers of 500": work.heard.counts["500"],
        **_integrity(),
    }
    return {name: count for name, count in wrong.items() if count}


def count_acknowledged(work: Work) -> str:
    answers = sum(len(rater.acknowledged) for rater in work.raters)
    return (
        f"{answers} answers, {sum(rater.submitted for rater in work.raters)} of "
        f"{work.campaign.item_count * PER_ITEM} hand-ins, {ROWS + DOCUMENTS:,} rows, "
        f"{Revision.objects.filter(run=work.run, state='done').count()} revisions, "
        f"{len(work.packages)} packages (the slowest in {work.slowest_package:.0f} s)"
    )


def _integrity() -> dict[str, int]:
    if connection.vendor != "sqlite":
        return {}
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check")
        return {"databases broken": int(cursor.fetchone() != ("ok",))}


def _run(work: Work) -> dict[str, int]:
    rows = Revision.objects.filter(run=work.run)
    log = work.log.read_text().splitlines() if work.log.exists() else []
    recorded = Counter(line.split()[1] for line in log if line.startswith("recorded "))
    ended: set[str] = set()
    again = 0
    for word, name in map(str.split, log):
        again += name in ended
        if word == "recorded":
            ended.add(name)
    return {
        "runs not finished": Run.objects.filter(pk=work.run.pk)
        .exclude(state=Run.State.FINISHED)
        .count(),
        "passages not revised": rows.exclude(state=Revision.State.DONE).count(),
        "passages recorded twice": sum(count > 1 for count in recorded.values()),
        "passages begun after their end": again,
    }


def _calls(work: Work, servers: Path) -> dict[str, int]:
    """What was asked of the model's server and the search engine, and what is stored of it."""
    begun, sent = (servers_asked(servers, word, "prompt") for word in ("begun", "sent"))
    found = {"searches asked twice": _twice(servers_asked(servers, "sent", "search"))}
    answered = 0
    for slug, run in work.runs.items():
        run.refresh_from_db()
        rows = run.revisions.values_list("calls", flat=True)
        calls = [Call.from_plain(call) for some in rows for call in some]
        answered += sum(call.requests for call in calls if not call.error)
        spent = sum(call.requests for call in calls)
        found[f"calls of {slug} counted wrongly"] = abs(run.calls_spent - spent)
    limited = work.runs["limited"]
    return found | {
        "prompts asked twice": _twice(sent),
        "answers that are not stored": max(0, sent.total() - answered),
        "answers stored that nobody gave": max(0, answered - begun.total()),
        "calls beyond the budget": max(0, limited.calls_spent - BUDGET),
        "runs that do not say that their budget is spent": int(
            limited.state != Run.State.PAUSED or "budget of" not in limited.pause_reason
        ),
        "passages revised wrongly": work.run.revisions.exclude(text__contains="1904").count(),
        "pages that never had to say why passages wait": int(not work.told),
        # Nobody but the run asks these servers.
        "requests without an answer": work.heard.counts.total(),
    }


def _twice(asked: Counter[str]) -> int:
    return asked.total() - len(asked)


def _rows(name: str, rows: Any, count: int) -> dict[str, int]:
    stored = list(rows.values_list("external_id", "text"))
    right = {f"row-{n}": _text(n).strip() for n in range(count)}
    found = dict(stored)
    return {
        f"{name} lost": len(right.keys() - found.keys()),
        f"{name} twice": len(stored) - len(found),
        f"{name} changed": sum(found[key].strip() != text for key, text in right.items()
                               if key in found),
    }  # fmt: skip


def _index() -> dict[str, int]:
    corpus = Corpus.objects.filter(slug="brought-in").first()
    if corpus is None:
        return {"corpora lost": 1}
    if not index_path(corpus.slug).exists():
        return {"indexes lost": 1}
    indexed = TantivyCorpus(index_path(corpus.slug)).document_count
    return {
        "documents in the index too many or too few": abs(indexed - DOCUMENTS),
        "corpora that count wrongly": int(corpus.indexed_count != DOCUMENTS),
    }


def _packages(work: Work) -> dict[str, int]:
    done = set(ExportJob.objects.filter(state=ExportJob.State.DONE).values_list("pk", flat=True))
    folder = Path(settings.EXPORT_DIR)
    files = {path.name for path in folder.glob("*.zip")}
    return {
        "packages lost": len(set(work.packages) - done),
        "package files without a package, or the reverse": len(
            files ^ {f"{pk}.zip" for pk in done}
        ),
        "half packages left": len(list(folder.glob("*.part"))),
    }
