"""`bertscore`: compare answers with the quotes that they cite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import CommandParser

from pipeline.charts.rendering import render
from pipeline.data.labelled_answers import labelled_answer
from pipeline.data.staging import batches
from pipeline.engine.loading import load_model, load_splitter
from pipeline.files.jsonl_files import check_output
from pipeline.importing.passages import read_passages
from pipeline.importing.rows import UnreadableFile
from pipeline.management.base import FileCommand, with_progress
from pipeline.metrics.answer_statistics import LabelledAnswer
from pipeline.metrics.citation_marks import without_citations
from pipeline.pages.answer_charts import similarity_chart
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import SentenceSplitter
from rarrweb.web.csv import table_text

if TYPE_CHECKING:
    from pipeline.metrics.bertscore import Vectors

AT_ONCE = 32
"""Answers whose texts are encoded together."""
CHARACTERS = 200_000
"""Limit of a batch; their vectors take some 200 MB."""


class Command(FileCommand):
    help = """\
Draw HAGRID's Figure 3b: BERTScore of sentences with the quotes that they cite, by the labels of
their answers.

The input has HAGRID's lines: a published file, or what `export --format hagrid` wrote of a
dataset or of a campaign. Each sentence that cites is compared with each sentence of the quotes
that it cites, and the F1 with the most similar one counts. Quartiles, medians and means are
written beside the figure as a table (FIGURE.csv).
"""
    epilog = """\
Examples:
  manage.py bertscore dev.jsonl --out figure-3b.svg
  manage.py bertscore dev.jsonl --out figure-3b.svg --encoder hf:roberta-large#17

Exit status: 0 done, 1 some lines could not be read (each is named on standard error),
2 nothing could be done.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("input", metavar="ANSWERS.jsonl", type=Path)
        parser.add_argument("--out", metavar="FIGURE.svg", type=Path, required=True)
        parser.add_argument(
            "--encoder",
            default="compact",
            metavar="NAME",
            help="compact (the shipped reader), or hf:NAME_OR_PATH#LAYER for a layer of any "
            "encoder, the last one without #LAYER (default: compact)",
        )

    def work(self, options: dict[str, Any]) -> int:
        source, out = options["input"], options["out"]
        if out.suffix != ".svg":
            raise BadConfig(f"--out {out.name}: let the name of the figure end with .svg.")
        table = out.with_suffix(".csv")
        for path in (out, table):
            check_output(path, source=source)
        encode = load_model("token_vectors", options["encoder"]).vectors
        splitter = load_splitter(settings.RARR_SPACY_MODEL)
        answers = [
            labelled_answer(row).lean
            for row in self.good(read_passages(source, format="hagrid"))
            if row.source.sources
        ]
        scored: list[tuple[LabelledAnswer, list[float]]] = []
        displayed = with_progress(answers, desc="answers")
        for some in batches(displayed, AT_ONCE, length=_length, characters=CHARACTERS):
            scored += zip(some, similarities(some, encode=encode, splitter=splitter), strict=True)
        chart = similarity_chart(scored)
        if chart is None:
            raise UnreadableFile(f"{source.name} has no labelled answer that cites a quote.")
        out.write_bytes(render(chart, "svg"))
        table.write_text(table_text(chart.head, chart.cells), encoding="utf-8")
        self.log(f"{chart.finding} Encoder: {options['encoder']}.")
        return self.wrong


def similarities(
    answers: Sequence[LabelledAnswer],
    *,
    encode: Callable[[Sequence[str]], list[Vectors]],
    splitter: SentenceSplitter,
) -> list[list[float]]:
    """Return, per answer, F1 of each citing sentence with its most similar cited one."""
    from pipeline.metrics.bertscore import bertscore

    pairs = [
        [
            (
                without_citations(sentence.text),
                [
                    span.of(answer.quotes[position])
                    for position in sentence.cited
                    for span in splitter(answer.quotes[position])
                ],
            )
            for sentence in answer.sentences or [answer]
            if sentence.cited
        ]
        for answer in answers
    ]
    texts = list(dict.fromkeys(text for of in pairs for one, many in of for text in (one, *many)))
    vectors = dict(zip(texts, encode(texts), strict=True)) if texts else {}
    return [
        [
            max(values)
            for one, many in of
            if (values := [s.f1 for m in many if (s := bertscore(vectors[one], vectors[m]))])
        ]
        for of in pairs
    ]


def _length(answer: LabelledAnswer) -> int:
    return len(answer.text) + sum(map(len, answer.quotes))
