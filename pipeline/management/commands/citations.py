"""`citations`: ALCE's figures of a run's output, without a database."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from pipeline.backends.sentences import SpacySplitter, punkt
from pipeline.backends.transformers_reader import TransformersReader
from pipeline.engine.engine import load_entailment
from pipeline.engine.scorer_info import scorer
from pipeline.importing.alce_answers import DATASETS, AlceAnswer, guess_dataset, read_answers
from pipeline.importing.lines import check_readable
from pipeline.importing.rows import RowError
from pipeline.management.base import FileCommand, watched
from pipeline.metrics.alce_reference import AT_MOST
from pipeline.metrics.citation_support import Entails
from pipeline.metrics.inference import Estimate
from pipeline.rarr.errors import BadConfig, RarrError
from pipeline.rarr.ports import Entailment
from pipeline.standalone.citation_scores import (
    NAMES,
    CitationScores,
    Read,
    in_percent,
    score_citations,
)
from pipeline.standalone.jsonl_files import check_output
from rarrweb.private_files import give_usual_mode

HELP = """\
Score the answers of an ALCE run: citation recall and precision, and what they say.

The input is what ALCE's run.py writes: {"args": {…}, "data": [{"question": "…", "output": "It is
so [1].", "docs": [{"title": "…", "text": "…"}], …}]}, with the dataset's own fields (qa_pairs and
annotations, answers, or claims). The output is one JSON object:
  {"n": 948, "model": "compact", "dataset": "asqa", …,
   "strict": {"citation_rec": 61.2, …}, "strict_intervals": {"citation_rec": {"n": …, "low": …,
   "high": …}, …}, "corrected": {…}, "corrected_intervals": {…}}
"strict" is the reference's evaluation with all its quirks, for comparison with published figures;
"corrected" reads citations as they are meant. Figures are in percent, lengths in words; null where
there is nothing to score. docs/citations.md defines each. No database is needed.
"""

EPILOG = """\
Exit status: 0 all items scored, 1 some items were left out (each is named on standard error),
2 nothing could be done.
"""

BATCH = 256
"""Pairs that go to the model together; the progress bar moves by so many."""


class Command(FileCommand):
    help = HELP
    epilog = EPILOG

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "input", metavar="ALCE_OUTPUT.json", type=Path, help="what an ALCE run wrote"
        )
        parser.add_argument("--out", required=True, metavar="METRICS.json", type=Path)
        parser.add_argument(
            "--dataset", choices=DATASETS, help="default: by the fields that the items have"
        )
        parser.add_argument(
            "--model",
            default="",
            metavar="NAME",
            help="compact, or hf:NAME_OR_PATH of an NLI model (default: RARR_ENTAILMENT)",
        )
        parser.add_argument(
            "--qa-model",
            default="",
            metavar="NAME",
            help="hf:NAME_OR_PATH of an extractive question-answering model, for ASQA's QA figures",
        )
        parser.add_argument(
            "--at-most-citations",
            type=int,
            default=AT_MOST,
            metavar="N",
            help="only the first N citations of a statement are looked at (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["model"] or settings.RARR_ENTAILMENT
        try:
            if options["at_most_citations"] < 1:
                raise BadConfig("--at-most-citations: write a number from 1.")
            check_readable(options["input"])
            check_output(options["out"], source=options["input"])
            answers, failed = self._read(options["input"])
            dataset = options["dataset"] or guess_dataset(answers)
            own = punkt()
            scores = score_citations(
                answers,
                dataset=dataset,
                entails=_entails(load_entailment(name)),
                split=SpacySplitter().split,
                punkt=own,
                read=_reader(options["qa_model"]),
                at_most=options["at_most_citations"],
            )
            report = {
                **scores.to_plain(),
                "model": name,
                "qa_model": options["qa_model"] or None,
                "dataset": dataset,
                "at_most_citations": options["at_most_citations"],
                "strict_sentences": "punkt" if own else "rarrweb",
            }
            _write(options["out"], report)
        except (RarrError, OSError) as error:
            self.stop(error)
        except KeyboardInterrupt:
            self.say("Stopped. Nothing was written.")
            sys.exit(2)
        self.stdout.write(table(scores))
        self.say(f"Scored: {len(answers):,}. Failed: {failed:,}.")
        self.say(f"By {name}, {scorer(name).says}.")
        if failed:
            sys.exit(1)

    def _read(self, path: Path) -> tuple[list[AlceAnswer], int]:
        """The items to score, and how many cannot be; raises `BadConfig` where none can."""
        answers: list[AlceAnswer] = []
        failed = 0
        for each in watched(read_answers(path), desc="reading", unit="item"):
            if isinstance(each, RowError):
                failed += 1
                self.say(str(each))
            else:
                answers.append(each)
        if not answers:
            raise BadConfig(f"{path.name}: no item of it can be scored; nothing was written.")
        return answers, failed


def table(scores: CitationScores) -> str:
    """The figures that there are, a line each: value, 95 % interval and n, in both ways."""
    lines = [f"{'':<20}{'strict':<28}corrected"]
    for name in NAMES:
        both = [in_percent(name, each[name]) for each in (scores.strict, scores.corrected)]
        if any(both):
            lines.append(f"{name:<20}{_shown(both[0]):<28}{_shown(both[1])}".rstrip())
    return "\n".join(lines)


def _shown(found: Estimate | None) -> str:
    if found is None:
        return "–"
    between = (
        "" if found.low is None or found.high is None else f" [{found.low:.1f}, {found.high:.1f}]"
    )
    return f"{found.value:.1f}{between} n={found.n:,}"


def _entails(model: Entailment) -> Entails:
    def entails(pairs: Sequence[tuple[str, str]]) -> list[float]:
        parts = [pairs[at : at + BATCH] for at in range(0, len(pairs), BATCH)]
        shown = watched(parts, desc="scoring", unit=f"×{BATCH} pairs")
        return [each.entailed for part in shown for each in model.score(part)]

    return entails


def _reader(name: str) -> Read | None:
    kind, _, model = name.partition(":")
    if name and (kind != "hf" or not model):
        raise BadConfig(f"--qa-model {name}: write hf:NAME_OR_PATH.")
    return TransformersReader(model).answer if name else None


def _write(path: Path, report: Mapping[str, Any]) -> None:
    """In one go: an older file stays until there is all to write."""
    is_new = not path.exists()
    text = json.dumps(report, ensure_ascii=False, indent=1) + "\n"
    path.write_text(text, encoding="utf-8")
    if is_new:
        give_usual_mode(path)
