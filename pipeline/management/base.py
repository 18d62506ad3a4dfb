"""Options, progress bars and base classes of commands."""

import argparse
import json
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from pipeline.backends.budgets import BudgetSpent
from pipeline.backends.calls import Call, totals
from pipeline.backends.readings import ReplyCounts
from pipeline.backends.response_cache import SqliteCache
from pipeline.backends.work import WorkContext
from pipeline.data.slugs import NameTaken
from pipeline.data.staging import Check, Progress
from pipeline.importing.columns import IGNORED
from pipeline.importing.rows import RowError, shortened
from pipeline.rarr.errors import RarrError
from rarrweb.private_files import apply_umask
from rarrweb.web.names import name_error

Row = TypeVar("Row")
Target = TypeVar("Target")

MAX_NAME = 200
OPTIONS: dict[str, dict[str, Any]] = {
    "--dataset": {"required": True, "metavar": "NAME", "help": "name or slug of the dataset"},
    "--corpus": {
        "default": "",
        "metavar": "PATH_OR_NAME",
        "help": "what to search for evidence; omit it where only the web or the passages' own "
        "sources are searched",
    },
    "--resume": {
        "action": "store_true",
        "help": "keep what is in the output already and process the rest (give the same settings)",
    },
    "--at-once": {
        "type": int,
        "default": 0,
        "metavar": "N",
        "help": "how many to process in parallel (default: twice RARR_LLM_CONCURRENCY with a "
        "language model on a server, otherwise 1); the output keeps the input's order",
    },
    "--dry-run": {"action": "store_true", "help": "only count new, unchanged and changed rows"},
    "--errors": {"type": Path, "metavar": "OUT.csv", "help": "write all errors to this file"},
    "--skip-invalid": {
        "action": "store_true",
        "help": "import the valid rows of a file that has invalid ones; the exit status is 1",
    },
    "--update": {
        "action": "store_true",
        "help": "replace what is stored under the id of a row with other content",
    },
    "--map": {
        "action": "append",
        "default": [],
        "metavar": "FIELD=COLUMN",
        "help": "the column or key of a field, if its name does not tell; once for each field, "
        "nothing after = for none",
    },
    "--encoding": {
        "default": "",
        "metavar": "NAME",
        "help": "encoding of the file, such as utf-16 or cp1252; default: detected",
    },
    "--delimiter": {
        "default": "",
        "metavar": "CHARACTER",
        "help": "what separates the cells of a table; default: detected",
    },
    "--no-header": {
        "action": "store_true",
        "help": "the first row of the table is data; columns are called column 1, column 2, …",
    },
    "--model": {
        "default": "",
        "metavar": "NAME",
        "help": "compact, hf:NAME_OR_PATH of an NLI model, minicheck:NAME_OR_PATH, or openai:MODEL "
        "for a language model as judge (default: RARR_ENTAILMENT)",
    },
    "--llm": {"metavar": "NAME", "help": "openai:MODEL or hf:NAME_OR_PATH; default RARR_LLM"},
    "--refresh": {
        "action": "store_true",
        "help": "ignore cached answers of models and searches, and cache the new ones",
    },
    "--set": {
        "action": "append",
        "default": [],
        "metavar": "KEY=VALUE",
        "help": "a hyper-parameter (query_samples, documents_per_query, window_sentences, "
        "window_stride, evidence_per_query, max_edit_characters, max_edit_ratio, report_size, "
        "report_fill (smallest, full), query_temperature, gate_temperature, edit_temperature), a "
        "setting of a strategy (docs/systems.md), contextual_prompts (dialog, any), a model "
        "(llm, llm_queries, llm_agreement, llm_edit, llm_decontextualize, efec_model, entailment, "
        "decontextualizer, relevance, search, spacy_model), domains (domains_excluded, "
        "domains_allowed) or a budget (budget_calls, budget_tokens, budget_cost); may be repeated",
    },
}


def add_options(parser: argparse._ActionsContainer, *names: str) -> None:
    for name in names:
        parser.add_argument(name, **OPTIONS[name])


def with_progress(items: Iterable[Any], **values: Any) -> Iterator[Any]:
    """Yield the items with a progress bar on a terminal; `values` are tqdm's."""
    return iter(tqdm(items, disable=not sys.stderr.isatty(), file=sys.stderr, **values))


def open_cache(*, refresh: bool) -> SqliteCache:
    """Open the file of cached answers; `refresh` ignores older ones."""
    path = settings.VAR_DIR / settings.ANSWERS_FILE
    return SqliteCache(path, since=time.time() if refresh else 0.0)


