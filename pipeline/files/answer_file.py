"""ALCE's run output: `{"args", "data": [{"question", "output", "docs"}]}`.

Until it is complete, `OUT.json.part` has args and answers as lines.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.engine.configuration import BUDGETS, RunConfig
from pipeline.engine.loading import versions
from pipeline.files.jsonl_files import cut_half_line
from pipeline.generation.types import Answer, Question
from pipeline.importing.alce import alce_answer
from pipeline.importing.passage import Gold
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.serialization import to_plain
from rarrweb.private_files import apply_umask


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFile:
    path: Path
    args: Mapping[str, Any]

    @property
    def part(self) -> Path:
        """The file until the output is complete."""
        return self.path.with_name(f"{self.path.name}.part")

    def items(self) -> dict[str, str]:
        """Return the existing items by id, as text.

        Raises `BadConfig` if other settings, another version, or another program wrote them.
        """
        try:
            args, items = self._read()
            if args is None:
                return {}
            now, then = _compared(self.args), _compared(args)
            written = {each["sample_id"]: json.dumps(each, ensure_ascii=False) for each in items}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BadConfig(
                f"{self.path} is no output of generate: leave --resume out to write it anew."
            ) from None
        if unknown := sorted(now.keys() ^ then.keys()):
            raise BadConfig(
                f"Another version of rarrweb wrote {self.path}, whose settings differ in "
                f"{', '.join(unknown)}: leave --resume out to begin anew."
            )
        if different := sorted(name for name in now if now[name] != then[name]):
            raise BadConfig(
                f"{self.path} was written with another {different[0]}: give the same settings, or "
                "leave --resume out to begin anew."
            )
        return written

    def finish(self, items: Mapping[str, str], *, order: Iterable[str]) -> None:
        """Write the output in the questions' order, and remove the part."""
        is_new = not self.path.exists()
        whole = self.path.with_name(f"{self.path.name}.whole")
        with whole.open("w", encoding="utf-8") as file:
            file.write(f'{{"args": {json.dumps(self.args, ensure_ascii=False)}, "data": [\n')
            file.write(",\n".join(items[name] for name in order if name in items))
            file.write("\n]}\n")
        if is_new:
            apply_umask(whole)
        whole.replace(self.path)
        self.part.unlink(missing_ok=True)

    def _read(self) -> tuple[Any, list[Any]]:
        """Return args and items of the part, or else of the output; None and [] without either."""
        if self.part.exists():
            cut_half_line(self.part)
            with self.part.open(encoding="utf-8") as file:
                first, *items = [json.loads(line) for line in file] or [{"args": None}]
            return first["args"], items
        if self.path.exists():
            whole = json.loads(self.path.read_text("utf-8"))
            return whole["args"], whole["data"]
        return None, []


def args_of(config: RunConfig, *, corpus: str) -> dict[str, Any]:
    return {
        "model": config.llm,
        "strategy": config.system,
        "ndoc": config.generation.passages,
        "temperature": config.generation.answer_temperature,
        "corpus": corpus,
        "config": config.to_plain(),
        "versions": versions(),
    }


def item_of(question: Question, gold: Gold | None, answer: Answer) -> dict[str, Any]:
    item = alce_answer(
        question=question.text, output=answer.text, sources=answer.sources, gold=gold
    ).model_dump(exclude_none=True)
    for doc, each in zip(item["docs"], answer.sources, strict=True):
        doc |= {"id": each.document_id} | ({"url": each.url} if each.url else {})
    return {"sample_id": question.id, **item, "generation": to_plain(answer.record)}


def _compared(args: Any) -> dict[str, Any]:
    config = args["config"]
    return {
        "corpus": args["corpus"],
        **{
            name: value
            for name, value in config.items()
            if name not in {*BUDGETS, "generation", "rarr"}
        },
        **config["generation"],
        **config["rarr"],
    }
