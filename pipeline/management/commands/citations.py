"""`citations`: score answers with citations as ALCE."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.management.base import CommandParser

from pipeline.backends.sentences import nltk
from pipeline.backends.transformers_reader import TransformersReader
from pipeline.backends.work import WorkContext, for_work
from pipeline.data.staging import batches
from pipeline.engine.answer_readings import FIGURES
from pipeline.engine.answer_scores import ReadAnswers
from pipeline.engine.loading import load_entailment, load_model
from pipeline.engine.scorer_info import INSTALL_NLTK, scorer, strict_name
from pipeline.files.citation_scores import (
    FORMATS,
    CitationScores,
    EntailsOrWhyNot,
    Likeness,
    entailed_or_why_not,
    in_percent,
    read_cited,
    score_citations,
)
from pipeline.files.jsonl_files import check_output
from pipeline.importing.alce import DATASETS, guess_dataset
from pipeline.importing.lines import check_readable
from pipeline.management.base import (
    FileCommand,
    add_options,
    model_summary,
    open_cache,
    with_progress,
    write_json,
)
from pipeline.metrics.alce_reference import MAX_SOURCES
from pipeline.metrics.bertscore import Vectors
from pipeline.metrics.inference import FEWEST_CLUSTERS
from pipeline.metrics.mauve import Features, mauve
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import Entailment
from pipeline.text.sentences import split_sentences

BATCH = 256
"""Pairs in a batch of the model, and a step of the progress bar."""
MAUVE_MODEL = "hf:gpt2-large"
"""The reference's."""
TEXTS = 64
"""Texts in a batch of features."""


