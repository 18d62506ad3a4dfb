"""Engines for commands without a database."""

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings

from pipeline.backends.budgets import BudgetSpent, LocalLedger
from pipeline.backends.work import WorkContext
from pipeline.engine.configuration import RunConfig, parse_overrides
from pipeline.engine.engine import Engine
from pipeline.engine.loading import load_engine
from pipeline.files.answer_file import AnswerFile, args_of, item_of
from pipeline.files.corpus_indexes import build_index, find_index
from pipeline.files.jsonl_files import check_output, lines_out
from pipeline.generation.strategies import TAKES_DRAFT, load_strategy
from pipeline.generation.types import Answer, Question
from pipeline.importing.corpus_files import read_documents
from pipeline.importing.passages import TABLES, inspect_file, read_passages
from pipeline.importing.questions import question_of
from pipeline.importing.rows import Fault, PassageRow
from pipeline.management.base import FileCommand, open_cache, replies_sentence, with_progress
from pipeline.rarr.errors import BadConfig, RarrError
from pipeline.runs.failures import failure_name, failure_words, stop_reason

Item = TypeVar("Item")
Result = TypeVar("Result")

PASSAGES_A_REQUEST = 2
"""Passages per concurrent request: some are searched and scored while others wait."""
AHEAD = 2
"""Items begun before the first result is taken, as a multiple of `at_once`."""


class UnexpectedError(RarrError):
    """An error that is no `RarrError`."""


def attempt(work: Callable[[], Result], *, wrong: str) -> Result | RarrError:
    """Return a passage's result or error; raises errors that concern all passages.

    `wrong` describes an unexpected error.
    """
    try:
        return work()
    except RarrError as error:
        if isinstance(error, BadConfig | BudgetSpent):
            raise
        return error
    except Exception as error:  # noqa: BLE001 - a bad passage must not stop the others
        return UnexpectedError(f"{wrong} ({type(error).__name__}: {error}).")


@dataclass(slots=True, kw_only=True)
class Tally:
    """The outcomes of passages or questions, in order."""

    command: FileCommand
    is_resumed: bool
    """Many early failures do not stop resumed work."""
    ended: list[tuple[str, str]] = field(default_factory=list)
    """Failure and message of each, both "" for success (`stop_reason`)."""

    def fail(self, line: str, error: RarrError) -> None:
        """Print a failure; raises `RarrError` if others would probably fail too."""
        self.ended.append((failure_name(error), str(error)))
        self.command.log(f"{line}: {error}")
        if not self.is_resumed and (reason := stop_reason(self.ended, index=len(self.ended) - 1)):
            raise RarrError(f"{reason} --resume continues anyway.")

    @property
    def reasons(self) -> Counter[str]:
        return Counter(name for name, _ in self.ended if name)

    @property
    def reasons_in_words(self) -> str:
        """List reasons by frequency."""
        listed = ", ".join(
            f"{failure_words(name)}: {n:,}" for name, n in self.reasons.most_common()
        )
        return f" Reasons: {listed}." if listed else ""


def configure(system: str, options: dict[str, Any]) -> RunConfig:
    """Read `--set` and `--llm`; raises `BadConfig`."""
    if options["at_once"] < 0:
        raise BadConfig(f"--at-once {options['at_once']}: write 1 or more.")
    overrides = parse_overrides(options["set"])
    if options.get("llm"):
        overrides["llm"] = options["llm"]
    return RunConfig.from_settings(system=system, overrides=overrides)


@contextmanager
def opened(config: RunConfig, options: dict[str, Any]) -> Iterator[tuple[Engine, WorkContext]]:
    """Open the engine over `--corpus`, indexed if needed, with cache and budget.

    The scorer loads while the first calls wait for a server. Raises `BadConfig` for a missing
    corpus, and for one that is not searched.
    """
    corpus, index = options["corpus"], None
    if corpus and not config.needs_corpus:
        raise BadConfig(
            f"{config.system} with search={config.search} searches no corpus: leave --corpus out."
        )
    if config.needs_corpus:
        if not corpus:
            raise BadConfig(
                f"search={config.search} searches a corpus: name one with --corpus PATH_OR_NAME."
            )
        index, path = find_index(corpus)
        if path:
            documents = with_progress(read_documents(path), desc="indexing", unit="doc")
            build_index(index, documents)
    engine = load_engine(config, index=index)
    work = WorkContext(
        cache=open_cache(refresh=options["refresh"]), ledger=LocalLedger(config.budget)
    )
    with ThreadPoolExecutor(1, "loading") as loading:
        if config.waits_for_server:
            loading.submit(engine.load_scorer)
        yield engine, work


