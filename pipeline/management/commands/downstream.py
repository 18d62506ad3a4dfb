"""`downstream`: compare answers before and after revision with gold answers."""

from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from pipeline.backends.prompted.answers import PromptedAnswerExtractor
from pipeline.backends.work import WorkContext
from pipeline.data.staging import batches
from pipeline.engine.language_models import current_prompts, load_language_model
from pipeline.files.downstream import (
    CHART_SUFFIXES,
    Answered,
    DownstreamExample,
    Figure,
    chart_file,
    figures,
    read_case,
)
from pipeline.files.jsonl_files import check_output, lines_out, open_rows
from pipeline.importing.rows import RowError
from pipeline.management.base import (
    FileCommand,
    add_options,
    model_summary,
    open_cache,
    with_progress,
)
from pipeline.rarr.errors import BadConfig, RarrError

AT_ONCE = 32


class Command(FileCommand):
    help = """\
Compare the short answers that passages give before and after their revision with gold answers
(RARR's Figure 9).

The input is what `revise` wrote, one JSON object per line, with the gold answers added:
  {"id": "7", "text": "…", "context": "who built it", "answers": ["Ada Thorne"], "result": {…}}
The question is the context, or `question`. The language model reads the answer out of each
passage. Where the gold answer is yes or no, the accuracy is printed, else exact match (after
case, punctuation and articles are dropped) and the F1 of words; each with its n and its 95 %
interval (Student's t, near 0 and 1 Wilson's). Answers are cached in a
file under RARR_VAR, so a second run asks nothing.
"""
    epilog = """\
Examples:
  manage.py downstream revised.jsonl
  manage.py downstream revised.jsonl --chart figure-9.pdf
  manage.py downstream revised.jsonl --gold short_answers --out answers.jsonl --llm openai:MODEL

Exit status: 0 all lines compared, 1 some could not be (each is named on standard error),
2 nothing could be done.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("input", metavar="REVISED.jsonl", type=Path)
        parser.add_argument(
            "--gold",
            default="",
            metavar="NAME",
            help="the key that holds the gold answers (default: answers, answer or gold_answers)",
        )
        add_options(parser, "--llm")
        parser.add_argument(
            "--out", metavar="OUT.jsonl", type=Path, help="write the answers, line by line"
        )
        parser.add_argument(
            "--chart",
            metavar="OUT.svg",
            type=Path,
            help="draw the figures, as .svg, .pdf or .png; .csv writes their numbers",
        )
        add_options(parser, "--refresh")

    def work(self, options: dict[str, Any]) -> int:
        source: Path = options["input"]
        out, chart = options["out"], options["chart"]
        work = WorkContext(cache=open_cache(refresh=options["refresh"]))
        model = load_language_model(options["llm"] or settings.RARR_LLM).for_work(work)
        extractor = PromptedAnswerExtractor(
            model=model.for_step("answers"), prompts=current_prompts()
        )
        for path in filter(None, (out, chart)):
            check_output(path, source=source)
        if chart and chart.suffix not in CHART_SUFFIXES:
            raise BadConfig(f"--chart {chart.name}: let it end with {', '.join(CHART_SUFFIXES)}.")
        read = partial(read_case, file=source.name, gold_field=options["gold"])
        rows = open_rows(source)
        cases = list(self.good(r if isinstance(r, RowError) else read(*r) for r in rows))
        answered = self._answered(extractor, cases, source.name)
        if out:
            with lines_out(out) as write:
                for each in answered:
                    write(
                        {
                            "id": each.case.id,
                            "question": each.case.question,
                            "gold": list(each.case.gold),
                            "answer_before": each.before,
                            "answer_after": each.after,
                        }
                    )
        measured = list(figures(answered))
        for line in table(measured):
            self.stdout.write(line)
        if chart and measured:
            chart.write_bytes(chart_file(measured, chart.suffix))
        self.log(model_summary(work))
        return self.wrong + len(cases) - len(answered)

    def _answered(
        self, extractor: PromptedAnswerExtractor, cases: list[DownstreamExample], file: str
    ) -> list[Answered]:
        """Return cases with both answers, and print errors."""
        answered = []
        for some in batches(with_progress(cases, desc="passages"), AT_ONCE):
            pairs = list(dict.fromkeys((e.question, t) for e in some for t in (e.before, e.after)))
            known = dict(zip(pairs, extractor.extract(pairs), strict=True))
            for case in some:
                before = known[case.question, case.before]
                after = known[case.question, case.after]
                bad = next((e for e in (before, after) if isinstance(e, RarrError)), None)
                if bad is not None:
                    self.log(f"{file}, line {case.line}: {bad}")
                elif isinstance(before, str) and isinstance(after, str):
                    answered.append(Answered(case=case, before=before, after=after))
        return answered


def table(rows: list[Figure]) -> list[str]:
    if not rows:
        return ["No passage could be compared."]
    head = f"{'measure':<18}{'n':>7}  {'before [95 %]':<22}{'after [95 %]':<22}gain [95 %]"
    lines = (
        f"{row.name:<18}{row.before.n:>7,}  {f'{row.before:.3f}':<22}{f'{row.after:.3f}':<22}"
        f"{row.gain:+.3f}"
        for row in rows
    )
    return [head, *lines]
