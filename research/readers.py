"""The reader beside the same weights in an unbatched `transformers` pipeline.

    python -m research.readers [DATA_FOLDER] [--weights PATH] [--pairs 200] [--threads 2]

Scores pairs of about 128 tokens both ways, each way in a process of its own so that its peak of
resident memory is its own, and prints pairs a second, the ratio, and the largest difference of
any of the three probabilities, which must not exceed 0.0001. Twice: each pair with a premise of
its own, and five hypotheses a premise. On a busy machine the pairs a CPU second say more than
those a second. The pairs come from DATA_FOLDER/dev, or from the demo's texts. Loading and
forty pairs to warm up are not timed; no pair is scored twice.

Last, a worker with everything loaded: the default configuration revises the demo's passages in a
fresh process. `--only-worker` does nothing else.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Self

from pipeline.backends.compact.reader import weights

TOKENS = 128
"""Of a pair, with its four marks."""
HYPOTHESES = 5
WARMING = 40
ALLOWED = 0.0001
WAYS = ("ours", "pipeline")
DEV = ("attributionbench_dev", "wice_claim_dev", "wice_claim_fulldoc", "citint", "qags_cnndm")
Pair = tuple[str, str]


def texts_of(folder: Path | None) -> Iterator[Pair]:
    """Premises with a sentence said of each, as long as they come; some come twice."""
    if folder is None:
        from pipeline.demo_data import PASSAGES, demo_documents

        said = [json.loads(line)["text"] for line in PASSAGES.read_text().splitlines()]
        sentences = [part for text in said for part in text.split(". ") if len(part) > 20]
        for turn in range(len(sentences)):
            for number, document in enumerate(demo_documents()):
                # Each turn begins elsewhere in the document, so that premises differ.
                start = (turn * 400) % max(1, len(document.text) - 1200)
                yield document.text[start:], sentences[(number + turn) % len(sentences)]
        return
    for name in DEV:
        with (folder / "dev" / f"{name}.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield row["premise"], row["hypothesis"]


def pairs_of(folder: Path | None, tokenizer: Any, *, each: int) -> Iterator[Pair]:
    """Pairs of about `TOKENS` tokens; `each` hypotheses a premise, every premise once."""
    seen: set[str] = set()
    sentences: list[str] = []
    for premise, sentence in texts_of(folder):
        size = len(tokenizer.encode(sentence, add_special_tokens=False).ids)
        if not 8 <= size <= 48 or sentence in sentences[-HYPOTHESES:]:
            continue
        sentences.append(sentence)
        offsets = tokenizer.encode(premise, add_special_tokens=False).offsets
        wanted = TOKENS - 4 - size
        if len(sentences) < HYPOTHESES or len(offsets) < wanted:
            continue
        cut = premise[: offsets[wanted - 1][1]]
        if cut not in seen:
            seen.add(cut)
            yield from ((cut, other) for other in sentences[: -each - 1 : -1])


class Clock:
    """The seconds that passed and those that this process's threads computed."""

    def __enter__(self) -> Self:
        self.seconds = -time.perf_counter()
        self.computed = -time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter()
        self.computed += time.process_time()