def at_once(config: RunConfig, options: dict[str, Any]) -> int:
    """Return `--at-once` or its default."""
    usual = PASSAGES_A_REQUEST * settings.RARR_LLM_CONCURRENCY if config.waits_for_server else 1
    return options["at_once"] or usual


def work_in_order(
    work: Callable[[Item], Result], items: Iterable[Item], *, at_once: int
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its result, in order, using `at_once` threads.

    1 works in the caller's thread. An error of `work` is raised at its item; then, or if the caller
    stops, running items end and no others begin.
    """
    if at_once == 1:
        for item in items:
            yield item, work(item)
        return
    begun: deque[tuple[Item, Future[Result]]] = deque()
    workers = ThreadPoolExecutor(max_workers=at_once)
    try:
        for item in items:
            begun.append((item, workers.submit(work, item)))
            if len(begun) == AHEAD * at_once:
                first, result = begun.popleft()
                yield first, result.result()
        while begun:
            first, result = begun.popleft()
            yield first, result.result()
    finally:
        workers.shutdown(wait=True, cancel_futures=True)


def answer_questions(command: FileCommand, options: dict[str, Any]) -> int:
    """Write the answers; return how many failed. Raises `RarrError` if nothing was done."""
    out: Path = options["out"]
    load_strategy(options["strategy"])  # refuses the name of a system
    config = configure(options["strategy"], options)
    check_output(out, source=options["questions"], corpus=options["corpus"])
    rows = _read(command, options["questions"], config)
    command.stop_message = f"The answers so far are in {out}.part; --resume continues."
    file = AnswerFile(path=out, args=args_of(config, corpus=options["corpus"]))
    items = file.items() if options["resume"] else {}
    with opened(config, options) as (engine, work):
        tally = _write(command, engine, work, rows, file, items, options)
    if not items:
        file.part.unlink(missing_ok=True)
        raise RarrError(f"No question could be answered.{tally.reasons_in_words}")
    file.finish(items, order=[row.external_id for row in rows])
    failed = command.wrong + tally.reasons.total()
    if sentence := replies_sentence(work.replies.by_step):
        command.log(sentence)
    command.log(f"Answered: {len(items):,}. Failed: {failed:,}.{tally.reasons_in_words}")
    return failed


def _read(command: FileCommand, path: Path, config: RunConfig) -> list[PassageRow]:
    """Read the distinct questions; raises `BadConfig` for none.

    Several answers to a question are drafts if the strategy begins with one.
    """
    rows: dict[tuple[str, str], PassageRow] = {}
    form = "auto"
    with suppress(Fault):  # reading gives the error
        shape = inspect_file(path)
        # An answer under another name than `text` is the right one.
        is_answer = shape.format in TABLES and shape.columns["text"].lower() != "text"
        form = "questions" if is_answer else shape.format
    read = read_passages(path, format=form)
    for row in command.good(with_progress(read, desc="reading", unit="row")):
        draft = row.text if config.system in TAKES_DRAFT else ""
        rows.setdefault((row.context, draft), row)
    if not rows:
        raise BadConfig(f"{path.name} has no question that can be read; nothing was written.")
    if config.needs_drafts and not any(row.text for row in rows.values()):
        raise BadConfig(
            f"{config.system} begins with texts, and {path.name} has questions only: give answers "
            "as texts, or set llm to openai:MODEL or hf:NAME_OR_PATH."
        )
    return list(rows.values())


def _write(
    command: FileCommand,
    engine: Engine,
    work: WorkContext,
    rows: list[PassageRow],
    file: AnswerFile,
    items: dict[str, str],
    options: dict[str, Any],
) -> Tally:
    """Fill `items` and the part file; return how the questions ended."""
    tally = Tally(command=command, is_resumed=options["resume"])
    goes_on = options["resume"] and file.part.exists()
    with lines_out(file.part, append=goes_on) as write:
        if not goes_on:
            for each in ({"args": file.args}, *map(json.loads, items.values())):
                write(each)
        lines = work_in_order(
            partial(_written, engine, work),
            [row for row in rows if row.external_id not in items],
            at_once=at_once(engine.config, options),
        )
        for row, answer in with_progress(lines, desc="answering", unit="question", total=len(rows)):
            if isinstance(answer, RarrError):
                tally.fail(f"{options['questions'].name}, line {row.line}", answer)
            else:
                tally.ended.append(("", ""))
                item = item_of(_question(row), row.source.gold, answer)
                write(item)
                items[row.external_id] = json.dumps(item, ensure_ascii=False)
    return tally


def _written(engine: Engine, work: WorkContext, row: PassageRow) -> Answer | RarrError:
    return attempt(
        lambda: engine.write_answer(_question(row), work=work.for_passage()),
        wrong="the question could not be answered",
    )


def _question(row: PassageRow) -> Question:
    return question_of(name=row.external_id, context=row.context, text=row.text, source=row.source)
