"""A dataset package: a ZIP with data, card, guidelines, manifest and checksums."""

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from annotation.exporting import UnknownFormat, UnsuitableFormat, load_format, offers_for
from annotation.exporting.export import SCHEMA_SUFFIX, Export, Format
from annotation.exporting.files import PER_FILE_KEYS, counted_chunks, joined_manifest
from annotation.items.run_groups import links_of
from annotation.models import Campaign
from annotation.questionnaires import questionnaire_of
from annotation.results.labels import SETTLED
from annotation.results.reliability import CampaignReliability, campaign_reliability
from pipeline.data.splits import Part
from pipeline.models import Run
from pipeline.rarr.errors import BadConfig
from pipeline.runs.line_files import run_file
from rarrweb.web.streaming import Pieces, digest, manifest_text

DATA = "data/"
PER_FORMAT_KEYS = (*PER_FILE_KEYS, "format", "labels", "split", "parts")
"""Keys of a manifest that describe one format."""
PER_RUN_KEYS = ("file", "bytes", "sha256", "counts", "excluded", "split")
REVISIONS = "rarr"
"""Stands for the revisions of the runs, among the formats."""
NOTHING_CHOSEN = "Choose at least one file of labels."
NOTHING_TO_EXPORT = "There is nothing to export yet: nobody has judged an item."
PACKED = (".parquet",)
"""Suffixes of compressed files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    formats: tuple[Format, ...]
    labels: str = SETTLED
    with_revisions: bool = False
    """With the output of the campaign's runs, as lines of the public RARR program."""
    parts: tuple[Part, ...] = ()
    """Of a split, for formats that can be split; empty for whole files."""
    licence: str = ""
    language: str = ""
    """Codes, separated by commas: "en, de"."""

    @property
    def languages(self) -> list[str]:
        return [code.strip() for code in self.language.split(",") if code.strip()]

    def exports(self, campaign: Campaign, kind: Format) -> list[Export]:
        labels = self.labels if kind.resolves else SETTLED
        parts: Iterable[Part | None] = self.parts if self.parts and kind.splits else (None,)
        return [Export(campaign=campaign, format=kind, labels=labels, part=part) for part in parts]


def contents_of(campaign: Campaign, *, formats: Iterable[str] = (), **chosen: Any) -> Contents:
    """Return `Contents` with these formats, or with all that are not empty.

    `REVISIONS` may be among them. Raises `BadConfig` for an unsuitable format, or where none has
    labels.
    """
    names = list(dict.fromkeys(formats))
    if not names:
        offers = [each.formats for each in offers_for(campaign) if each.rows]
        names = [each.name for formats in offers for each in formats]
        if not names:
            raise BadConfig(NOTHING_TO_EXPORT, field="formats")
        names += [REVISIONS] if revising_runs(campaign) else []
    try:
        of_labels = [
            Export(campaign=campaign, format=load_format(name)).format
            for name in names
            if name != REVISIONS
        ]
    except (UnknownFormat, UnsuitableFormat) as error:
        raise BadConfig(str(error), field="formats") from None
    if not of_labels:
        raise BadConfig(NOTHING_CHOSEN, field="formats")
    return Contents(formats=tuple(of_labels), with_revisions=REVISIONS in names, **chosen)


def revising_runs(campaign: Campaign) -> list[Run]:
    return [link.run for link in links_of(campaign) if link.run.has_revised_texts]


def package_chunks(
    campaign: Campaign,
    contents: Contents,
    *,
    progress: Callable[[int], object] = lambda items: None,
) -> Iterator[bytes]:
    """Yield the ZIP in small pieces; memory does not grow with the campaign.

    `progress` gets the number of items so far.
    """
    out = Pieces()
    sums: dict[str, str] = {}
    with zipfile.ZipFile(out, "w") as archive:
        for name, chunks in _files(campaign, contents, sums, progress):
            info = zipfile.ZipInfo(name)  # dated 1980, for equal bytes
            info.external_attr = 0o644 << 16
            if not name.endswith(PACKED):
                info.compress_type = zipfile.ZIP_DEFLATED
            checksum = hashlib.sha256()
            with archive.open(info, "w", force_zip64=True) as file:
                for chunk in chunks:
                    checksum.update(chunk)
                    file.write(chunk)
                    yield out.take()
            sums[name] = checksum.hexdigest()
    yield out.take()


