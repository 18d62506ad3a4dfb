"""`generate --strategy`, from file to file."""

import json
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.backends.work import WorkContext
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Engine
from pipeline.files.answer_file import AnswerFile, args_of, item_of
from pipeline.files.jsonl_files import check_output, lines_out
from pipeline.generation.strategies import TAKES_DRAFT, load_strategy
from pipeline.generation.types import Answer, Question
from pipeline.importing.lines import check_readable
from pipeline.importing.passages import detect_format, read_passages
from pipeline.importing.questions import question_of
from pipeline.importing.rows import Fault, PassageRow
from pipeline.management.base import FileCommand, replies_sentence, with_progress
from pipeline.management.engines import (
    Tally,
    at_once,
    attempt,
    configure,
    opened,
    work_in_order,
)
from pipeline.rarr.errors import BadConfig, RarrError


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
    check_readable(path)
    try:
        form = detect_format(path)
    except Fault:  # such as a question with an answer, which is no passage
        form = "questions"
    rows: dict[tuple[str, str], PassageRow] = {}
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
