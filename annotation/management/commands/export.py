"""`manage.py export`: a campaign's labels as a dataset."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotation.exporting import FORMATS, Export, UnsuitableFormat, load_format
from annotation.exporting.export import SCHEMA_SUFFIX
from annotation.exporting.files import CannotWrite, beside, check_free, write_export
from annotation.items.run_groups import with_runs
from annotation.models import Campaign


class Command(BaseCommand):
    help = (
        "Writes what raters said in a campaign to a file, with its schema (every field and its "
        "type) beside it as FILE.features.json, and a manifest (counts, checksums, configuration, "
        "versions, and the Python that loads the file) as FILE.manifest.json. Formats: hagrid, "
        "JSON lines in HAGRID's shape with majority labels; csv, one row per judgment. "
        "docs/export.md has the rules. Exit status: 0 done, 2 could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--campaign", required=True, metavar="SLUG", help="the SLUG in /campaigns/SLUG/"
        )
        parser.add_argument("--format", required=True, choices=sorted(FORMATS))
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")
        parser.add_argument("--force", action="store_true", help="replace a file that exists")

    def handle(
        self,
        *,
        campaign: str,
        format: str,  # noqa: A002 (the option's name)
        out: Path,
        force: bool,
        **options: Any,
    ) -> None:
        try:
            check_free(out, replace=force)
            found = _campaign(campaign)
            export = Export(campaign=found, format=load_format(format))
            with tqdm(total=found.item_count, unit="item", disable=None, leave=False) as bar:
                manifest = write_export(
                    export,
                    out=out,
                    replace=force,
                    progress=lambda items: bar.update(items - bar.n),
                )
        except (CannotWrite, UnsuitableFormat) as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(
            f"{summary(export, out)} Schema: {beside(out, SCHEMA_SUFFIX)}. Manifest: {manifest}."
        )


def summary(export: Export, out: Path) -> str:
    counts = export.counts
    written = counted(counts.lines, "row" if export.format.name == "csv" else "line")
    parts = [
        counted(counts.items, "item"),
        f"{counted(counts.judgments, 'judgment')} by {counted(len(counts.raters), 'rater')}",
    ]
    told = f"Wrote {written} to {out}: {', '.join(parts)}."
    open_labels = [
        f"{name} {label.unjudged:,} of {label.asked:,}"
        for name, label in counts.labels.items()
        if label.asked
    ]
    return told + (f" Not judged yet: {', '.join(open_labels)}." if open_labels else "")


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "line"), counted(1200, "line")
    ('1 line', '1,200 lines')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _campaign(slug: str) -> Campaign:
    campaigns = with_runs(Campaign.objects.all())
    try:
        return campaigns.get(slug=slug)
    except Campaign.DoesNotExist:
        slugs = list(Campaign.objects.order_by("slug").values_list("slug", flat=True)[:20])
        known = f"choose one of {', '.join(slugs)}" if slugs else "there is no campaign yet"
        raise CommandError(f"There is no campaign {slug!r}: {known}.", returncode=2) from None
