"""The card of a dataset package: Markdown with the head that the Hugging Face Hub reads.

It says only what the manifest, the reliability figures and the person who asked have told. Its
first two tables count what HAGRID's Tables 2 and 3 count (Kamalloo et al. 2023, section 3.5).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotation.exporting.package_counts import (
    counts_of_parts,
    data_files,
    most_counted,
    part_names,
    summed,
    totals,
)
from annotation.models import Campaign
from annotation.questionnaires import questionnaire_of
from annotation.results.reliability import CampaignReliability
from pipeline.metrics.inference import share_estimate

if TYPE_CHECKING:
    from pipeline.metrics.reliability import Reliability

SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
LOADABLE = (".jsonl", ".parquet", ".csv")
"""Suffixes of files that `load_dataset` reads by the card's head alone: all of one suffix, so the
head names those of the first that the package has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """What the person who asked for the package says about it."""

    licence: str = ""
    language: str = ""
    """Codes, separated by commas: "en, de"."""

    def to_plain(self) -> dict[str, Any]:
        return {"licence": self.licence or None, "languages": self.languages}

    @property
    def languages(self) -> list[str]:
        return [code.strip() for code in self.language.split(",") if code.strip()]


def card_text(
    campaign: Campaign,
    manifest: Mapping[str, Any],
    found: CampaignReliability,
    entered: Entered,
) -> str:
    """The card of the package that `manifest` describes."""
    lines = [
        _head(campaign, manifest, entered),
        "",
        f"# {campaign.name}",
        "",
        *_what_it_is(campaign, manifest),
        *_counts(manifest),
        *_labels(campaign, manifest),
        *_reliability(found),
        *_systems(manifest),
        *_guidelines(manifest),
        *_licence(entered),
        *_limits(campaign, manifest, found),
        *_files(manifest),
    ]
    return "\n".join(lines) + "\n"


def _head(campaign: Campaign, manifest: Mapping[str, Any], entered: Entered) -> str:
    from huggingface_hub import DatasetCardData

    is_known = re.fullmatch(r"[a-z0-9][a-z0-9.\-]*", entered.licence)
    lines = max(
        sum(each["lines"] for each in counts_of_parts(of)) for of in manifest["formats"].values()
    )
    head = DatasetCardData(
        pretty_name=campaign.name,
        language=entered.languages or None,
        license=(entered.licence if is_known else "other") if entered.licence else None,
        license_name=entered.licence if entered.licence and not is_known else None,
        size_categories=[next((name for limit, name in SIZES if lines < limit), "n>10M")],
        annotations_creators=["crowdsourced" if manifest["participants"] else "expert-generated"],
        configs=_configs(manifest) or None,
    )
    return f"---\n{head.to_yaml()}\n---"


