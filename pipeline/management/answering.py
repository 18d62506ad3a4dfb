"""`generate --strategy`: answers with citations to a file of questions, without a database."""

import json
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.backends.answers import kept_in
from pipeline.backends.budgets import BudgetSpent, LocalLedger, paid_from
from pipeline.engine.configuration import RunConfig, parse_overrides
from pipeline.engine.engine import Engine
from pipeline.generation.strategies import STRATEGIES, TAKES_DRAFT
from pipeline.generation.types import Answer, Question
from pipeline.importing.gold import question_of
from pipeline.importing.lines import check_readable
from pipeline.importing.passages import detect_format, read_passages
from pipeline.importing.question_sets import is_set
from pipeline.importing.rows import Fault, PassageRow, RowError
from pipeline.management.base import FileCommand, open_answers, watched
from pipeline.management.engines import (
    attempt,
    check_paths,
    open_engine,
    passages_at_once,
    reasons_in_words,
)
from pipeline.rarr.errors import BadConfig, RarrError
from pipeline.runs.failures import failure_name, stop_reason
from pipeline.standalone.answer_file import AnswerFile, args_of, item_of
from pipeline.standalone.jsonl_files import lines_out
from pipeline.standalone.parallel import work_in_order


def answer_questions(command: FileCommand, options: dict[str, Any]) -> None:
    """Write the answers; exits with 1 where some questions have none, 2 where nothing was done."""
    out: Path = options["out"]
    try:
        config = _config(options)
        check_paths(out, source=options["questions"], corpus=options["corpus"])
        rows, wrong = _read(command, options["questions"], config)
        file = AnswerFile(path=out, args=args_of(config, corpus=options["corpus"]))
        items = file.items() if options["resume"] else {}
        engine = open_engine(config, options["corpus"])
        with (
            kept_in(open_answers(refresh=options["refresh"])),
            paid_from(LocalLedger(config.budget)),
        ):
            reasons = _write(command, engine, rows, file, items, options)
        if not items:
            file.part.unlink(missing_ok=True)
            raise RarrError(f"No question could be answered.{reasons_in_words(reasons)}")
        file.finish(items, order=[row.external_id for row in rows])
    except BudgetSpent as spent:
        command.say(
            f"Stopped: {spent} The answers so far are in {out}.part; --resume with a higher budget "
            "goes on from them."
        )
        sys.exit(1)
    except (RarrError, OSError) as error:
        command.stop(error)
    except KeyboardInterrupt:
        command.say(f"Stopped. The answers so far are in {out}.part; use --resume to continue.")
        sys.exit(2)
    failed = wrong + reasons.total()
    command.say(f"Answered: {len(items):,}. Failed: {failed:,}.{reasons_in_words(reasons)}")
    if failed:
        sys.exit(1)


def _config(options: dict[str, Any]) -> RunConfig:
    if options["at_once"] < 0:
        raise BadConfig(f"--at-once {options['at_once']}: write 1 or more.")
    if options["strategy"] not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise BadConfig(f"{options['strategy']!r} is no strategy: choose one of {known}.")
    overrides = parse_overrides(options["set"])
    if options["llm"]:
        overrides["llm"] = options["llm"]
    return RunConfig.from_settings(system=options["strategy"], overrides=overrides)


def _read(command: FileCommand, path: Path, config: RunConfig) -> tuple[list[PassageRow], int]:
    """The questions, each once, and how many rows are wrong; raises `BadConfig` for none.

    A file may have several answers to a question (HAGRID's lines). They are several drafts where
    the strategy begins with one, and else one question.
    """
    if not is_set(path):
        check_readable(path)
    try:
        form = detect_format(path)
    except Fault:  # such as a question beside an answer: no passage, but here it will do
        form = "questions"
    rows: dict[tuple[str, str], PassageRow] = {}
    wrong = 0
    for row in watched(read_passages(path, format=form), desc="reading", unit="row"):
        if isinstance(row, RowError):
            wrong += 1
            command.say(str(row))
        else:
            draft = row.text if config.system in TAKES_DRAFT else ""
            rows.setdefault((row.context, draft), row)
    if not rows:
        raise BadConfig(f"{path.name} has no question that can be read; nothing was written.")
    return list(rows.values()), wrong


def _write(
    command: FileCommand,
    engine: Engine,
    rows: list[PassageRow],
    file: AnswerFile,
    items: dict[str, str],
    options: dict[str, Any],
) -> Counter[str]:
    """Fill `items`, and the file's part line by line; why questions failed, with how many."""
    ended: list[tuple[str, str]] = []  # a question each, as `stop_reason` takes them
    goes_on = options["resume"] and file.part.exists()
    with lines_out(file.part, append=goes_on) as write:
        if not goes_on:
            for each in ({"args": file.args}, *map(json.loads, items.values())):
                write(each)
        lines = work_in_order(
            partial(_written, engine),
            [row for row in rows if row.external_id not in items],
            at_once=options["at_once"] or passages_at_once(engine.config),
        )
        for row, answer in watched(lines, desc="answering", unit="question", total=len(rows)):
            if isinstance(answer, RarrError):
                ended.append((failure_name(answer), str(answer)))
                command.say(f"{options['questions'].name}, line {row.line}: {answer}")
                # Who resumes has been told, and wants the others all the same.
                if not options["resume"] and (reason := stop_reason(ended)):
                    raise RarrError(f"{reason} --resume continues anyway.")
            else:
                ended.append(("", ""))
                item = item_of(_question(row), row.source, answer)
                write(item)
                items[row.external_id] = json.dumps(item, ensure_ascii=False)
    return Counter(name for name, _ in ended if name)


def _written(engine: Engine, row: PassageRow) -> Answer | RarrError:
    return attempt(
        lambda: engine.write_answer(_question(row)), wrong="the question could not be answered"
    )


def _question(row: PassageRow) -> Question:
    return question_of(name=row.external_id, context=row.context, text=row.text, source=row.source)
