"""`manage.py run_system`: start a run."""

import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from pipeline.data.slugs import find_named
from pipeline.engine.configuration import RunConfig, parse_overrides
from pipeline.figures.progress import failure_reasons, run_progress
from pipeline.generation.strategies import STRATEGIES
from pipeline.management.base import OPTIONS, add_options, replies_sentence
from pipeline.models import Corpus, Dataset, Run
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.systems import SYSTEMS
from pipeline.runs import start as launch
from pipeline.runs.budget import reply_counts
from pipeline.workers import registry
from rarrweb.web.addresses import absolute

POLL_SECONDS = 1.0


class Command(BaseCommand):
    help = (
        "Starts a run: one system or strategy with one frozen configuration over every passage "
        "of a dataset, with evidence from a corpus or the web (RARR_SEARCH). The work is done by "
        f"workers ({registry.START_COMMAND}). Exit status: 0 started (with --wait: all revised), "
        "1 some passages failed, the run was cancelled, or it paused by itself (its budget is used "
        "up, or too many of its first passages failed), 2 it could not start."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        subject = parser.add_mutually_exclusive_group(required=True)
        subject.add_argument(
            "--dataset", default="", metavar="NAME", help="name or slug of the dataset"
        )
        subject.add_argument(
            "--retry",
            type=int,
            metavar="ID",
            help="start no run, but retry the passages that failed in run ID",
        )
        parser.add_argument(
            "--corpus",
            default="",
            metavar="NAME",
            help="name or slug of the corpus; omit it to search only the web, or the passages' own "
            "sources (--set search=sources)",
        )
        parser.add_argument(
            "--system",
            default="rarr",
            help=f"to revise: {', '.join(sorted(SYSTEMS))}; to answer the questions that are the "
            f"passages' contexts: {', '.join(STRATEGIES)}; default rarr",
        )
        parser.add_argument("--set", dest="overrides", **OPTIONS["--set"])
        add_options(parser, "--refresh")
        parser.add_argument(
            "--wait", action="store_true", help="wait until the run is over and show a progress bar"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        retry = options["retry"]
        run = self.started(options) if retry is None else self.retried(retry)
        self.stdout.write(f"Run {run.pk}: {absolute(run.get_absolute_url())}")
        if retry is None and (note := launch.sources_note(run)):
            self.stderr.write(note)
        if not registry.alive().exists():
            self.stderr.write(
                "No worker is running, so the run waits. Start one with: " + registry.START_COMMAND
            )
        if options["wait"]:
            self.stdout.flush()
            watch(run)
            self.report(run)

    def retried(self, run_id: int) -> Run:
        run = Run.objects.of_lab().filter(pk=run_id).first()
        if run is None or not launch.retry_failed(run):
            raise CommandError(
                f"No passage of run {run_id} can be tried again: none failed, or it was cancelled.",
                returncode=2,
            )
        return run

    def started(self, options: dict[str, Any]) -> Run:
        dataset = find_named(Dataset, name := options["dataset"])
        if dataset is None:
            raise CommandError(
                f"There is no dataset {name!r}: load one with load_passages.", returncode=2
            )
        corpus = find_named(Corpus, name) if (name := options["corpus"]) else None
        if name and corpus is None:
            raise CommandError(
                f"There is no corpus {name!r}: load one with load_corpus.", returncode=2
            )
        try:
            return launch.start_run(
                dataset=dataset,
                corpus=corpus,
                config=RunConfig.from_settings(
                    system=options["system"], overrides=parse_overrides(options["overrides"])
                ),
                created_by=None,
                refresh=options["refresh"],
            )
        except (BadConfig, launch.RunRefused) as refusal:
            raise CommandError(str(refusal), returncode=2) from None

    def report(self, run: Run) -> None:
        """Print how the run ended; raises `CommandError` (status 1) for failures."""
        progress = run_progress(run)
        run.refresh_from_db(fields=["replies"])
        if sentence := replies_sentence(reply_counts(run)):
            self.stdout.write(sentence)
        ended = f"{progress.done} revised, {progress.failed} failed of {progress.total} passages."
        if run.state == Run.State.PAUSED:
            raise CommandError(f"The run paused. {run.pause_reason} {ended}", returncode=1)
        if run.state == Run.State.CANCELLED:
            raise CommandError(f"The run was cancelled: {ended}", returncode=1)
        if progress.failed:
            reasons = ", ".join(f"{r.words}: {r.count}" for r in failure_reasons(run))
            raise CommandError(f"{ended} Reasons: {reasons}.", returncode=1)
        self.stdout.write(ended)


def watch(run: Run) -> None:
    """Wait until the run is over or has paused by itself."""
    quiet = not sys.stderr.isatty()
    with tqdm(total=run.passage_count, unit="passage", disable=quiet, file=sys.stderr) as bar:
        while True:
            run.refresh_from_db(fields=["state", "pause_reason"])
            progress = run_progress(run)
            bar.set_postfix_str(
                f"{progress.failed} failed" if progress.failed else run.get_state_display()
            )
            bar.update(progress.ended - bar.n)
            # A run that a user paused may go on.
            if run.is_over or (run.pause_reason and not progress.working):
                return
            time.sleep(POLL_SECONDS)
