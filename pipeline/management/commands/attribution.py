"""`attribution`: score the support of sentences by evidence."""

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from pipeline.backends import choices
from pipeline.backends.calls import totals
from pipeline.backends.model_loading import timed_loading
from pipeline.backends.work import WorkContext, for_work
from pipeline.data.staging import batches
from pipeline.engine.configuration import RunConfig
from pipeline.engine.loading import load_decontextualizer, load_entailment
from pipeline.engine.scorer_info import scorer
from pipeline.files.evidence_questions import EvidenceQuestion, read_question, score_questions
from pipeline.files.jsonl_files import Rows, check_output, lines_out, open_rows
from pipeline.files.model_comparison import THRESHOLD, Work, compare_models, line_to_plain, table
from pipeline.management.base import (
    FileCommand,
    add_options,
    model_summary,
    open_cache,
    with_progress,
    write_json,
)
from pipeline.metrics.attribution import best_entailment
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import Entailment

BATCH = 64
"""Lines whose pairs go to the model together."""


class Command(FileCommand):
    help = """\
Score how far each piece of evidence supports a sentence, from 0 to 1.

The input has one JSON object per line:
  {"id": "7", "evidence": ["A snippet.", "Another."], "sentence": "It opened in 1904.",
   "context": "What the sentence answers or follows (may be missing)."}
AttributionBench's lines are read too (claim, references, question; hypothesis, premise, context).
The output has one line per input line, in the same order:
  {"id": "7", "score": 0.93, "best": 0, "scores": [0.93, 0.02]}
"score" is the greatest of "scores" and "best" says whose it is (the first of equals); without
evidence both are null. A pronoun is replaced by what the context names before the sentence is
scored, where that is clear. No database is needed.

With --compare several models score the same lines, which have a label too: 1 or attributable, 0 or
not attributable. A table says how well each tells the two apart: ROC AUC and balanced accuracy,
where a score of 0.5 counts as supported, with 95 % intervals, and how many pairs of evidence and
sentence it reads in a second. Lines of one "group", else of one context,
else of one sentence are taken together for the intervals. --out then writes one JSON object:
  {"threshold": 0.5, "models": [{"model": "compact", "n": 7, "auc": {"value": …, "low": …,
   "high": …, "note": …}, …}], "lines": [{"id": "7", "label": 1, "scores": {"compact": 0.93}}]}
"""
    epilog = """\
Examples:
  manage.py attribution sentences.jsonl --out scores.jsonl --model hf:NAME_OR_PATH
  manage.py attribution labelled.jsonl --compare compact,minicheck:lytang/MiniCheck-Flan-T5-Large

Exit status: 0 all lines scored, 1 some lines failed (each is named on standard error),
2 nothing could be done.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("input", metavar="IN.jsonl", type=Path, help="sentences with evidence")
        parser.add_argument(
            "--out", metavar="OUT.jsonl", type=Path, help="needed, but with --compare"
        )
        add_options(parser, "--model", "--refresh")
        parser.add_argument(
            "--compare",
            default="",
            metavar="NAME,NAME",
            help="score lines that have a label by each of these models, and tell how well they do",
        )

    def work(self, options: dict[str, Any]) -> int:
        source, out, names = options["input"], options["out"], options["compare"]
        if not names:
            self.stop_message = "The lines written so far are complete."
        rows = open_rows(source)
        if out:
            check_output(out, source=source)
        self._context = WorkContext(cache=open_cache(refresh=options["refresh"]))
        config = RunConfig.from_settings()
        decontextualizer = load_decontextualizer(
            config.step_models["decontextualizer"], config.decontextualizer
        )
        self._read = partial(
            read_question,
            file=source.name,
            decontextualizer=for_work(decontextualizer, self._context),
            reads_label=bool(names),
        )
        if not names:
            return self._score(rows, source.name, out, options["model"])
        if options["model"]:
            raise BadConfig("Write --model or --compare, not both.")
        return self._compare(rows, source.name, out, model_names(names))

    def _score(self, rows: Rows, file: str, out: Path | None, model: str) -> int:
        """Write a line per question; return how many failed."""
        if not out:
            raise BadConfig("--out OUT.jsonl is required.")
        name = model or settings.RARR_ENTAILMENT
        entailment = for_work(load_entailment(name), self._context)
        done = 0
        with lines_out(out) as write:
            questions = self._questions(with_progress(rows, desc="scoring", unit="sentence"))
            for question, scores in self._answered(questions, entailment, file):
                done += 1
                score, best = best_entailment(scores)
                score_or_none = None if best is None else score
                write({"id": question.id, "score": score_or_none, "best": best, "scores": scores})
            if not done:
                raise BadConfig(f"{file}: no line of it could be scored; nothing was written.")
        failed = self._lines - done
        self.log(f"Scored: {done:,}. Failed: {failed:,}.")
        self.log(f"By {name}, {scorer(name).description}.")
        if self._context.calls:
            self.log(model_summary(self._context))
        return failed

    def _compare(self, rows: Rows, file: str, out: Path | None, names: Sequence[str]) -> int:
        """Print the table, write the file; return how many failed."""
        models = {name: load_entailment(name) for name in names}
        questions = list(self._questions(with_progress(rows, desc="reading", unit="sentence")))
        labelled = [each for each in questions if each.label is not None]
        if not labelled:
            raise BadConfig(f'{file}: no line has a label; write "label": 1 or "label": 0.')
        works = [self._work(name, model, labelled, file) for name, model in models.items()]
        figures = compare_models(labelled, works)
        if out:
            write_json(
                out,
                {
                    "file": file,
                    "threshold": THRESHOLD,
                    "models": [
                        {**each.to_plain(), "says": scorer(each.work.model).description}
                        for each in figures
                    ],
                    "lines": [line_to_plain(each, works) for each in labelled],
                },
            )
        self.stdout.write(table(figures))
        unscored = sum(any(each.number not in work.scores for work in works) for each in labelled)
        failed = self._lines - len(questions) + unscored
        shared = figures[0].validity
        self.log(
            f"Balanced accuracy: a score of {THRESHOLD} counts as supported. In brackets the 95 % "
            f"intervals, over {shared.clusters:,} groups."
        )
        self.log(
            f"Compared: {shared.n:,}. Without a label: {len(questions) - len(labelled):,}. Without "
            f"evidence: {sum(not each.evidence for each in labelled):,}. Failed: {failed:,}."
        )
        return failed

    def _questions(self, rows: Rows) -> Iterator[EvidenceQuestion]:
        """Yield the questions, and print errors."""
        self._lines = 0
        for item in rows:
            self._lines += 1
            question = self._read(item)
            if isinstance(question, EvidenceQuestion):
                yield question
            else:
                self.log(str(question))

    def _answered(
        self, questions: Iterable[EvidenceQuestion], entailment: Entailment, file: str, by: str = ""
    ) -> Iterator[tuple[EvidenceQuestion, list[float]]]:
        """Yield the questions with scores, and print errors."""
        for batch in batches(questions, BATCH):
            answers = score_questions(batch, entailment, file=file)
            for question, scores in zip(batch, answers, strict=True):
                if isinstance(scores, str):
                    self.log(f"{by}{scores}")
                else:
                    yield question, scores

    def _work(
        self, name: str, entailment: Entailment, questions: Sequence[EvidenceQuestion], file: str
    ) -> Work:
        start = time.perf_counter()
        context = WorkContext(cache=self._context.cache)
        entailment = for_work(entailment, context)
        with timed_loading() as loaded:
            displayed = with_progress(questions, desc=name, unit="sentence")
            scores = {
                question.number: values
                for question, values in self._answered(displayed, entailment, file, f"{name}: ")
            }
        seconds = time.perf_counter() - start - loaded.seconds
        if context.calls:
            self.log(f"{name}: {model_summary(context)}")
        spent = totals(context.calls)
        pairs = {(e, q.sentence) for q in questions if q.number in scores for e in q.evidence}
        return Work(
            model=name,
            scores=scores,
            pairs=len(pairs),
            seconds=seconds,
            calls=spent.model_calls,
            cost=spent.cost,
        )


def model_names(text: str) -> list[str]:
    """Split the models of --compare; labels may have commas.

    Raises `BadConfig` for a model twice, or none.

    >>> model_names("compact, hf:lab/nli#neutral,entailment,contradiction,openai:m")
    ['compact', 'hf:lab/nli#neutral,entailment,contradiction', 'openai:m']
    """
    names: list[str] = []
    for part in map(str.strip, text.split(",")):
        if names and "#" in names[-1] and part.partition(":")[0] not in choices("entailment"):
            names[-1] += f",{part}"
        else:
            names.append(part)
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise BadConfig(f"--compare names {twice} twice: write each model once.")
    if not all(names):
        raise BadConfig("--compare: write models with a comma between, as in compact,hf:NAME.")
    return names