def spent_sentence(calls: Iterable[Call]) -> str:
    """Describe requests, tokens and cost.

    >>> spent_sentence([Call(requests=2, input_tokens=900, output_tokens=100)])
    'The language model was asked 2 times: 900 tokens in, 100 out.'
    >>> spent_sentence([Call(input_tokens=9, cost=0.00123)])
    'The language model was asked once: 9 tokens in, 0 out, at a cost of 0.00123.'
    >>> spent_sentence([])
    'The language model was not asked.'
    """
    spent = totals(calls)
    known = f" {spent.cached_calls:,} answers were known already." if spent.cached_calls else ""
    if not spent.model_calls:
        return f"The language model was not asked.{known}"
    times = "once" if spent.model_calls == 1 else f"{spent.model_calls:,} times"
    money = "" if spent.cost is None else f", at a cost of {spent.cost:.4g}"
    return (
        f"The language model was asked {times}: {spent.input_tokens:,} tokens in, "
        f"{spent.output_tokens:,} out{money}.{known}"
    )


def replies_sentence(by_step: Mapping[str, ReplyCounts]) -> str:
    """Describe how replies were read; "" if all were.

    >>> replies_sentence({"edit": ReplyCounts(at_once=15, on_second_attempt=1)})
    'Of 16 replies, 15 were read at once, 1 on the second attempt, and 0 were unreadable.'
    """
    counts = sum(by_step.values(), ReplyCounts())
    if counts.at_once == counts.total:
        return ""
    many = [
        f"{step or 'one step'} ({each.unreadable:,} of {each.total:,}; first reply: "
        f"{shortened(each.examples[0].reply) or 'empty'!r})"
        for step, each in by_step.items()
        if each.has_many_unreadable
    ]
    warning = (
        f" More than {ReplyCounts.MOST_UNREADABLE:.0%} of the replies were unreadable for "
        f"{', '.join(many)}. Choose a model that follows the prompts, or change the prompts."
    )
    return (
        f"Of {counts.total:,} replies, {counts.at_once:,} were read at once, "
        f"{counts.on_second_attempt:,} on the second attempt, and {counts.unreadable:,} "
        f"{'was' if counts.unreadable == 1 else 'were'} unreadable.{warning if many else ''}"
    )


def model_summary(work: WorkContext) -> str:
    sentences = [spent_sentence(work.calls), replies_sentence(work.replies.by_step)]
    return " ".join(filter(None, sentences))


def refuse_bad_name(name: str) -> None:
    """Raise `CommandError` (status 2) for an invalid name."""
    error = name_error(name)
    if len(name) > MAX_NAME:
        error = f"The name is longer than {MAX_NAME} characters: write a shorter one."
    if error:
        raise CommandError(error, returncode=2)


def write_json(path: Path, report: Mapping[str, Any]) -> None:
    is_new = not path.exists()
    path.write_text(
        json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", errors="replace"
    )
    if is_new:
        apply_umask(path)


