"""`generate`: a dataset of passages that a language model writes from questions."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from pipeline import datasets
from pipeline.backends.calls import logged
from pipeline.backends.prompted.passages import KINDS
from pipeline.generating import generate_passages
from pipeline.importing.questions import read_questions
from pipeline.importing.rows import PassageRow, RowError
from pipeline.language_models import current_prompts, load_language_model
from pipeline.management.loading import refuse_long_name
from pipeline.management.spending import in_a_sentence
from pipeline.rarr.types import RarrError

HOTTEST = 2.0


class Command(BaseCommand):
    help = (
        "Lets the language model write a passage for each question of a file, into a dataset "
        "that is made if there is none of that name. A question is a line: "
        '{"id": "1", "question": "…"}, for dialogs with the turns before it in "context" or '
        'with all of them in "turns"; other keys are kept with the passage. Questions that the '
        "dataset has a passage for are passed over: the same command again goes on where it "
        "stopped. Exit status: 0 every question has its passage, 1 some have none (each is "
        "named), 2 nothing could be done."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("questions", metavar="QUESTIONS.jsonl", type=Path)
        parser.add_argument(
            "--dataset", required=True, metavar="NAME", help="name or slug of the dataset"
        )
        parser.add_argument(
            "--kind",
            choices=sorted(KINDS),
            default="nq",
            help="which prompt asks: nq for factoid questions, strategyqa for yes/no questions, "
            "dialog for conversations; default nq",
        )
        parser.add_argument(
            "--llm", metavar="NAME", help="openai:MODEL or hf:NAME_OR_PATH; default RARR_LLM"
        )
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
        failed = done = known = 0
        reading = _Reading(options["questions"], self)
        try:
            model, prompts = load_language_model(name), current_prompts()
            rows = reading.rows()
            first = next(rows, None)  # before a dataset is made of a file that cannot be read
            if first is None and not reading.wrong:
                raise CommandError(f"{options['questions'].name} has no question.", returncode=2)
            into = datasets.find_dataset(options["dataset"]) or datasets.create_dataset(
                name=options["dataset"], description=f"Passages written by {name}."
            )
            with logged() as calls:
                for step in generate_passages(
                    into,
                    _chained(first, rows),
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
                        self._say(f"{options['questions'].name}, line {step.line}: {step.problem}")
        except (RarrError, OSError) as error:
            status = 1 if done or known else 2
            again = " The same command goes on where it stopped." if status == 1 else ""
            raise CommandError(f"{error}{again}", returncode=status) from error
        self.stdout.write(
            f"Passages written: {done:,}. There already: {known:,}. "
            f"Without one: {failed + reading.wrong:,}. The dataset {into.name!r} ({into.slug}) "
            f"now has {into.passages.count():,} passages. {in_a_sentence(calls)}"
        )
        if failed or reading.wrong:
            raise CommandError("Some questions have no passage.", returncode=1)

    def _say(self, sentence: str) -> None:
        tqdm.write(sentence, file=self.stderr)


class _Reading:
    """The good rows of a file; the others are said and counted."""

    def __init__(self, path: Path, command: Command) -> None:
        self._path = path
        self._command = command
        self.wrong = 0

    def rows(self) -> Iterator[PassageRow]:
        for row in tqdm(
            read_questions(self._path),
            desc="questions",
            unit="",
            disable=not sys.stderr.isatty(),
        ):
            if isinstance(row, RowError):
                self.wrong += 1
                self._command._say(str(row))
            else:
                yield row


def _chained(first: PassageRow | None, rest: Iterator[PassageRow]) -> Iterator[PassageRow]:
    if first is not None:
        yield first
    yield from rest
