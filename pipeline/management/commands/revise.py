"""`revise`: revise a file of passages."""

import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from pipeline.backends.work import WorkContext
from pipeline.engine.engine import Engine, Outcome
from pipeline.files.jsonl_files import Rows, check_output, cut_half_line, lines_out, open_rows
from pipeline.files.rarr_jsonl import Line, read_row, row_key, written_row
from pipeline.importing.records import read_objects
from pipeline.importing.rows import RowError
from pipeline.management.base import FileCommand, add_options, replies_sentence, with_progress
from pipeline.management.engines import Tally, at_once, attempt, configure, opened, work_in_order
from pipeline.rarr.errors import RarrError
from pipeline.rarr.systems import SYSTEMS


class Command(FileCommand):
    help = """\
Research and revise the passages of a file, and write them with their evidence.

The input has one JSON object per line, either as the public RARR program reads it,
  {"input_info": {"claim": "The Ribble flows into the North Sea.", "context": null}}
or as
  {"id": "7", "text": "The Ribble flows into the North Sea.", "context": ""}
or, the output of a RAG system, as
  {"question": "Where does it end?", "contexts": ["It runs west."], "answer": "In the North Sea."}
Each line of the output is the line of the input with a "result" added: the public program's
keys (text, questions, evidences_for_questions, revisions, selected_evidences), then scores
(auto-AIS before and after, preservation, F1_AP), usage and errors. All other keys are kept
unchanged.

Answers of language models and searches are cached in a file under RARR_VAR and not requested
again, so a second run costs nothing; --refresh asks again. A budget (--set budget_calls=500,
budget_tokens, budget_cost) stops the command when it is used up; --resume continues.

A passage for which the language model gives no readable reply, or refuses a prompt, fails with
its reason and is not written; --resume tries it again. If the first five passages, or ten of
the first twenty, fail in this way, the command stops, because the others would most likely fail
too. --resume continues anyway.

No database is needed, and no corpus where the web is searched (RARR_SEARCH=searxng:URL or
json:NAME; corpus+searxng:URL searches both). The corpus is a folder of .txt, .md or .html files,
a .jsonl file of {"id", "title", "url", "text"}, or the name of a corpus that was loaded with
load_corpus. A path is indexed once, and again only if its files change. With --set search=sources
each passage is researched in the sources of its line (contexts, docs, quotes, references,
evidence or sources, a list of texts or of objects with a text), and there is no corpus.
"""
    epilog = """\
Examples:
  manage.py revise passages.jsonl --corpus pages/ --out revised.jsonl
  manage.py revise passages.jsonl --corpus wiki.jsonl --out revised.jsonl --set report_size=3
  manage.py revise passages.jsonl --corpus my-corpus --out revised.jsonl --resume
  manage.py revise answers.jsonl --set search=sources --out revised.jsonl

Exit status: 0 all passages revised, 1 some lines failed (each is named on standard error) or the
budget was used up, 2 nothing could be done, or too many of the first passages failed.
"""
    stop_message = "The lines written so far are complete; --resume continues."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("input", metavar="IN.jsonl", type=Path, help="passages, one per line")
        parser.add_argument(
            "--out", required=True, metavar="OUT.jsonl", type=Path, help="written line by line"
        )
        parser.add_argument(
            "--system", default="rarr", metavar="NAME", help=f"one of {', '.join(SYSTEMS)}"
        )
        parser.add_argument(
            "--claim-field",
            default="",
            metavar="NAME",
            help="the key of input_info that holds the passage (default: claim, then "
            "model_outputs_explanation)",
        )
        add_options(parser, "--set", "--corpus", "--resume", "--at-once", "--refresh")

    def work(self, options: dict[str, Any]) -> int:
        rows = open_rows(options["input"])
        check_output(options["out"], source=options["input"], corpus=options["corpus"])
        with opened(configure(options["system"], options), options) as (engine, work):
            return self._revise(engine, work, rows, options)

    def _revise(
        self, engine: Engine, work: WorkContext, rows: Rows, options: dict[str, Any]
    ) -> int:
        """Write a line per passage; return how many failed."""
        source: Path = options["input"]
        wrong_lines = 0
        tally = Tally(command=self, is_resumed=options["resume"])
        finished = _written(options["out"]) if options["resume"] else Counter()
        total = _count_lines(source) if sys.stderr.isatty() else None
        with lines_out(options["out"], append=options["resume"]) as write:
            lines = work_in_order(
                partial(_outcome, engine, work),
                _unfinished(rows, options, finished),
                at_once=at_once(engine.config, options),
            )
            for line, outcome in with_progress(lines, desc="revising", unit="passage", total=total):
                if isinstance(line, RowError):
                    wrong_lines += 1
                    self.log(str(line))
                elif isinstance(outcome, Outcome):
                    tally.ended.append(("", ""))
                    write(written_row(line, outcome))
                elif outcome:
                    tally.fail(f"{source.name}, line {line.number}", outcome)
        of_engine = tally.reasons.total()
        done, failed = len(tally.ended) - of_engine, wrong_lines + of_engine
        if sentence := replies_sentence(work.replies.by_step):
            self.log(sentence)
        self.log(f"Revised: {done:,}. Failed: {failed:,}.{tally.reasons_in_words}")
        return failed


def _unfinished(
    rows: Rows, options: dict[str, Any], finished: Counter[str]
) -> Iterator[Line | RowError]:
    """Yield lines that are not in the output, and errors."""
    read = partial(read_row, file=options["input"].name, claim_field=options["claim_field"])
    for item in rows:
        line = item if isinstance(item, RowError) else read(*item)
        if isinstance(line, Line) and finished[key := row_key(line.row)]:
            finished[key] -= 1  # the input may have a row twice
        else:
            yield line


def _outcome(
    engine: Engine, work: WorkContext, line: Line | RowError
) -> Outcome | RarrError | None:
    if isinstance(line, RowError):
        return None
    revise = partial(engine.revise, line.passage, work=work.for_passage())
    if engine.config.searches_passage_sources:
        revise = partial(revise, sources=line.sources)
    return attempt(revise, wrong="the passage could not be revised")


def _written(path: Path) -> Counter[str]:
    """Count the rows of the output; cut off an incomplete last line."""
    if not path.exists():
        return Counter()
    cut_half_line(path)
    rows = read_objects(path, is_one_record=True)
    return Counter(row_key(item[1]) for item in rows if not isinstance(item, RowError))


def _count_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
