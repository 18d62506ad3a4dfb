"""A dataset package: one ZIP with data, dataset card, guidelines, manifest and checksums."""

import hashlib
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from annotation.exporting.dataset_card import card_text
from annotation.exporting.export import SCHEMA_SUFFIX, Export, Format, UnsuitableFormat
from annotation.exporting.files import OF_ONE_FILE, joined_manifest
from annotation.items.run_groups import links_of
from annotation.models import Campaign
from annotation.results.labels import SETTLED
from annotation.results.reliability import campaign_reliability
from pipeline.data.splits import Part
from pipeline.runs.line_files import LineFile, run_file
from rarrweb.streamed import digest, manifest_text

DATA = "data/"
OF_ONE_FORMAT = (*OF_ONE_FILE, "format", "labels", "split", "parts")
"""What a manifest says of one format alone."""
OF_ONE_RUN = ("file", "bytes", "sha256", "counts", "left_out", "split")
REVISIONS = "rarr"
"""Names, beside the formats, the revisions of a package's runs."""
NOTHING_CHOSEN = "Choose at least one file of labels."
PACKED = (".parquet",)
"""Suffixes of files that are compressed already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What somebody chose to have in a package."""

    formats: tuple[Format, ...]
    labels: str = SETTLED
    """For the formats that make one label of several raters' answers."""
    with_revisions: bool = False
    """Whether what the campaign's runs wrote is in it, as the public RARR program's lines."""
    parts: tuple[Part, ...] = ()
    """Of a split, for the formats that can be split; none: each file is whole."""
    licence: str = ""
    language: str = ""
    """Codes, separated by commas: "en, de"."""

    @property
    def languages(self) -> list[str]:
        return [code.strip() for code in self.language.split(",") if code.strip()]

    def __post_init__(self) -> None:
        if not self.formats:
            raise UnsuitableFormat(NOTHING_CHOSEN)

    def exports(self, campaign: Campaign, kind: Format) -> list[Export]:
        labels = self.labels if kind.resolves else SETTLED
        parts: Iterable[Part | None] = self.parts if self.parts and kind.splits else (None,)
        return [Export(campaign=campaign, format=kind, labels=labels, part=part) for part in parts]


def write_package(
    campaign: Campaign,
    contents: Contents,
    path: Path,
    *,
    progress: Callable[[int], object] = lambda items: None,
) -> dict[str, Any]:
    """Write the ZIP to `path`; its `size` in bytes and `sha256`.

    `progress` gets the number of items written so far, those of all formats together, and may
    raise to stop. Streamed: memory does not grow with the campaign.
    """
    packer = _Packer()
    formats: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    done, raters = 0, set[int]()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        packer.archive = archive
        for kind in contents.formats:
            exports = contents.exports(campaign, kind)
            for export in exports:
                packer.add(DATA + export.file_name, _told(export, partial(_from, done, progress)))
                done += export.items
                raters |= export.counts.raters
                progress(done)
            schema = f"{campaign.slug}-{kind.name}{SCHEMA_SUFFIX}"
            if fields := exports[0].schema():
                packer.add(DATA + schema, [fields])
            named = {export.file_name: export for export in exports}
            told = joined_manifest(named, schema)
            if fields:  # beside a single file its name is another
                told["files"][-1] = {"name": schema, **digest(fields)}
            formats[kind.name] = {name: told[name] for name in OF_ONE_FORMAT if name in told}
            shared = {name: value for name, value in told.items() if name not in OF_ONE_FORMAT}
        revisions = []
        for link in links_of(campaign) if contents.with_revisions else ():
            for part in contents.parts or (None,):
                lines = run_file(link.run, part=part)
                packer.add(DATA + lines.file_name, _told(lines, partial(_from, done, progress)))
                done += lines.items
                told = lines.manifest()
                revisions.append({name: told[name] for name in OF_ONE_RUN if name in told})
        manifest = {
            "package": {
                "licence": contents.licence or None,
                "languages": contents.languages,
                "raters": len(raters),
            },
            **shared,
            "formats": formats,
            "revisions": revisions,
        }
        for version in campaign.guidelines_versions.order_by("number"):
            packer.add(f"guidelines/version-{version.number}.md", [f"{version.text}\n".encode()])
        packer.add("manifest.json", [manifest_text(manifest).encode()])
        found = campaign_reliability(campaign)
        packer.add("README.md", [card_text(campaign, manifest, found).encode()])
        packer.add("SHA256SUMS", [packer.sums().encode()])
    with path.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
        os.fsync(file.fileno())
    return {"size": path.stat().st_size, "sha256": checksum}


def _from(before: int, progress: Callable[[int], object], items: int) -> None:
    progress(before + items)


def passages_of(campaign: Campaign) -> int:
    """Of the campaign's runs: so many lines have their revisions."""
    return sum(link.run.passage_count for link in links_of(campaign))


def _told(export: Export | LineFile, progress: Callable[[int], object]) -> Iterator[bytes]:
    for chunk in export.chunks():
        yield chunk
        progress(export.items)


class _Packer:
    """Adds files to an archive and remembers their checksums."""

    archive: zipfile.ZipFile

    def __init__(self) -> None:
        self._sums: dict[str, str] = {}

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        info = zipfile.ZipInfo(name)  # of 1980: the same data is the same file
        info.external_attr = 0o644 << 16
        if not name.endswith(PACKED):
            info.compress_type = zipfile.ZIP_DEFLATED
        checksum = hashlib.sha256()
        with self.archive.open(info, "w", force_zip64=True) as out:
            for chunk in chunks:
                checksum.update(chunk)
                out.write(chunk)
        self._sums[name] = checksum.hexdigest()

    def sums(self) -> str:
        """As `sha256sum --check` reads them."""
        return "".join(f"{checksum}  {name}\n" for name, checksum in self._sums.items())
