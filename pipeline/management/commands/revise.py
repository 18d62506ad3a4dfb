"""`revise`: RARR over a file of passages, without a database."""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from tqdm import tqdm

from pipeline.backends import is_language_model, split_name
from pipeline.backends.answer_files import FileAnswers
from pipeline.backends.answers import kept_in
from pipeline.backends.budgets import BudgetSpent, LocalPurse, paid_from
from pipeline.corpus_indexes import build_index, find_index
from pipeline.engine import Engine, Outcome, RunConfig, load_engine, parse_overrides
from pipeline.importing.corpus_files import read_documents
from pipeline.importing.lines import read_objects
from pipeline.importing.rows import RowError
from pipeline.line_files import LinesOut, Rows, check_output, in_words, open_rows
from pipeline.management.file_command import FileCommand
from pipeline.public_lines import Line, read_row, row_key, written_row
from pipeline.rarr.systems import SYSTEMS
from pipeline.rarr.types import BadConfig, RarrError
from pipeline.side_by_side import in_order

HELP = """\
Research and revise the passages of a file, and write them with their evidence.

The input has one JSON object a line, either as the public RARR program reads it,
  {"input_info": {"claim": "The Ribble flows into the North Sea.", "context": null}}
or as
  {"id": "7", "text": "The Ribble flows into the North Sea.", "context": ""}
Each line of the output is the line of the input with a "result" added: the public program's
keys (text, questions, evidences_for_questions, revisions, selected_evidences), then scores
(auto-AIS before and after, preservation, F1_AP), usage and errors. All other keys are carried
through untouched.

What a language model or a search answered is kept in a file under RARR_VAR and not asked
again, so a second run costs nothing; --refresh asks anew. A budget (--set budget_calls=500,
budget_tokens, budget_cost) ends the command when it is used up; --resume goes on.

No database is needed, and no corpus where the web is searched (RARR_SEARCH=searxng:URL or
json:NAME; corpus+searxng:URL searches both). The corpus is a folder of .txt, .md or .html files,
a .jsonl file of {"id", "title", "url", "text"}, or the name of a corpus that was loaded with
load_corpus. A path is indexed once and found again as long as its files stay the same.
"""

EPILOG = """\
Examples:
  manage.py revise passages.jsonl --corpus pages/ --out revised.jsonl
  manage.py revise passages.jsonl --corpus wiki.jsonl --out revised.jsonl --set report_size=3
  manage.py revise passages.jsonl --corpus my-corpus --out revised.jsonl --resume

Exit status: 0 all passages revised, 1 some lines failed (each is named on standard error) or the
budget was used up, 2 nothing could be done.
"""