def _configs(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    formats = {
        name: [each["name"] for each in data_files(of_format)]
        for name, of_format in manifest["formats"].items()
    }
    suffix = next(
        (each for each in LOADABLE if any(names[0].endswith(each) for names in formats.values())),
        None,
    )
    return [
        {
            "config_name": name,
            "data_files": [
                {"split": part, "path": f"data/{file}"}
                for part, file in zip(
                    manifest["formats"][name].get("parts", ["train"]), files, strict=True
                )
            ],
        }
        for name, files in formats.items()
        if suffix and files[0].endswith(suffix)
    ]


def _what_it_is(campaign: Campaign, manifest: Mapping[str, Any]) -> Iterator[str]:
    kind = questionnaire_of(campaign)
    counts = totals(manifest)
    yield (
        f"{kind.title}: {kind.summary[:1].lower()}{kind.summary[1:].rstrip('.')}. "
        f"{_number(counts, 'items')} items of {_number(counts, 'passages')} passages, with "
        f"{_number(counts, 'judgments')} judgments by {manifest['package']['raters']:,} raters. "
        f"Exported by rarrweb {manifest['versions']['rarrweb']} on {manifest['exported_at']}."
    )
    yield ""


def _counts(manifest: Mapping[str, Any]) -> Iterator[str]:
    yield "## Counts"
    yield ""
    of_format = most_counted(manifest)
    parts = counts_of_parts(of_format)
    columns = {
        "passages": "passages",
        "answers": "items",
        "sentences": "sentences",
        "quotes": "quotes",
        "citations": "citations",
        "submissions": "assignments",
        "judgments": "judgments",
    }
    for name in ("quotes", "citations"):  # not every format and questionnaire has them
        if not any(counts[name] for counts in parts):
            del columns[name]
    rows = [
        [part, *(f"{counts[name]:,}" for name in columns.values())]
        for part, counts in zip(part_names(of_format), parts, strict=True)
    ]
    yield from _table(["part", *columns], rows)
    yield ""


def _labels(campaign: Campaign, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Of each criterion the labels in the file: HAGRID's Total, Yes and No where it is one."""
    yield "## Labels"
    yield ""
    criteria = {each.name: each for each in questionnaire_of(campaign).criteria}
    of_format = most_counted(manifest)
    rows = []
    for part, counts in zip(part_names(of_format), counts_of_parts(of_format), strict=True):
        found = [
            (f"{name}, by answer", name, of)
            for name, of in counts["answer_labels"].items()
            if name in criteria or set(of) != {"null"}
        ]
        found += [
            (f"{name}, by {criteria[name].noun}", name, of["levels"])
            for name, of in counts["labels"].items()
            if name in criteria and not criteria[name].is_text
        ]
        for title, name, levels in found:
            total = sum(n for level, n in levels.items() if level != "null")
            words = (
                {str(each.value): each.label for each in criteria[name].levels}
                if (name in criteria)
                else {"0": "no", "1": "yes"}
            )
            shares = "; ".join(
                f"{words.get(level, level)} {_share(n, total)}"
                for level, n in sorted(levels.items())
                if level != "null"
            )
            rows.append((part, title, f"{total:,}", shares or "–", f"{levels.get('null', 0):,}"))
    yield from _table(
        ("part", "label", "total", "levels [95 % interval of independent ones]", "null"), rows
    )
    yield ""
    rule = of_format["labels"]
    open_ = summed(of_format, "unsettled")
    ties = [
        f"{name} {tied:,} and {open_[name]:,}" for name, tied in summed(of_format, "tied").items()
    ]
    yield (
        f"Several raters’ answers become one label by the rule “{rule['resolution']}”: "
        f"{rule['meaning']} (rules {manifest['label_rules']}). A tie is null. Ties and targets "
        f"on which raters differ without an adjudicator’s answer: {'; '.join(ties) or 'none'}."
    )
    yield ""


def _reliability(found: CampaignReliability) -> Iterator[str]:
    yield "## Reliability"
    yield ""
    if found.missing:
        yield f"There is no figure. {found.missing}"
        yield ""
        return
    rows = []
    for of_one in found.criteria:
        report = of_one.groups[0].report
        alpha = report.alpha_ordinal if of_one.criterion.is_ordinal else report.alpha_nominal
        kind = "ordinal" if of_one.criterion.is_ordinal else "nominal"
        rows += [
            (of_one.criterion.name, title, _figure(figure), f"{figure.targets:,}")
            for title, figure in (
                ("share of equal pairs", report.raw),
                (f"Krippendorff’s alpha, {kind}", alpha),
                ("Fleiss’ kappa", report.fleiss_kappa),
                ("Gwet’s AC1", report.gwet_ac1),
            )
        ]
    yield from _table(("criterion", "figure", "value [95 % interval]", "targets"), rows)
    yield ""


def _systems(manifest: Mapping[str, Any]) -> Iterator[str]:
    yield "## Systems that made the passages"
    yield ""
    rows = [
        (
            str(run["id"]),
            run["system"],
            run["dataset"]["name"],
            run["corpus"]["name"] if run["corpus"] else "–",
            ", ".join(f"{name} {version}" for name, version in sorted(run["versions"].items())),
        )
        for run in manifest["runs"]
    ]
    yield from _table(("run", "system", "dataset", "corpus", "models and versions"), rows)
    yield ""
    for run in manifest["runs"]:
        yield f"Configuration of run {run['id']}:"
        yield ""
        yield "```json"
        yield json.dumps(run["config"], ensure_ascii=False, indent=1).replace("```", "'''")
        yield "```"
        yield ""


def _guidelines(manifest: Mapping[str, Any]) -> Iterator[str]:
    yield "## Guidelines"
    yield ""
    versions = manifest["campaign"]["guidelines"]
    given = totals(manifest)["guidelines"]
    rows = [
        (
            f"[{each['version']}](guidelines/version-{each['version']}.md)",
            str(each["created_at"]),
            str(each["note"] or "–"),
            f"{given.get(str(each['version']), 0):,}",
        )
        for each in versions
    ]
    if rows:
        yield from _table(("version", "from", "what changed", "judgments"), rows)
    else:
        yield "The campaign has no written guidelines."
    yield ""


def _licence(entered: Entered) -> Iterator[str]:
    yield "## Licence"
    yield ""
    if entered.licence:
        yield (
            f"{entered.licence}, as entered by who exported it. Passages and evidence may carry "
            "their sources’ own licences."
        )
    else:
        yield "None was entered: ask who made this dataset before you use it."
    yield ""


def _limits(
    campaign: Campaign, manifest: Mapping[str, Any], found: CampaignReliability
) -> Iterator[str]:
    """What the counts themselves say against relying on the labels."""
    yield "## Limits"
    yield ""
    counts = most_counted(manifest)
    asked, unjudged = summed(counts, "asked"), summed(counts, "unjudged")
    for name, n in unjudged.items():
        if n:
            yield f"- {name}: {n:,} of {asked[name]:,} targets have no judgment in time."
    imported = sum(part["as_imported"] for part in counts_of_parts(counts))
    if imported:
        yield f"- {imported:,} labels of sentences came with the imported file and are no rater’s."
    late = sum(part["assignments_late"] for part in counts_of_parts(counts))
    if late:
        yield f"- {late:,} submissions came in late; no label counts them."
    skipped = manifest["skipped"]["assignments"]
    if skipped:
        yield f"- Raters skipped items {skipped:,} times: these may be the hard ones."
    if found.missing:
        yield "- How far raters agree is unknown."
    if campaign.state != Campaign.State.CLOSED:
        yield "- The campaign was not closed when this was exported: more judgments may follow."
    if campaign.sampling != Campaign.Sampling.ALL:
        yield (
            f"- The passages are a sample ({campaign.get_sampling_display()}): weigh each by its "
            "`weight`; the shares above do not."
        )
    if campaign.pilot_size:
        yield "- Items of the pilot (`phase`) were judged before the guidelines had settled."
    if len(manifest["campaign"]["guidelines"]) > 1:
        yield "- The guidelines changed on the way: `guidelines` says which version held."
    yield "- Machines wrote or revised the passages; a label speaks of support by the evidence that"
    yield "  raters saw, not of truth."
    yield "- Raters are pseudonymous; what they wrote in comments is theirs and unedited."
    yield ""


def _files(manifest: Mapping[str, Any]) -> Iterator[str]:
    yield "## Files"
    yield ""
    rows = [
        (f"`data/{each['name']}`", name, f"{each['bytes']:,}", f"`{each['sha256'][:16]}…`")
        for name, of_format in manifest["formats"].items()
        for each in of_format["files"]
    ]
    rows += [
        (f"`data/{each['file']}`", "rarr", f"{each['bytes']:,}", f"`{each['sha256'][:16]}…`")
        for each in manifest["revisions"]
    ]
    yield from _table(("file", "format", "bytes", "SHA-256"), rows)
    yield ""
    splits = [of["split"] for of in manifest["formats"].values() if of.get("split")]
    if splits:
        yield (
            f"A question is in `dev` by a hash of its id ({splits[0]['rule']}; dev "
            f"{splits[0]['dev']:g}, salt {json.dumps(splits[0]['salt'], ensure_ascii=False)}), so "
            "later exports agree."
        )
        yield ""
    yield "`manifest.json` has the configuration that made each file and the Python that loads it;"
    yield "`sha256sum --check SHA256SUMS` checks every file."


def _number(counts: Mapping[str, Any], name: str) -> str:
    return f"{counts[name]:,}"


def _share(count: int, n: int) -> str:
    found = share_estimate(count, n)
    if found is None:
        return f"{count:,}"
    if found.low is None or found.high is None:
        return f"{count:,} ({found.value:.0%}) ({found.note('answers')})"
    return f"{count:,} ({found.value:.0%}) [{found.low:.1%}, {found.high:.1%}]"


def _figure(figure: Reliability) -> str:
    if figure.value is None:
        return f"– ({figure.why})" if figure.why else "–"
    ends = "" if figure.low is None else f" [{figure.low:.3f}, {figure.high:.3f}]"
    return f"{figure.value:.3f}{ends}" + (f" ({figure.note})" if figure.note else "")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield "|" + "---|" * len(header)
    for row in rows:
        cells = (re.sub(r"\s+", " ", cell).replace("|", "\\|") for cell in row)
        yield f"| {' | '.join(cells)} |"