class FileCommand(BaseCommand):
    """A command without the database.

    Exits with status 1 if some of its `work` failed or a budget is spent, 2 if nothing could be
    done.
    """

    requires_system_checks: list[str] = []
    epilog = ""
    """Text below the options in `--help`: examples, exit status."""
    stop_message = "Nothing was written."
    """Message about the output after Ctrl-C or a spent budget."""
    wrong = 0
    """Rows that `good` skipped."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name,
            subcommand,
            epilog=self.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **kwargs,
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            failed = self.work(options)
        except BudgetSpent as spent:
            self.log(f"Stopped: {spent} {self.stop_message}")
            sys.exit(1)
        except (RarrError, OSError) as error:
            self.stop(error)
        except KeyboardInterrupt:
            self.log(f"Stopped. {self.stop_message}")
            sys.exit(2)
        if failed:
            sys.exit(1)

    def work(self, options: dict[str, Any]) -> int:
        """Return how many failed; raises `RarrError` or `OSError` if nothing was done."""
        raise NotImplementedError

    def good(self, rows: Iterable[Row | RowError]) -> Iterator[Row]:
        """Yield the rows without errors, and print the errors."""
        for row in rows:
            if isinstance(row, RowError):
                self.wrong += 1
                self.log(str(row))
            else:
                yield row

    def log(self, sentence: str) -> None:
        """Write to stderr, above a progress bar."""
        tqdm.write(sentence, file=sys.stderr)

    def stop(self, error: Exception) -> NoReturn:
        if isinstance(error, OSError):
            name = error.filename or "A file"
            self.log(f"{name}: {(error.strerror or str(error)).lower()}.")
        else:
            self.log(str(error))
        sys.exit(2)


class LoadCommand(BaseCommand):
    """Imports a file if all its rows are valid, or its valid rows."""

    skipped = 0
    """Invalid rows of an imported file."""

    def add_arguments(self, parser: CommandParser) -> None:
        add_options(parser, "--map", "--encoding", "--delimiter", "--no-header")
        add_options(parser, "--update", "--skip-invalid", "--dry-run", "--errors")

    def handle(self, *args: Any, **options: Any) -> None:
        self.work(options)
        if self.skipped:
            raise CommandError(f"Invalid rows skipped: {self.skipped:,}.", returncode=1)

    def work(self, options: dict[str, Any]) -> None:
        raise NotImplementedError

    def reading(self, options: dict[str, Any], fields: Iterable[str]) -> dict[str, Any]:
        """Return the options about the file's shape; raises `CommandError` (status 2)."""
        return {
            "columns": self._columns(options["map"], fields),
            "sources": [each[8:] for each in options["map"] if each.startswith("sources=")],
            "encoding": options["encoding"],
            "delimiter": options["delimiter"],
            "has_header": False if options["no_header"] else None,
        }

    def _columns(self, given: list[str], fields: Iterable[str]) -> dict[str, str]:
        pairs = [each.partition("=") for each in given]
        wrong = [
            field + equals + column
            for field, equals, column in pairs
            if not equals or field not in fields or (field == "text" and not column)
        ]
        if wrong:
            known = ", ".join(fields)
            raise CommandError(
                f"--map {wrong[0]}: write FIELD=COLUMN, where FIELD is one of {known}.",
                returncode=2,
            )
        return {field: column for field, _, column in pairs if field != IGNORED}

    def load(
        self,
        path: Path,
        options: dict[str, Any],
        *,
        bars: tuple[str, str],
        check: Callable[..., Check],
        find_or_create: Callable[[], Target],
        store: Callable[..., object],
        report: Callable[[Check], object] = lambda check: None,
    ) -> Target | None:
        """Return what the rows were written into; None after a dry run.

        `bars` label the progress. `check` takes arguments of `staging.check_file`; `store` the
        target, the staged rows and `progress`. `report` prints more about the check. Raises
        `CommandError`: 1 for wrong rows, 2 for the file.
        """
        is_dry, errors = options["dry_run"], options["errors"]
        uploads = Path(settings.UPLOAD_DIR)  # /tmp may be small
        uploads.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="command-", dir=uploads) as folder:
            staged = Path(folder) / "rows.jsonl"
            with progress_bar(bars[0]) as bar:
                try:
                    checked = check(
                        path,
                        update=options["update"],
                        staged=None if is_dry else staged,
                        errors=errors,
                        progress=bar,
                    )
                except (RarrError, OSError) as error:
                    raise CommandError(str(error), returncode=2) from error
            report(checked)
            notes = checked.notes
            if notes.guessed_encoding:
                self.stdout.write(
                    f"Encoding guessed: {notes.guessed_encoding}; choose another with --encoding."
                )
            if name := notes.repeated_id:
                self.stdout.write(
                    f"Rows share values of {name}, so it is not the id: --map "
                    f"{shlex.quote(f'id={name}')} makes them errors."
                )
            if notes.late:
                names = ", ".join(shortened(name) for name in [*notes.late][:20])
                self.stdout.write(f"Only later rows have these keys, which nothing uses: {names}.")
            self._report_errors(checked, options)
            self.stdout.write(f"{path.name}: {checked}.")
            if is_dry:
                self.stdout.write("This was a dry run: nothing was written.")
                return None
            try:
                into = find_or_create()
            except NameTaken as error:  # created while the file was read
                raise CommandError(str(error), returncode=2) from error
            with progress_bar(bars[1], total=checked.rows) as bar:
                store(into, staged, progress=bar)
        return into

    def _report_errors(self, check: Check, options: dict[str, Any]) -> None:
        """Print errors; raise `CommandError` (status 1) unless valid rows are to be imported."""
        for error in check.errors:
            self.stderr.write(error.in_command)
        if check.wrong > len(check.errors):
            self.stderr.write(f"… and {check.wrong - len(check.errors):,} more.")
        self.skipped = check.wrong
        if not check.wrong or (options["skip_invalid"] and check.valid):
            return
        errors = options["errors"]
        where = f"All errors are in {errors}." if errors else "--errors OUT.csv writes all of them."
        if check.valid:
            where += f" --skip-invalid imports the valid rows ({check.valid:,})."
        noun = "error" if check.wrong == 1 else "errors"
        raise CommandError(
            f"Nothing was written: {check.wrong:,} {noun} ({check}). {where}", returncode=1
        )


@contextmanager
def progress_bar(noun: str, *, total: int | None = None) -> Iterator[Progress]:
    """Show a bar on a terminal; call it with the rows done."""
    with tqdm(total=total, desc=noun, unit="", disable=not sys.stderr.isatty()) as bar:
        yield lambda done: bar.update(done - bar.n)