class Command(FileCommand):
    help = HELP
    epilog = EPILOG

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("input", metavar="IN.jsonl", type=Path, help="passages, one a line")
        parser.add_argument(
            "--corpus",
            default="",
            metavar="PATH_OR_NAME",
            help="what to search for evidence; left out where RARR_SEARCH names the web only",
        )
        parser.add_argument(
            "--out", required=True, metavar="OUT.jsonl", type=Path, help="written line by line"
        )
        parser.add_argument(
            "--system", default="rarr", metavar="NAME", help=f"one of {', '.join(SYSTEMS)}"
        )
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="a hyper-parameter (query_samples, documents_per_query, window_sentences, "
            "window_stride, evidence_per_query, max_edit_characters, max_edit_ratio, "
            "report_size, query_temperature), a model (llm, efec_model, entailment, "
            "decontextualizer, relevance, search, spacy_model), domains (domains_excluded, "
            "domains_allowed) or a budget (budget_calls, budget_tokens, budget_cost); "
            "may be given many times",
        )
        parser.add_argument(
            "--claim-field",
            default="",
            metavar="NAME",
            help="the key of input_info that holds the passage (default: claim, then "
            "model_outputs_explanation)",
        )
        parser.add_argument(
            "--resume",
            action="store_true",
            help="keep the lines that OUT.jsonl has already (give the same --set and --corpus), "
            "and go on with the others",
        )
        parser.add_argument(
            "--at-once",
            type=int,
            default=0,
            metavar="N",
            help="passages that are worked on at the same time (default: RARR_LLM_CONCURRENCY "
            "where a server's language model does the work, else 1); the output's order stays",
        )
        parser.add_argument(
            "--refresh",
            action="store_true",
            help="ask models and searches again what they have answered before, and keep the "
            "new answers",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["at_once"] < 0:
                raise BadConfig(f"--at-once {options['at_once']}: write 1 or more.")
            rows = open_rows(options["input"])
            config, engine = self._engine(options)
            answers = FileAnswers(
                settings.VAR_DIR / settings.ANSWERS_FILE,
                since=time.time() if options["refresh"] else 0.0,
            )
            with kept_in(answers), paid_from(LocalPurse(config.budget)):
                failed = self._revise(engine, rows, options)
        except BudgetSpent as spent:
            self._say(
                f"Stopped: {spent} The lines written so far are whole; --resume with a higher "
                "budget goes on from them."
            )
            sys.exit(1)
        except (RarrError, OSError) as error:
            self._say(in_words(error))
            sys.exit(2)
        except KeyboardInterrupt:
            self._say("Stopped. The lines written so far are whole; --resume goes on from them.")
            sys.exit(2)
        if failed:
            sys.exit(1)

    def _engine(self, options: dict[str, Any]) -> tuple[RunConfig, Engine]:
        corpus = Path(options["corpus"]).expanduser() if options["corpus"] else None
        check_output(
            options["out"],
            source=options["input"],
            corpus=corpus if corpus and corpus.exists() else None,
        )
        config = RunConfig.from_settings(
            system=options["system"], overrides=parse_overrides(options["set"])
        )
        if not config.needs_corpus:
            if corpus:
                raise BadConfig(
                    f"--corpus is given, and search={config.search} searches none: leave it out, "
                    f"or --set search=corpus+{config.search}."
                )
            return config, load_engine(config, index=None)
        if not corpus:
            raise BadConfig(
                f"search={config.search} searches a corpus: name one with --corpus PATH_OR_NAME."
            )
        index, path = find_index(options["corpus"])
        if path:
            documents = self._watched(read_documents(path), label="indexing", unit="doc")
            build_index(path, index, documents=iter(documents))
        return config, load_engine(config, index=index)

    def _revise(self, engine: Engine, rows: Rows, options: dict[str, Any]) -> int:
        """Write a line for each passage; how many lines failed."""
        source: Path = options["input"]
        failed = done = 0
        finished = _written(options["out"]) if options["resume"] else Counter()
        total = _count_lines(source) if sys.stderr.isatty() else None
        with LinesOut(options["out"], append=options["resume"]) as out:
            lines = in_order(
                partial(_outcome, engine),
                _unfinished(rows, options, finished),
                at_once=options["at_once"] or _passages_at_once(engine.config),
            )
            for line, outcome in self._watched(
                lines, label="revising", unit="passage", total=total
            ):
                if isinstance(line, RowError):
                    failed += 1
                    self._say(str(line))
                elif isinstance(outcome, str):
                    failed += 1
                    self._say(f"{source.name}, line {line.number}: {outcome}")
                elif outcome:
                    done += 1
                    out.write(_written_row(line, outcome))
        self._say(f"Revised: {done:,}. Failed: {failed:,}.")
        return failed

    def _watched(self, items: Iterable[Any], **values: Any) -> Iterator[Any]:
        """The items with a progress bar, when a person watches."""
        values["desc"] = values.pop("label")
        bar = tqdm(items, disable=not sys.stderr.isatty(), file=sys.stderr, **values)
        return iter(bar)

    def _say(self, sentence: str) -> None:
        tqdm.write(sentence, file=sys.stderr)


def _unfinished(
    rows: Rows, options: dict[str, Any], finished: Counter[str]
) -> Iterator[Line | RowError]:
    """The lines of the input that the output lacks, and what is wrong with the others."""
    for item in rows:
        line = item if isinstance(item, RowError) else read_row(
            *item, file=options["input"].name, claim_field=options["claim_field"]
        )  # fmt: skip
        if isinstance(line, Line):
            key = row_key(line.row)
            if finished[key]:
                finished[key] -= 1  # the same row twice in the input is two rows
                continue
        yield line


def _outcome(engine: Engine, line: Line | RowError) -> Outcome | str | None:
    """What became of a line's passage; or, in a sentence, why there is nothing."""
    if isinstance(line, RowError):
        return None
    try:
        return engine.revise(line.passage)
    except (BadConfig, BudgetSpent):
        raise
    except RarrError as error:
        return in_words(error)
    except Exception as error:  # noqa: BLE001 - one bad passage must not cost the others
        return f"the passage could not be revised ({type(error).__name__}: {error})."


def _written_row(line: Line, outcome: Outcome) -> dict[str, Any]:
    return written_row(line, revision=outcome.revision, scores=outcome.scores, usage=outcome.usage)


def _passages_at_once(config: RunConfig) -> int:
    """As many as keep a server busy; one where this machine itself does the work."""
    on_server = is_language_model(config.llm) and split_name(config.llm)[0] != "hf"
    return settings.RARR_LLM_CONCURRENCY if on_server else 1


def _written(path: Path) -> Counter[str]:
    """How often each row is in the output already; half a line at its end is cut off."""
    if not path.exists():
        return Counter()
    whole = 0
    with path.open("r+b") as file:
        for raw in file:
            if not raw.endswith(b"\n"):
                break
            whole += len(raw)
        file.truncate(whole)
    rows = (item[1] for item in read_objects(path) if not isinstance(item, RowError))
    return Counter(row_key(row) for row in rows)


def _count_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
