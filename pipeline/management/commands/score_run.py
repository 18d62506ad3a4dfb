"""`manage.py score_run`: score an imported run."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pipeline.backends.work import WorkContext
from pipeline.engine.configuration import RunConfig
from pipeline.engine.loading import versions
from pipeline.engine.scorer_info import run_scorer
from pipeline.management.base import OPTIONS, model_summary, progress_bar
from pipeline.models import Run
from pipeline.rarr.errors import RarrError
from pipeline.runs.answer_cache import DatabaseCache
from pipeline.runs.scoring import check_can_be_scored, score_run
from pipeline.runs.start import RunRefused


class Command(BaseCommand):
    help = (
        "Scores a run whose texts came in a file. Revisions: attribution before and after by "
        "auto-AIS, preservation, F1_AP. Answers as they are: ALCE's citation recall and precision, "
        "correctness, and auto-AIS over all sources. Scoring again replaces the figures. "
        "Exit status: 0 done, 1 some passages could not be scored, 2 nothing could be done."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="ID", help="the run's number")
        parser.add_argument(
            "--entailment", default="", metavar="NAME", help=OPTIONS["--model"]["help"]
        )

    def handle(self, *, run: int, entailment: str, **options: Any) -> None:
        row = Run.objects.of_lab().filter(pk=run).first()
        if row is None:
            raise CommandError(f"There is no run {run}.", returncode=2)
        work = WorkContext(cache=DatabaseCache())
        try:
            check_can_be_scored(row)
            given = {"entailment": entailment} if entailment else {}
            config = RunConfig.from_settings(overrides=given)
            with progress_bar("passages scored", total=row.passage_count) as bar:
                failed = score_run(row, config, progress=bar, work=work)
        except (RarrError, RunRefused) as error:
            raise CommandError(str(error), returncode=2) from error
        for sentence in failed:
            self.stderr.write(sentence)
        by = run_scorer(row.config, versions())
        scorer_note = f" by {by.name}, {by.description}" if by else ""
        self.stdout.write(f"Scored: {row.passage_count - len(failed):,}{scorer_note}.")
        if work.calls:
            self.stdout.write(model_summary(work))
        if failed:
            raise CommandError(f"{len(failed):,} could not be scored.", returncode=1)
