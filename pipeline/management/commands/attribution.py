"""`attribution`: how far evidence supports sentences (auto-AIS), without a database."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from pipeline.engine import load_decontextualizer, load_entailment
from pipeline.importing.lines import check_readable, kind_of, read_objects
from pipeline.importing.rows import RowError, shortened
from pipeline.metrics.attribution import best_entailment
from pipeline.rarr.ports import Decontextualizer, Entailment
from pipeline.rarr.types import BadConfig, Passage, RarrError

HELP = """\
Score how far each piece of evidence supports a sentence, from 0 to 1.

The input has one JSON object a line:
  {"id": "7", "evidence": ["A snippet.", "Another."], "sentence": "It opened in 1904.",
   "context": "What the sentence answers or follows (may be missing)."}
The output has a line for each, in the same order:
  {"id": "7", "score": 0.93, "best": 0, "scores": [0.93, 0.02]}
"score" is the greatest of "scores" and "best" says whose it is (the first of equals); without
evidence both are null. A pronoun is replaced by what the context names before the sentence is
scored, where that is clear. No database is needed.
"""

EPILOG = """\
Exit status: 0 all lines scored, 1 some lines failed (each is named on standard error),
2 nothing could be done.
"""

BATCH = 64
"""Lines whose pairs go to the model together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    number: int
    id: Any
    evidence: Sequence[str]
    sentence: str
    """Decontextualised."""


class Command(BaseCommand):
    help = HELP
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name,
            subcommand,
            epilog=EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **kwargs,
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("input", metavar="IN.jsonl", type=Path, help="sentences with evidence")
        parser.add_argument("--out", required=True, metavar="OUT.jsonl", type=Path)
        parser.add_argument(
            "--model",
            default="",
            metavar="NAME",
            help="compact, or hf:NAME_OR_PATH of an NLI model (default: RARR_ENTAILMENT)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            check_readable(options["input"])
            if options["out"].exists() and options["out"].samefile(options["input"]):
                raise BadConfig(f"{options['out']} is the input too: name another file with --out.")
            failed = self._score(
                options["input"],
                options["out"],
                entailment=load_entailment(options["model"] or settings.RARR_ENTAILMENT),
                decontextualizer=load_decontextualizer(settings.RARR_LLM),
            )
        except (RarrError, OSError) as error:
            self._say(
                f"{error.filename or 'A file'}: {(error.strerror or str(error)).lower()}."
                if isinstance(error, OSError)
                else str(error)
            )
            sys.exit(2)
        if failed:
            sys.exit(1)

    def _score(
        self,
        source: Path,
        target: Path,
        *,
        entailment: Entailment,
        decontextualizer: Decontextualizer,
    ) -> int:
        """Write a line for each question; how many lines failed."""
        failed = done = 0
        rows = tqdm(
            read_objects(source),
            desc="scoring",
            unit="sentence",
            disable=not sys.stderr.isatty(),
            file=sys.stderr,
        )
        with target.open("w", encoding="utf-8") as out:
            for batch in _batches(rows):
                questions: list[_Question] = []
                for item in batch:
                    question = _question(item, file=source.name, decontextualizer=decontextualizer)
                    if isinstance(question, RowError):
                        failed += 1
                        self._say(str(question))
                    else:
                        questions.append(question)
                for answer in _answers(questions, entailment, file=source.name):
                    if isinstance(answer, str):
                        failed += 1
                        self._say(answer)
                    else:
                        done += 1
                        out.write(json.dumps(answer, ensure_ascii=False) + "\n")
                out.flush()
        self._say(f"Scored: {done:,}. Failed: {failed:,}.")
        return failed

    def _say(self, sentence: str) -> None:
        tqdm.write(sentence, file=sys.stderr)


def _batches(rows: Iterable[Any]) -> Iterator[list[Any]]:
    rows = iter(rows)
    while batch := list(islice(rows, BATCH)):
        yield batch


def _question(
    item: tuple[int, Mapping[str, Any]] | RowError, *, file: str, decontextualizer: Decontextualizer
) -> _Question | RowError:
    if isinstance(item, RowError):
        return item
    number, row = item

    def error(field: str, problem: str, fix: str, value: object = "") -> RowError:
        return RowError(
            file=file, line=number, field=field, value=shortened(value), problem=problem, fix=fix
        )

    evidence, sentence = row.get("evidence"), row.get("sentence")
    context = row.get("context") or ""
    if not isinstance(sentence, str) or not sentence.strip():
        problem = f"sentence is {kind_of(sentence)}" if sentence else "there is no sentence"
        return error("sentence", problem, 'write "sentence": "…"')
    if not isinstance(evidence, list) or not all(isinstance(each, str) for each in evidence):
        problem = (
            "there is no evidence" if "evidence" not in row else "evidence is no list of texts"
        )
        return error("evidence", problem, 'write "evidence": ["…", "…"]', evidence or "")
    if not isinstance(context, str):
        return error("context", f"context is {kind_of(context)}", "write a text", context)
    [alone] = decontextualizer.decontextualize(
        passage=Passage(id=str(number), text=sentence, context=context), sentences=[sentence]
    )
    return _Question(number=number, id=row.get("id"), evidence=evidence, sentence=alone)


def _answers(
    questions: Sequence[_Question], entailment: Entailment, *, file: str
) -> Iterator[dict[str, Any] | str]:
    """A line for each question, or a sentence about why there is none."""
    asked = ((each, question.sentence) for question in questions for each in question.evidence)
    pairs = list(dict.fromkeys(asked))
    try:
        answers = entailment.score(pairs) if pairs else []
    except BadConfig:
        raise
    except RarrError as error:
        if len(questions) == 1:
            yield f"{file}, line {questions[0].number}: {error}"
            return
        # One pair that the model cannot answer must not cost the others theirs.
        for question in questions:
            yield from _answers([question], entailment, file=file)
        return
    known = dict(zip(pairs, answers, strict=True))
    for question in questions:
        scores = [known[each, question.sentence].entailed for each in question.evidence]
        score, best = best_entailment(scores)
        yield {
            "id": question.id,
            "score": None if best is None else score,
            "best": best,
            "scores": scores,
        }
