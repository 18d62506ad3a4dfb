"""How fast a corpus is indexed, in how much memory, and how that compares.

    python -m tests.bench.indexing [--documents 100000] [--words 150]

Each way runs in a process of its own over the same generated documents, so that its peak of
resident memory is its own. The naive ways get fewer documents where they would take for ever;
their figures say how many.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

WORDS = 20_000
ONE_BY_ONE_LIMIT = 200
"""Documents for the way that commits each: it makes a segment a document."""


def documents(count: int, words: int) -> Iterator[dict[str, str]]:
    """Generated documents with words as frequent as Zipf says; the same each time."""
    chance = random.Random(7)
    vocabulary = [f"w{number}{'aeiou'[number % 5]}" for number in range(WORDS)]
    weights = [1 / (rank + 1) for rank in range(WORDS)]
    sums = [0.0]
    for weight in weights:
        sums.append(sums[-1] + weight)
    for number in range(count):
        length = chance.randint(words // 2, words * 3 // 2)
        text = " ".join(chance.choices(vocabulary, cum_weights=sums[1:], k=length))
        yield {"id": f"d{number}", "title": f"Title {number}", "url": "", "text": text}


def through_the_product(path: Path, count: int) -> float:
    """The whole way: check, import, index; gives the seconds of the indexing alone."""
    import django

    django.setup()
    from django.core.management import call_command

    from pipeline.data import corpora
    from pipeline.jobs import queue

    call_command("migrate", verbosity=0)
    staged = path.with_suffix(".staged")
    start = time.perf_counter()
    print(f"  check:  {corpora.check_documents(None, path, staged=staged)}", file=sys.stderr)
    checked = time.perf_counter()
    corpus = corpora.create_corpus(name="bench")
    corpora.import_documents(corpus, staged)
    imported = time.perf_counter()
    queue.mark_for_indexing(corpus)
    corpora.index_corpus(corpus.pk)
    done = time.perf_counter()
    corpus.refresh_from_db()
    assert corpus.state == "ready", corpus.error
    assert corpus.indexed_count == count
    print(
        f"  check {checked - start:.1f} s, import {imported - checked:.1f} s, "
        f"index {done - imported:.1f} s",
        file=sys.stderr,
    )
    return done - imported


def all_in_memory(path: Path, count: int) -> float:
    """Read every document, then write all in one commit with a large heap."""
    from pipeline.backends.tantivy_corpus import CorpusWriter
    from pipeline.importing.corpus_files import read_documents

    start = time.perf_counter()
    everything = list(read_documents(path))
    with CorpusWriter(path.parent / "memory", heap_bytes=1_000_000_000) as writer:
        for document in everything:
            writer.add(document)
    assert len(everything) == count
    return time.perf_counter() - start


def a_commit_each(path: Path, count: int) -> float:
    """Commit after each document."""
    from pipeline.backends.tantivy_corpus import write_index
    from pipeline.importing.corpus_files import read_documents

    start = time.perf_counter()
    assert write_index(path.parent / "each", read_documents(path), every=1) == count
    return time.perf_counter() - start


WAYS = {
    "the product": through_the_product,
    "all in memory": all_in_memory,
    "a commit each": a_commit_each,
}


def measure(way: str, path: Path, count: int) -> None:
    """Run one way here and print its figures as JSON."""
    seconds = WAYS[way](path, count)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    folders = [path.parent / "memory", path.parent / "each", path.parent / "var" / "corpora"]
    size = sum(
        file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file()
    )
    print(json.dumps({"seconds": seconds, "peak": peak, "index": size}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=150, help="mean words a document")
    parser.add_argument("--one-way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one_way:
        measure(given.one_way, given.path, given.documents)
        return
    print(f"{'way':<16}{'documents':>10}{'docs/s':>10}{'peak RSS':>12}{'index':>12}{'text':>12}")
    for way in WAYS:
        count = (
            min(given.documents, ONE_BY_ONE_LIMIT) if way == "a commit each" else given.documents
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "documents.jsonl"
            with path.open("w") as file:
                for document in documents(count, given.words):
                    file.write(json.dumps(document) + "\n")
            environment = {
                **os.environ,
                "RARR_VAR": str(Path(folder) / "var"),
                "DATABASE_URL": "",
                "DJANGO_SETTINGS_MODULE": "rarrweb.settings",
            }
            command = [sys.executable, "-m", "tests.bench.indexing", "--one-way", way]
            command += ["--path", str(path), "--documents", str(count)]
            output = subprocess.run(
                command, env=environment, check=True, stdout=subprocess.PIPE, text=True
            ).stdout
            figures = json.loads(output.splitlines()[-1])
            text = path.stat().st_size
        print(
            f"{way:<16}{count:>10,}{count / figures['seconds']:>10,.0f}"
            f"{figures['peak'] / 1e6:>9,.0f} MB{figures['index'] / 1e6:>9,.0f} MB"
            f"{text / 1e6:>9,.0f} MB"
        )


if __name__ == "__main__":
    main()
