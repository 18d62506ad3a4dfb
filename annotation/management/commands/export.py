"""`manage.py export`: write a campaign, a dataset or a run as a file."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotation.exporting import (
    FORMATS,
    Export,
    UnknownFormat,
    UnsuitableFormat,
    load_format,
)
from annotation.exporting.export import SCHEMA_SUFFIX, record_export
from annotation.exporting.files import (
    CannotWrite,
    Exported,
    check_free,
    companion,
    part_path,
    whole_files,
    write_exports,
    write_synced,
)
from annotation.exporting.package import REVISIONS, contents_of, package_chunks, revising_runs
from annotation.items.run_groups import with_runs
from annotation.models import Campaign
from annotation.results.labels import RESOLUTIONS, SETTLED
from pipeline.data.slugs import find_named
from pipeline.data.splits import BadSplit, Part, parse_split
from pipeline.models import Dataset, Run
from pipeline.rarr.errors import BadConfig
from pipeline.runs.line_files import answers_file, dataset_file, run_file
from rarrweb.web.streaming import HashedStream

PACKAGE = "package"
KNOWN = sorted({*FORMATS, "rarr", PACKAGE})


class Command(BaseCommand):
    help = (
        "Writes a file, and a manifest (counts, checksums, configuration, versions) beside it as "
        "FILE.manifest.json. Of a campaign: what raters said, in any of the formats (hagrid, JSON "
        "lines in HAGRID's shape with majority labels; csv, one row per judgment); JSON lines have "
        "their schema (every field and its type) in FILE.features.json. Of a dataset: its passages "
        "as hagrid; an imported file of that format comes out as it went in; or as alce, ALCE's "
        "data with gold answers. Of a run: its "
        "revisions as rarr, the lines of the public RARR program, or its answers with citations as "
        "alce, the output of ALCE's run.py, for `citations` to score. "
        "docs/formats.md has the rules. Exit status: 0 done, 2 could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--campaign", metavar="SLUG", help="the SLUG in /campaigns/SLUG/")
        what.add_argument("--dataset", metavar="NAME", help="a dataset's slug or name")
        what.add_argument("--run", metavar="ID", type=int, help="the ID in /runs/ID/")
        parser.add_argument("--format", required=True, choices=KNOWN)
        parser.add_argument(
            "--labels",
            choices=sorted(RESOLUTIONS),
            default=SETTLED,
            help="how several raters' answers become one label, of a campaign: "
            + "; ".join(f"{name}, {meaning}" for name, meaning in RESOLUTIONS.items()),
        )
        parser.add_argument(
            "--split",
            metavar="dev=SHARE",
            help="write two files, FILE with .train and .dev before its suffix; a hash of its id "
            "decides which part a question is in, so that it stays there",
        )
        parser.add_argument(
            "--salt", default="", metavar="TEXT", help="another text, another split (default: none)"
        )
        of_package = parser.add_argument_group(
            PACKAGE, "a ZIP with data, dataset card, guidelines, configuration and checksums"
        )
        of_package.add_argument(
            "--files",
            default="",
            metavar="FORMAT,…",
            help="what is in it; rarr for the revisions of its runs (default: all but empty files)",
        )
        of_package.add_argument("--license", default="", metavar="TEXT", help="e.g. cc-by-4.0")
        of_package.add_argument("--language", default="", metavar="CODE,…", help="e.g. en, de")
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")
        parser.add_argument("--force", action="store_true", help="replace a file that exists")

    def handle(
        self,
        *,
        campaign: str | None,
        dataset: str | None,
        run: int | None,
        format: str,  # noqa: A002 (the option's name)
        labels: str,
        split: str | None,
        salt: str,
        out: Path,
        force: bool,
        **options: Any,
    ) -> None:
        try:
            parts = parse_split(split, salt=salt) if split else (None,)
            paths = [part_path(out, part) if part else out for part in parts]
            if format == PACKAGE:
                if campaign is None:
                    raise CommandError("A package is of a campaign: name one.", returncode=2)
                self.stdout.write(_package(_campaign(campaign), out, force, parts, options, labels))
                return
            if labels != SETTLED and campaign is None:
                raise CommandError("Only a campaign has labels to choose.", returncode=2)
            check_free(out, *paths, replace=force)
            make: Make
            if dataset is not None:
                if format != "alce":
                    _check_format(format, "hagrid", of="a dataset")
                make, total = _dataset(dataset, format)
            elif run is not None:
                if format != "alce":
                    _check_format(format, "rarr", of="a run")
                make, total = _run(run, format)
            else:
                if format == "rarr":
                    raise CommandError("rarr is a format of runs: name one by --run.", returncode=2)
                chosen, kind = _campaign(campaign or ""), load_format(format)
                total = chosen.item_count + chosen.shared_count

                def make(part: Part | None) -> Export:
                    return Export(campaign=chosen, format=kind, labels=labels, part=part)

            exports = {path: make(part) for path, part in zip(paths, parts, strict=True)}
            with tqdm(total=total, unit="item", disable=None, leave=False) as bar:
                manifest = write_exports(
                    exports,
                    out=out,
                    replace=force,
                    progress=lambda items: bar.update(items - bar.n),
                )
        except (BadConfig, BadSplit, CannotWrite, UnknownFormat, UnsuitableFormat) as error:
            raise CommandError(str(error), returncode=2) from None
        for export in exports.values():
            if isinstance(export, Export):
                record_export(export.campaign, what=format)
        lines = [
            summary(export, path)
            if isinstance(export, Export)
            else f"Wrote {counted(export.items, 'passage')} to {path}."
            for path, export in exports.items()
        ]
        if companion(out, SCHEMA_SUFFIX).exists():
            lines.append(f"Schema: {companion(out, SCHEMA_SUFFIX)}.")
        self.stdout.write(" ".join([*lines, f"Manifest: {manifest}."]))


def summary(export: Export, out: Path) -> str:
    counts = export.counts
    written = counted(counts.lines, "row" if export.format.name in {"csv", "parquet"} else "line")
    judgments = f"{counted(counts.judgments, 'judgment')} by {counted(len(counts.raters), 'rater')}"
    text = f"Wrote {written} to {out}: {counted(counts.items, 'item')}, {judgments}."
    open_labels = [
        f"{name} {label.unjudged:,} of {label.expected:,}"
        for name, label in counts.labels.items()
        if label.expected
    ]
    return text + (f" Not judged yet: {', '.join(open_labels)}." if open_labels else "")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "line"), counted(1200, "line")
    ('1 line', '1,200 lines')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _campaign(slug: str) -> Campaign:
    campaign = with_runs(Campaign.objects.filter(slug=slug)).first()
    if campaign is None:
        slugs = ", ".join(Campaign.objects.order_by("slug").values_list("slug", flat=True)[:20])
        known = f"choose one of {slugs}" if slugs else "there is no campaign yet"
        raise CommandError(f"There is no campaign {slug!r}: {known}.", returncode=2)
    return campaign


def _check_format(given: str, known: str, *, of: str) -> None:
    if given != known:
        raise CommandError(f"{of.capitalize()} is exported as {known}, not {given}.", returncode=2)


def _package(
    campaign: Campaign,
    out: Path,
    replace: bool,
    parts: Sequence[Part | None],
    options: Mapping[str, Any],
    labels: str,
) -> str:
    check_free(out, replace=replace)
    names = [name.strip() for name in options["files"].split(",") if name.strip()]
    contents = contents_of(
        campaign,
        formats=names,
        labels=labels,
        parts=tuple(filter(None, parts)),
        licence=options["license"],
        language=options["language"],
    )
    total = (campaign.item_count + campaign.shared_count) * len(contents.formats)
    if contents.with_revisions:
        total += sum(run.passage_count for run in revising_runs(campaign))
    written = HashedStream()
    with (
        tqdm(total=total, unit="item", disable=None, leave=False) as bar,
        whole_files(out, out=out) as temporary,
    ):
        chunks = package_chunks(
            campaign, contents, progress=lambda items: bar.update(items - bar.n)
        )
        write_synced(temporary[out], written.pieces(chunks))
    record_export(campaign, what=PACKAGE)
    digests = written.to_plain()
    revisions = [REVISIONS] if contents.with_revisions else []
    files = ", ".join([*(each.name for each in contents.formats), *revisions])
    return f"Wrote {files} to {out}: {digests['bytes']:,} bytes, SHA-256 {digests['sha256']}."


Make = Callable[[Part | None], Exported]


def _dataset(name: str, format: str) -> tuple[Make, int]:  # noqa: A002 (the option's name)
    dataset = find_named(Dataset, name)
    if dataset is None:
        raise CommandError(f"There is no dataset {name!r}: see /datasets/.", returncode=2)
    return lambda part: dataset_file(dataset, part=part, format=format), dataset.passage_count


def _run(key: int, format: str) -> tuple[Make, int]:  # noqa: A002 (the option's name)
    run = Run.objects.of_lab().select_related("dataset", "corpus").filter(pk=key).first()
    if run is None:
        raise CommandError(f"There is no run {key}: see /runs/.", returncode=2)
    if format == "alce" and not run.is_imported and not run.has_revised_texts:
        return lambda part: answers_file(run, part=part), run.passage_count
    _check_format(format, "rarr", of="a run that revises")
    return lambda part: run_file(run, part=part), run.passage_count