def _files(
    campaign: Campaign,
    contents: Contents,
    sums: Mapping[str, str],
    progress: Callable[[int], object],
) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield name and bytes of each file; each is read before the next.

    `sums` has the checksums of files that were read.
    """
    formats: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    done, raters = 0, set[int]()
    for kind in contents.formats:
        exports = contents.exports(campaign, kind)
        for export in exports:
            yield DATA + export.file_name, counted_chunks(export, done, progress)
            done += export.items
            raters |= export.counts.raters
            progress(done)
        schema = f"{campaign.slug}-{kind.name}{SCHEMA_SUFFIX}"
        if fields := exports[0].schema():
            yield DATA + schema, [fields]
        entries = joined_manifest({export.file_name: export for export in exports}, schema)
        if fields:  # here under another name
            entries["files"][-1] = {"name": schema, **digest(fields)}
        formats[kind.name] = {name: entries[name] for name in PER_FORMAT_KEYS if name in entries}
        shared = {name: value for name, value in entries.items() if name not in PER_FORMAT_KEYS}
    revisions = []
    for run in revising_runs(campaign) if contents.with_revisions else ():
        for part in contents.parts or (None,):
            lines = run_file(run, part=part)
            yield DATA + lines.file_name, counted_chunks(lines, done, progress)
            done += lines.items
            entries = lines.manifest()
            revisions.append({name: entries[name] for name in PER_RUN_KEYS if name in entries})
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
        yield f"guidelines/version-{version.number}.md", [f"{version.text}\n".encode()]
    yield "manifest.json", [manifest_text(manifest).encode()]
    reliability = campaign_reliability(campaign)
    yield "README.md", [card_text(campaign, manifest, reliability).encode()]
    # As `sha256sum --check` reads them.
    lines_of_sums = "".join(f"{checksum}  {name}\n" for name, checksum in sums.items())
    yield "SHA256SUMS", [lines_of_sums.encode()]


SIZES = {
    1_000: "n<1K",
    10_000: "1K<n<10K",
    100_000: "10K<n<100K",
    1_000_000: "100K<n<1M",
    10_000_000: "1M<n<10M",
}
LOADABLE = (".jsonl", ".parquet", ".csv")
"""Suffixes that `load_dataset` reads; the card names the files of the first one present."""
TOTALS = ("items", "passages", "judgments", "as_imported", "assignments_late")


def card_text(
    campaign: Campaign, manifest: Mapping[str, Any], reliability: CampaignReliability
) -> str:
    formats = manifest["formats"].values()
    # Only HAGRID's file counts quotes.
    main = max(formats, key=lambda each: [_total(each, name) for name in ("quotes", "items")])
    context = {
        "campaign": campaign,
        "head": _head(campaign, manifest, lines=_total(main, "lines")),
        "kind": questionnaire_of(campaign),
        "main": main,
        "manifest": manifest,
        "parts": _counts(main),
        "reliability": reliability,
        "total": {name: _total(main, name) for name in TOTALS},
        "versions": _common_versions(manifest["runs"]),
    }
    return render_to_string("annotation/dataset_card.md", context)


def _common_versions(runs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the versions that all runs have in common."""
    first, *others = (run["versions"] for run in runs)
    return {
        name: version
        for name, version in first.items()
        if all(other.get(name) == version for other in others)
    }


def _head(campaign: Campaign, manifest: Mapping[str, Any], *, lines: int) -> str:
    from huggingface_hub import DatasetCardData

    licence = manifest["package"]["licence"]
    is_known = re.fullmatch(r"[a-z0-9][a-z0-9.\-]*", licence or "")
    head = DatasetCardData(
        pretty_name=campaign.name,
        language=manifest["package"]["languages"] or None,
        license=licence if is_known or not licence else "other",
        license_name=None if is_known else licence,
        size_categories=[next((name for limit, name in SIZES.items() if lines < limit), "n>10M")],
        configs=_configs(manifest["formats"]) or None,
    )
    return head.to_yaml()


def _configs(formats: Mapping[str, Any]) -> list[dict[str, Any]]:
    for suffix in LOADABLE:
        files = {
            name: [each["name"] for each in of["files"] if each["name"].endswith(suffix)]
            for name, of in formats.items()
        }
        if any(files.values()):
            return [
                {
                    "config_name": name,
                    "data_files": [
                        {"split": split, "path": f"data/{file}"}
                        for split, file in zip(
                            formats[name].get("parts", ["train"]), names, strict=True
                        )
                    ],
                }
                for name, names in files.items()
                if names
            ]
    return []


def _counts(of_format: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    parts = of_format.get("parts", {"all": of_format})
    return {name: part["counts"] for name, part in parts.items()}


def _total(of_format: Mapping[str, Any], name: str) -> int:
    return sum(counts[name] for counts in _counts(of_format).values())