def warming(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs of like lengths that are not asked again: libraries prepare for each new size."""
    return [(f"{premise} -", f"{said} -") for premise, said in pairs[:WARMING]]


def score_ours(pairs: Sequence[Pair], given: argparse.Namespace) -> tuple[list[Any], Clock]:
    from pipeline.backends.compact.reader.model import Reader

    reader = Reader.of_files(given.weights, given.tokenizer, threads=given.threads, device="cpu")
    reader.read(warming(pairs))
    with Clock() as clock:
        found = [read.verdict for read in reader.read(pairs)]
    return [[v.entailment, v.neutral, v.contradiction] for v in found], clock


def score_by_pipeline(pairs: Sequence[Pair], given: argparse.Namespace) -> tuple[list[Any], Clock]:
    import torch

    from pipeline.backends.compact.reader.network import NLI_LABELS
    from research.bert_pipeline import pipeline_of

    if given.threads:
        torch.set_num_threads(given.threads)
    classify = pipeline_of(
        weights.load(given.weights), weights.shape_of(given.weights), given.tokenizer
    )
    asked = [{"text": premise, "text_pair": hypothesis} for premise, hypothesis in pairs]
    options = {"batch_size": 1, "top_k": None, "function_to_apply": "softmax"}
    classify([{"text": a, "text_pair": b} for a, b in warming(pairs)], **options)
    with Clock() as clock:
        answers = classify(asked, **options)
    by_label = [{each["label"]: each["score"] for each in answer} for answer in answers]
    return [[found[label] for label in NLI_LABELS] for found in by_label], clock


def measure(way: str, given: argparse.Namespace) -> None:
    """Score the pairs one way here and print its figures as JSON."""
    pairs = [(premise, said) for premise, said in json.loads(given.scored.read_text())]
    score = score_ours if way == "ours" else score_by_pipeline
    scores, clock = score(pairs, given)
    print(json.dumps({"scores": scores, **vars(clock), "peak": peak()}))


def work_as_a_worker(given: argparse.Namespace) -> None:
    """Revise the demo's passages with all models of the default configuration; print figures.

    The seconds to the first are counted from the start of the process, imports and models included.
    """
    import django

    weights.WEIGHTS, weights.TOKENIZER = given.weights, given.tokenizer

    django.setup()
    from pipeline.backends.tantivy_corpus import write_index
    from pipeline.demo_data import PASSAGES, demo_documents
    from pipeline.engine.configuration import RunConfig
    from pipeline.engine.loading import load_engine
    from pipeline.importing.passages import PassageRow, read_passages
    from pipeline.rarr.types import Passage

    rows = [row for row in read_passages(PASSAGES) if isinstance(row, PassageRow)]
    with tempfile.TemporaryDirectory() as folder:
        indexing = Clock()
        with indexing:
            write_index(Path(folder), demo_documents())
        engine = load_engine(RunConfig.from_settings(), index=Path(folder))
        figures = []
        for number, row in enumerate(rows):
            engine.revise(Passage(id=str(number), text=row.text, context=row.context))
            if number in (0, len(rows) - 1):
                figures.append((seconds_here() - indexing.seconds, time.process_time(), peak()))
    heavy = [name for name in ("torch", "transformers", "spacy", "scipy") if name in sys.modules]
    (first, computed_first, peak_first), (last, computed, peak_last) = figures
    print(
        json.dumps(
            {"first": first, "computed first": computed_first, "peak first": peak_first,
             "rest": last - first, "computed rest": computed - computed_first, "peak": peak_last,
             "rows": len(rows), "heavy": heavy}
        )
    )  # fmt: skip


def seconds_here() -> float:
    """Seconds since this process began."""
    began = float(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    ticks = os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - began / ticks


def peak() -> int:
    """The greatest resident memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def in_a_process(*words: str, environment: dict[str, str] | None = None) -> Any:
    command = [sys.executable, "-m", "research.readers", *words]
    output = subprocess.run(
        command, env={**os.environ, **(environment or {})}, check=True, stdout=subprocess.PIPE
    ).stdout
    return json.loads(output.splitlines()[-1])


def compare(pairs: Sequence[Pair], title: str, options: Sequence[str], folder: Path) -> bool:
    """Print a table of both ways; whether their scores are equal enough."""
    scored = folder / "pairs.json"
    scored.write_text(json.dumps(pairs))
    found = {way: in_a_process("--one-way", way, "--scored", str(scored), *options) for way in WAYS}
    print(f"{title}: {len(pairs)} pairs")
    rates = {way: len(pairs) / figures["seconds"] for way, figures in found.items()}
    for way, figures in found.items():
        print(
            f"  {way:10}{rates[way]:9.1f} pairs/s"
            f"{len(pairs) / figures['computed']:9.1f} a CPU second"
            f"{figures['peak'] / 1e6:9.0f} MB"
            f"{rates[way] / rates['pipeline']:8.2f}x"
        )
    worst = max(
        abs(a - b)
        for mine, theirs in zip(*(found[way]["scores"] for way in WAYS), strict=True)
        for a, b in zip(mine, theirs, strict=True)
    )
    fine = worst <= ALLOWED
    print(f"  largest score difference {worst:.5f}: {'OK' if fine else 'NOT OK'}")
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, nargs="?", help="the folder that holds dev/")
    parser.add_argument("--weights", type=Path, default=weights.WEIGHTS)
    parser.add_argument("--tokenizer", type=Path, default=weights.TOKENIZER)
    parser.add_argument("--pairs", type=int, default=200, help="of each table; default 200")
    parser.add_argument("--threads", type=int, default=0, help="0: torch's own choice")
    parser.add_argument("--only-worker", action="store_true", help="only the last figures")
    parser.add_argument("--one-way", choices=[*WAYS, "worker"], help=argparse.SUPPRESS)
    parser.add_argument("--scored", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one_way == "worker":
        work_as_a_worker(given)
        return 0
    if given.one_way:
        measure(given.one_way, given)
        return 0

    options = [
        *("--weights", str(given.weights), "--tokenizer", str(given.tokenizer)),
        *("--threads", str(given.threads)),
    ]
    fine = given.only_worker or compare_ways(given, options)
    with tempfile.TemporaryDirectory() as folder:
        settings = {"RARR_VAR": folder, "DJANGO_SETTINGS_MODULE": "rarrweb.settings"}
        worker = in_a_process("--one-way", "worker", *options, environment=settings)
    loaded = ", ".join(worker["heavy"])
    print(
        f"a worker with everything loaded ({loaded}):\n"
        f"  {worker['peak first'] / 1e6:.0f} MB after its first passage, {worker['first']:.1f} s "
        f"from its start ({worker['computed first']:.1f} s of a core)\n"
        f"  {worker['peak'] / 1e6:.0f} MB after {worker['rows']}, {worker['rest']:.1f} s more "
        f"({worker['computed rest']:.1f} s of a core)"
    )
    return 0 if fine else 1


def compare_ways(given: argparse.Namespace, options: Sequence[str]) -> bool:
    """Print both tables; whether all scores are equal enough."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(given.tokenizer))
    fine = True
    for each, title in ((1, "distinct premises"), (HYPOTHESES, "5 hypotheses a premise")):
        pairs = list(islice(pairs_of(given.data, tokenizer, each=each), given.pairs))
        with tempfile.TemporaryDirectory() as folder:
            fine &= compare(pairs, title, options, Path(folder))
    return fine


if __name__ == "__main__":
    sys.exit(main())
