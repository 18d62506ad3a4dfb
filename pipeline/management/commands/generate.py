"""`generate`: a dataset of passages that a language model writes from questions."""

import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from pipeline.backends.calls import logged
from pipeline.backends.prompted.passages import KINDS
from pipeline.data import datasets
from pipeline.data.generation import generate_passages
from pipeline.engine.language_models import current_prompts, load_language_model
from pipeline.importing.questions import read_questions
from pipeline.importing.rows import PassageRow, RowError
from pipeline.management.base import add_options, refuse_long_name, spent_sentence
from pipeline.rarr.errors import RarrError

HOTTEST = 2.0


class Command(BaseCommand):
    help = (
        "Lets the language model write a passage for each question of a file, into a dataset "
        "that is created if needed. A question is a line: "
        '{"id": "1", "question": "…"}, for dialogs with the turns before it in "context" or '
        'with all of them in "turns"; other keys are kept with the passage. Questions that the '
        "dataset has a passage for are skipped: run the command again to continue where it "
        "stopped. Exit status: 0 every question has its passage, 1 some have none (each is "
        "named), 2 nothing could be done."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("questions", metavar="QUESTIONS.jsonl", type=Path)
        add_options(parser, "--dataset")
        parser.add_argument(
            "--kind",
            choices=sorted(KINDS),
            default="nq",
            help="prompt: nq for factoid questions, strategyqa for yes/no questions, "
            "dialog for conversations; default nq",
        )
        add_options(parser, "--llm")
        parser.add_argument(
            "--temperature", type=float, default=0.7, help="0 to 2; the paper's is 0.7, the default"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_long_name(options["dataset"])
        if not 0 <= options["temperature"] <= HOTTEST:
            raise CommandError(
                f"--temperature {options['temperature']:g}: write a number from 0 to {HOTTEST:g}.",
                returncode=2,
            )
        name = options["llm"] or settings.RARR_LLM
        source: Path = options["questions"]
        failed = done = known = 0
        self.wrong_lines = 0
        try:
            model, prompts = load_language_model(name), current_prompts()
            rows = self._questions(source)
            first = list(islice(rows, 1))  # before a dataset is made of a file nobody can read
            if not first and not self.wrong_lines:
                raise CommandError(f"{source.name} has no question.", returncode=2)
            into = datasets.find_dataset(options["dataset"]) or datasets.create_dataset(
                name=options["dataset"], description=f"Passages written by {name}."
            )
            with logged() as calls:
                for step in generate_passages(
                    into,
                    chain(first, rows),
                    kind=options["kind"],
                    model=model.for_step("passages"),
                    model_name=name,
                    prompts=prompts,
                    temperature=options["temperature"],
                ):
                    known += step.is_known
                    failed += bool(step.problem)
                    done += not step.is_known and not step.problem
                    if step.problem:
                        self._say(f"{source.name}, line {step.line}: {step.problem}")
        except (RarrError, OSError) as error:
            status = 1 if done or known else 2
            again = " Run the same command again to continue." if status == 1 else ""
            raise CommandError(f"{error}{again}", returncode=status) from error
        self.stdout.write(
            f"Passages written: {done:,}. There already: {known:,}. "
            f"Without one: {failed + self.wrong_lines:,}. The dataset {into.name!r} ({into.slug}) "
            f"now has {into.passages.count():,} passages. {spent_sentence(calls)}"
        )
        if failed or self.wrong_lines:
            raise CommandError("Some questions have no passage.", returncode=1)

    def _questions(self, source: Path) -> Iterator[PassageRow]:
        """The good rows of a file; the others are said and counted."""
        rows = read_questions(source)
        for row in tqdm(rows, desc="questions", unit="", disable=not sys.stderr.isatty()):
            if isinstance(row, RowError):
                self.wrong_lines += 1
                self._say(str(row))
            else:
                yield row

    def _say(self, sentence: str) -> None:
        tqdm.write(sentence, file=self.stderr)