class Command(FileCommand):
    help = """\
Score answers with citations as ALCE does: citation recall and precision, and correctness.

The input is either
  what ALCE's run.py writes: {"args": {…}, "data": [{"question": "…", "output": "It is so [1].",
   "docs": [{"title": "…", "text": "…"}], …}]}, with the dataset's own fields (qa_pairs and
   annotations, answers, or claims), or
  lines of {"question": "…", "contexts": ["…"], "answer": "It is so [1]."}.
The output is one JSON object:
  {"n": 948, "model": "compact", "dataset": "asqa", …,
   "strict": {"citation_rec": 61.2, …}, "strict_intervals": {"citation_rec": {"n": …, "low": …,
   "high": …}, …}, "corrected": {…}, "corrected_intervals": {…}}
"strict" is the reference's evaluation with all its quirks, for comparison with published figures;
"corrected" is the same without its errors in reading citations. Figures are in percent, lengths in
words; null if there is nothing to score. docs/metrics.md defines each. No database is needed.
"""
    epilog = """\
Exit status: 0 all items scored, 1 some items were skipped (each is named on standard error),
2 nothing could be done.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("input", metavar="ANSWERS", type=Path, help="answers with sources")
        parser.add_argument("--out", required=True, metavar="METRICS.json", type=Path)
        parser.add_argument(
            "--dataset", choices=DATASETS, help="default: by the fields that the items have"
        )
        parser.add_argument(
            "--format",
            default="auto",
            choices=["auto", *FORMATS],
            help="ALCE's output, or lines of question, contexts and answer (docs/formats.md); auto "
            "detects it",
        )
        add_options(parser, "--model", "--refresh")
        parser.add_argument(
            "--qa-model",
            default="",
            metavar="NAME",
            help="hf:NAME_OR_PATH of an extractive question-answering model, for ASQA's QA figures",
        )
        parser.add_argument(
            "--mauve",
            nargs="?",
            const=MAUVE_MODEL,
            default="",
            metavar="MODEL",
            help="also MAUVE, by the features of hf:NAME_OR_PATH (without a name: "
            f"{MAUVE_MODEL}, as ALCE; a download of 3 GB). It is unstable: a sanity check, no more",
        )
        parser.add_argument(
            "--at-most-citations",
            type=int,
            default=MAX_SOURCES,
            metavar="N",
            help="only the first N citations of a statement count (default: %(default)s)",
        )
        parser.add_argument(
            "--cot",
            action="store_true",
            help="QAMPARI: an answer's list is what follows its first colon, after its reasoning",
        )

    def work(self, options: dict[str, Any]) -> int:
        name = options["model"] or settings.RARR_ENTAILMENT
        if options["at_most_citations"] < 1:
            raise BadConfig("--at-most-citations: write a number from 1.")
        check_readable(options["input"])
        check_output(options["out"], source=options["input"])
        read = read_cited(options["input"], format=options["format"])
        positions = dict(self.good(with_progress(read, desc="reading", unit="item")))
        if not positions:
            raise BadConfig(
                f"{options['input'].name}: no item of it can be scored; nothing was written."
            )
        answers = list(positions.values())
        dataset = options["dataset"] or guess_dataset(answers)
        installed = nltk()
        work = WorkContext(cache=open_cache(refresh=options["refresh"]))
        scores = score_citations(
            answers,
            dataset=dataset,
            entails=_entails(for_work(load_entailment(name), work)),
            split=split_sentences,
            nltk=installed,
            read=_reader(options["qa_model"]),
            likeness=_likeness(options["mauve"]),
            at_most=options["at_most_citations"],
            cot=options["cot"],
        )
        for position, reason in scores.unscored.items():
            self.log(f"{options['input'].name}, {list(positions)[position]}: {reason}")
        failed = self.wrong + len(scores.unscored)
        if not scores.n:
            raise BadConfig("No item could be scored; nothing was written.")
        report = {
            **scores.to_plain(),
            "model": name,
            "qa_model": options["qa_model"] or None,
            "mauve_model": options["mauve"] or None,
            "dataset": dataset,
            "at_most_citations": options["at_most_citations"],
            "cot": options["cot"],
            "strict_sentences": "punkt" if installed else "rarrweb",
        }
        write_json(options["out"], report)
        self.stdout.write(table(scores, strict=strict_name(has_nltk=bool(installed))))
        self.log(f"Scored: {scores.n:,}. Failed: {failed:,}.")
        self.log(f"By {name}, {scorer(name).description}.")
        if not installed:
            self.log(INSTALL_NLTK)
        if scores.mauve_note:
            self.log(scores.mauve_note)
        if work.calls:
            self.log(model_summary(work))
        return failed


def table(scores: CitationScores, *, strict: str) -> str:
    """Format figures strict and corrected, one per line."""
    lines = [f"{'':<20}{strict:<28}corrected"]
    for name in FIGURES:
        both = [in_percent(name, each[name]) for each in (scores.strict, scores.corrected)]
        if any(both):
            left, right = (f"{each:.1f} n={each.n:,}" if each else "–" for each in both)
            lines.append(f"{name:<20}{left:<28}{right}")
    if scores.n < FEWEST_CLUSTERS:
        lines.append(f"No intervals: fewer than {FEWEST_CLUSTERS} answers.")
    return "\n".join(lines)


def _entails(model: Entailment) -> EntailsOrWhyNot:
    def entails(pairs: Sequence[tuple[str, str]]) -> list[float | str]:
        displayed = with_progress(
            list(batches(pairs, BATCH)), desc="scoring", unit=f"×{BATCH} pairs"
        )
        return [each for part in displayed for each in entailed_or_why_not(model, part)]

    return entails


def _likeness(name: str) -> Likeness | None:
    """Load MAUVE by the last layer at a text's last token."""
    if not name:
        return None
    _check_hf("--mauve", name)
    encoder = load_model("token_vectors", name)
    known: dict[str, Vectors] = {}

    def features(texts: Sequence[str]) -> Features:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        for part in with_progress(list(batches(new, TEXTS)), desc="MAUVE", unit=f"×{TEXTS} texts"):
            # Only the last of a text's many vectors is used.
            last = [vectors[-1] for vectors in encoder.vectors(part)]
            known.update(zip(part, last, strict=True))
        return np.array([known[text] for text in texts], dtype=np.float64)

    def likeness(people: Sequence[str], written: Sequence[str]) -> list[float]:
        return mauve(features(people), features(written)) if people else []

    return likeness


def _reader(name: str) -> ReadAnswers | None:
    if not name:
        return None
    _check_hf("--qa-model", name)
    return TransformersReader(name.removeprefix("hf:"), device=settings.RARR_DEVICE).answer


def _check_hf(option: str, name: str) -> None:
    kind, _, model = name.partition(":")
    if kind != "hf" or not model:
        raise BadConfig(f"{option} {name}: write hf:NAME_OR_PATH.")
