"""`generate`: write answers with citations, or passages."""

from itertools import chain, islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from pipeline.backends.prompted.passages import KINDS
from pipeline.backends.work import WorkContext
from pipeline.data import datasets
from pipeline.data.generation import generate_passages
from pipeline.data.slugs import find_named
from pipeline.engine.language_models import current_prompts, load_language_model
from pipeline.generation.strategies import STRATEGIES
from pipeline.importing.passages import read_questions
from pipeline.management.base import (
    FileCommand,
    add_options,
    model_summary,
    refuse_bad_name,
    with_progress,
)
from pipeline.management.engines import answer_questions
from pipeline.models import Dataset
from pipeline.rarr.errors import BadConfig, RarrError

MAX_TEMPERATURE = 2.0


class Command(FileCommand):
    help = """\
Let a language model write something to each question of a file.

With --strategy it writes answers with citations, by one of
docs/systems.md, as ALCE's run output, for `citations` to score:
  {"args": {…}, "data": [{"sample_id", "question", "docs": […], "output": "It opened in 1904 [1].",
   "generation": {…}, …}]}
The docs are the sources that the answer may cite, the first one as [1]; of the question's other
fields only references (qa_pairs, answers, claims) are written. The questions are lines of
{"id", "question"}, ALCE's data, HAGRID's lines, or any file of passages whose contexts are
questions; a strategy that revises a draft begins with their texts. With --set search=sources the
passages that came with a question are its sources. --strategy extractive needs no language model.
No database is needed. OUT.json.part has the answers until all are written.

Without --strategy it writes passages, for RARR to revise, into a dataset that is created if
needed. A question is a line: {"id": "1", "question": "…"}, for dialogs with the turns before it in
"context" or with all of them in "turns"; other keys are stored with the passage. Questions that the
dataset has a passage for are skipped: run the command again to continue where it stopped.
"""
    epilog = """\
Examples:
  manage.py generate questions.jsonl --strategy vanilla --corpus pages/ --out answers.json
  manage.py generate asqa.json --strategy rerank --set search=sources --out answers.json --resume
  manage.py citations answers.json --out figures.json
  manage.py generate questions.jsonl --dataset NAME --kind nq

Exit status: 0 every question has its answer or passage, 1 some have none (each is named) or the
budget was used up, 2 nothing could be done.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("questions", metavar="QUESTIONS.jsonl", type=Path)
        answers = parser.add_argument_group("answers with citations")
        answers.add_argument(
            "--strategy", default="", metavar="NAME", help=f"one of {', '.join(STRATEGIES)}"
        )
        answers.add_argument("--out", metavar="OUT.json", type=Path, help="ALCE's run output")
        add_options(answers, "--set", "--corpus", "--resume", "--at-once")
        add_options(parser, "--refresh", "--llm")
        passages = parser.add_argument_group("passages to revise")
        passages.add_argument("--dataset", metavar="NAME", help="name or slug of the dataset")
        passages.add_argument(
            "--kind",
            choices=sorted(KINDS),
            default="nq",
            help="prompt: nq for factoid questions, strategyqa for yes/no questions, "
            "dialog for conversations; default nq",
        )
        passages.add_argument(
            "--temperature", type=float, default=0.7, help="0 to 2; the paper's is 0.7, the default"
        )

    def work(self, options: dict[str, Any]) -> int:
        answers = bool(options["strategy"])
        wanted, other = ("--out", "--dataset") if answers else ("--dataset", "--out")
        if not options[wanted[2:]] or options[other[2:]]:
            given = "With" if answers else "Without"
            raise BadConfig(f"{given} --strategy name {wanted}, and no {other}: see --help.")
        return answer_questions(self, options) if answers else self._write_passages(options)

    def _write_passages(self, options: dict[str, Any]) -> int:
        """Write passages into the dataset; return how many questions have none."""
        refuse_bad_name(options["dataset"])
        temperature, source = options["temperature"], options["questions"]
        if not 0 <= temperature <= MAX_TEMPERATURE:
            raise BadConfig(
                f"--temperature {temperature:g}: write a number from 0 to {MAX_TEMPERATURE:g}."
            )
        name = options["llm"] or settings.RARR_LLM
        failed = done = known = 0
        work = WorkContext()
        try:
            model, prompts = load_language_model(name).for_work(work), current_prompts()
            rows = self.good(with_progress(read_questions(source), desc="questions", unit=""))
            first = list(islice(rows, 1))  # an unreadable file creates no dataset
            if not first and not self.wrong:
                raise BadConfig(f"{source.name} has no question.")
            into = find_named(Dataset, options["dataset"]) or datasets.create_dataset(
                name=options["dataset"], description=f"Passages written by {name}."
            )
            for step in generate_passages(
                into,
                chain(first, rows),
                kind=options["kind"],
                model=model.for_step("passages"),
                model_name=name,
                prompts=prompts,
                temperature=temperature,
            ):
                known += step.is_known
                failed += bool(step.problem)
                done += not step.is_known and not step.problem
                if step.problem:
                    self.log(f"{source.name}, line {step.line}: {step.problem}")
        except (RarrError, OSError) as error:
            if not done and not known:
                raise
            self.log(f"{error} Run the same command again to continue.")
            return 1
        failed += self.wrong
        self.stdout.write(
            f"Passages written: {done:,}. There already: {known:,}. Without one: {failed:,}. The "
            f"dataset {into.name!r} ({into.slug}) now has {into.passages.count():,} passages. "
            f"{model_summary(work)}"
        )
        return failed
