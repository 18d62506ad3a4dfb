"""How many of the demo's planted errors a configuration restores, and what else it changes.

    .venv/bin/python -m research.demo_passages [--system rarr] [--set name=value …] [-v]

Prints a line a passage and a table of the three kinds. "Restored": the right value stands in
the revision and the wrong one no more. "Exact": the revision is the passage with its errors put
right and nothing else changed. "Spoiled": something else is changed. `-v` shows each revision
that is not exact, with its trace.
"""

import argparse
import os
import tempfile
from collections import Counter
from pathlib import Path

import django


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--system", default="rarr")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

    from pipeline.backends.tantivy_corpus import CorpusWriter
    from pipeline.demo_data import PASSAGES, demo_documents, planted
    from pipeline.engine.configuration import RunConfig
    from pipeline.engine.loading import load_engine
    from pipeline.importing.passages import PassageRow, read_passages
    from pipeline.rarr.types import Passage

    config = RunConfig.from_settings(
        system=options.system, overrides=dict(pair.split("=", 1) for pair in options.set)
    )
    errors = planted()
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        with CorpusWriter(Path(folder)) as writer:
            for document in demo_documents():
                writer.add(document)
        engine = load_engine(config, index=Path(folder))
        for row in read_passages(PASSAGES):
            if not isinstance(row, PassageRow):
                raise SystemExit(str(row))
            outcome = engine.revise(Passage(id=row.external_id, text=row.text, context=row.context))
            text, kind = outcome.revision.text, row.source.extra["kind"]
            known = errors[row.external_id]
            restored = sum(each.right in text and each.wrong not in text for each in known.errors)
            exact = text == known.corrected(row.text)
            counts[kind, "errors"] += len(known.errors)
            counts[kind, "restored"] += restored
            counts[kind, "passages"] += 1
            counts[kind, "exact"] += exact
            counts[kind, "spoiled"] += _is_spoiled(known, row.text, text)
            before, after = outcome.scores.attribution_before, outcome.scores.attribution_after
            print(
                f"{row.external_id:14} {'exact' if exact else '     '} "
                f"restored {restored}/{len(known.errors)}  "
                f"Attr_auto {_figure(before)} -> {_figure(after)}"
            )
            if options.verbose and not exact:
                print(f"    x  {row.text}\n    y  {text}")
                for step in outcome.revision.trace:
                    verdict = step.agreement.reason if step.agreement else "no evidence"
                    print(f"    ?  {step.query.text}\n       {verdict} [{step.edit_outcome}]")
    print(f"\n{'kind':12} {'restored':>10} {'exact':>10} {'spoiled':>10}")
    for kind in [*dict.fromkeys(kind for kind, _ in counts)]:
        print(_table_row(kind, {name: counts[kind, name] for name in NAMES}))
    total = {name: sum(n for (_, each), n in counts.items() if each == name) for name in NAMES}
    print(_table_row("all", total))


NAMES = ("errors", "restored", "passages", "exact", "spoiled")


def _is_spoiled(known: object, before: str, after: str) -> bool:
    """Whether anything but the planted errors was changed."""
    for error in known.errors:  # type: ignore[attr-defined]
        for value in (error.wrong, error.right):
            before, after = before.replace(value, "…"), after.replace(value, "…")
    return before != after


def _figure(value: float | None) -> str:
    return "   -" if value is None else f"{value:.2f}"


def _table_row(kind: str, row: dict[str, int]) -> str:
    passages = row["passages"]
    return (
        f"{kind:12} {row['restored']:>5}/{row['errors']:<4} {row['exact']:>5}/{passages:<4} "
        f"{row['spoiled']:>5}/{passages:<4}"
    )


if __name__ == "__main__":
    main()
