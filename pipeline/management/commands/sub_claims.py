"""`sub_claims`: write three sub-claims of each reference answer."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from pipeline.backends.prompted.sub_claims import PromptedSubClaims
from pipeline.backends.work import WorkContext
from pipeline.data.staging import batches
from pipeline.engine.language_models import current_prompts, load_language_model
from pipeline.files.jsonl_files import check_output, lines_out
from pipeline.importing.lines import check_readable, parse_object
from pipeline.importing.rows import Fault
from pipeline.management.base import (
    FileCommand,
    add_options,
    model_summary,
    open_cache,
    with_progress,
    write_json,
)
from pipeline.rarr.errors import BadConfig

AT_ONCE = 16
"""Answers in a batch."""


class Command(FileCommand):
    help = """\
Let the language model write three sub-claims of each reference answer, as ALCE has them for ELI5.

The input is a file of questions or a run's output: JSON lines, a JSON list, or ALCE's {"args": …,
"data": […]}. An item needs "question" and its reference answer, "answer" or the first "long_answer"
of "annotations". The output is the same file with "claims" in each item; existing claims are not
changed. Load it with load_passages, or score it with citations: claim recall is the share of
the claims that an answer entails (docs/metrics.md). No database is needed.
"""
    epilog = """\
Exit status: 0 all items have claims, 1 some have none (each is named on standard error), 2 nothing
could be done. Answers of the model are cached: run the command again to retry those that failed.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("input", metavar="IN.json", type=Path)
        parser.add_argument("--out", required=True, metavar="OUT.json", type=Path)
        add_options(parser, "--llm", "--refresh")

    def work(self, options: dict[str, Any]) -> int:
        source, out = options["input"], options["out"]
        check_readable(source)
        check_output(out, source=source)
        whole, items = read_file(source)
        work = WorkContext(cache=open_cache(refresh=options["refresh"]))
        model = load_language_model(options["llm"] or settings.RARR_LLM).for_work(work)
        writer = PromptedSubClaims(model=model.for_step("claims"), prompts=current_prompts())
        written, failed = self._write(items, writer, source.name)
        if not written and failed:
            raise BadConfig("No item has claims; nothing was written.")
        if whole is not None:
            write_json(out, whole)
        else:
            with lines_out(out) as write:
                for each in items:
                    write(each)
        self.log(f"Items with claims: {written:,}. Without: {failed:,}. {model_summary(work)}")
        return failed

    def _write(
        self, items: list[dict[str, Any]], writer: PromptedSubClaims, file: str
    ) -> tuple[int, int]:
        """Put claims into the items; return how many have some, and how many none."""
        written, requests = 0, []
        for number, item in enumerate(items, start=1):
            if item.get("claims"):
                written += 1
            elif (pair := question_and_answer(item)) is not None:
                requests.append((number, item, pair))
            else:
                self.log(f"{file}, item {number}: it needs a question and a reference answer.")
        for some in batches(with_progress(requests, desc="answers", unit=""), AT_ONCE):
            written_claims = writer.write([pair for _, _, pair in some])
            for (number, item, _), claims in zip(some, written_claims, strict=True):
                if isinstance(claims, tuple):
                    item["claims"] = list(claims)
                    written += 1
                else:
                    self.log(f"{file}, item {number}: {claims}")
        return written, len(items) - written


def read_file(path: Path) -> tuple[Any, list[dict[str, Any]]]:
    """Return the value (None for JSON lines) and its items; raises `BadConfig`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadConfig(f"{path.name} is not UTF-8 text: save it as UTF-8.") from None
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    items = whole.get("data") if isinstance(whole, dict) else whole
    if items is None:
        whole, items = None, []
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                items += [parse_object(line)] if line.strip() else []
            except Fault as fault:
                raise BadConfig(str(fault.at(path.name, number))) from None
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        raise BadConfig(f"{path.name}: write a list of objects, or one object a line.")
    if not items:
        raise BadConfig(f"{path.name} has no item.")
    return whole, items


def question_and_answer(item: dict[str, Any]) -> tuple[str, str] | None:
    question, answer = item.get("question", item.get("query")), item.get("answer")
    annotations = item.get("annotations")
    if isinstance(annotations, list) and annotations and isinstance(annotations[0], dict):
        answer = annotations[0].get("long_answer", answer)
    if not isinstance(question, str) or not isinstance(answer, str):
        return None
    return (question, answer) if question.strip() and answer.strip() else None
