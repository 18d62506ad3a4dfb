"""`attribution`: how far evidence supports sentences (auto-AIS), without a database."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from pipeline.data.staging import batches
from pipeline.engine.engine import load_decontextualizer, load_entailment
from pipeline.engine.scorer_info import scorer
from pipeline.importing.lines import kind_of
from pipeline.importing.rows import (
    MAX_DOCUMENT_CHARACTERS,
    MAX_PASSAGE_CHARACTERS,
    RowError,
    shortened,
)
from pipeline.management.base import FileCommand, watched
from pipeline.metrics.attribution import best_entailment
from pipeline.rarr.errors import BadConfig, RarrError, RefusedPrompt
from pipeline.rarr.ports import Decontextualizer, Entailment
from pipeline.rarr.types import Passage
from pipeline.standalone.jsonl_files import Rows, check_output, lines_out, open_rows

HELP = """\
Score how far each piece of evidence supports a sentence, from 0 to 1.

The input has one JSON object per line:
  {"id": "7", "evidence": ["A snippet.", "Another."], "sentence": "It opened in 1904.",
   "context": "What the sentence answers or follows (may be missing)."}
The output has one line per input line, in the same order:
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


class Command(FileCommand):
    help = HELP
    epilog = EPILOG

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
        name = options["model"] or settings.RARR_ENTAILMENT
        try:
            rows = open_rows(options["input"])
            check_output(options["out"], source=options["input"])
            failed = self._score(
                rows,
                options["out"],
                file=options["input"].name,
                entailment=load_entailment(name),
                decontextualizer=load_decontextualizer(
                    settings.RARR_LLM, settings.RARR_DECONTEXTUALIZER
                ),
            )
        except (RarrError, OSError) as error:
            self.stop(error)
        except KeyboardInterrupt:
            self.say("Stopped. The lines written so far are complete.")
            sys.exit(2)
        self.say(f"By {name}, {scorer(name).says}.")
        if failed:
            sys.exit(1)

    def _score(
        self,
        rows: Rows,
        target: Path,
        *,
        file: str,
        entailment: Entailment,
        decontextualizer: Decontextualizer,
    ) -> int:
        """Write a line for each question; how many lines failed."""
        failed = done = 0
        with lines_out(target) as write:
            for batch in batches(watched(rows, desc="scoring", unit="sentence"), BATCH):
                questions: list[_Question] = []
                for item in batch:
                    question = _question(item, file=file, decontextualizer=decontextualizer)
                    if isinstance(question, _Question):
                        questions.append(question)
                    else:
                        failed += 1
                        self.say(str(question))
                for answer in _answers(questions, entailment, file=file):
                    if isinstance(answer, str):
                        failed += 1
                        self.say(answer)
                    else:
                        done += 1
                        write(answer)
        self.say(f"Scored: {done:,}. Failed: {failed:,}.")
        return failed


def _question(
    item: tuple[int, Mapping[str, Any]] | RowError, *, file: str, decontextualizer: Decontextualizer
) -> _Question | RowError | str:
    """What a line asks; or what is wrong with it, a sentence when written as a text."""
    if isinstance(item, RowError):
        return item
    number, row = item

    def error(field: str, problem: str, fix: str, value: object = "") -> RowError:
        return RowError(
            file=file, line=number, field=field, value=shortened(value), problem=problem, fix=fix
        )

    evidence, sentence = row.get("evidence"), row.get("sentence")
    context = "" if row.get("context") is None else row["context"]
    if not isinstance(sentence, str) or not sentence.strip():
        is_there = sentence is not None and not isinstance(sentence, str)
        problem = f"sentence is {kind_of(sentence)}" if is_there else "there is no sentence"
        return error("sentence", problem, 'write "sentence": "…"')
    if not isinstance(evidence, list) or not all(isinstance(each, str) for each in evidence):
        problem = (
            "there is no evidence" if "evidence" not in row else "evidence is no list of texts"
        )
        return error("evidence", problem, 'write "evidence": ["…", "…"]', evidence or "")
    if not isinstance(context, str):
        return error("context", f"context is {kind_of(context)}", "write one text", context)
    for field, text, limit in (
        ("sentence", sentence, MAX_PASSAGE_CHARACTERS),
        ("context", context, MAX_PASSAGE_CHARACTERS),
        *(("evidence", each, MAX_DOCUMENT_CHARACTERS) for each in evidence),
    ):
        if len(text) > limit:
            problem = f"{field} has {len(text):,} characters, the limit is {limit:,}"
            return error(field, problem, "shorten it", text)
    try:
        [alone] = decontextualizer.decontextualize(
            passage=Passage(id=str(number), text=sentence, context=context), sentences=[sentence]
        )
    except Exception as wrong:
        if isinstance(wrong, BadConfig) and not isinstance(wrong, RefusedPrompt):
            raise
        return f"{file}, line {number}: {_unexpected(wrong)}"
    return _Question(number=number, id=row.get("id"), evidence=evidence, sentence=alone)


def _answers(
    questions: Sequence[_Question], entailment: Entailment, *, file: str
) -> Iterator[dict[str, Any] | str]:
    """A line for each question, or a sentence about why there is none."""
    asked = ((each, question.sentence) for question in questions for each in question.evidence)
    pairs = list(dict.fromkeys(asked))
    try:
        answers = entailment.score(pairs) if pairs else []
        known = dict(zip(pairs, answers, strict=True))
    except BadConfig:
        raise
    except Exception as error:  # noqa: BLE001 - one bad line must not cost the others
        if len(questions) == 1:
            yield f"{file}, line {questions[0].number}: {_unexpected(error)}"
            return
        # One pair that the model cannot answer must not cost the others theirs.
        for question in questions:
            yield from _answers([question], entailment, file=file)
        return
    for question in questions:
        scores = [known[each, question.sentence].entailed for each in question.evidence]
        score, best = best_entailment(scores)
        yield {
            "id": question.id,
            "score": None if best is None else score,
            "best": best,
            "scores": scores,
        }


def _unexpected(error: Exception) -> str:
    """An error of a model: its own sentence, where it has one."""
    if isinstance(error, RarrError):
        return str(error)
    return f"the sentence could not be scored ({type(error).__name__}: {error})."
