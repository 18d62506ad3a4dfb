"""A set of supported sentences, some with one number, year or name swapped for a wrong one.

The wrong value comes from another row's sentence, is of the same kind, and does not stand in the
evidence; the right one does. What counts as a value is decided here by plain patterns of its own,
so that the set owes nothing to the rules that are measured with it.
"""

import hashlib
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CITATION = re.compile(r"\[[\d,\s\-–]+\]")
YEAR = re.compile(r"(?<![\d.,$£€\w])(?:1[0-9]\d\d|20[0-2]\d)(?![\d%\w]|[.,]\d)")
NUMBER = re.compile(r"(?<![\d.,\w])\d+(?:,\d{3})*(?:\.\d+)?(?![\d]|[.,]\d)")
NUMBER_WORD = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty)\b"
)
NAME = re.compile(
    r"\b[A-Z][\w’'\-]*[a-z][\w’'\-]*(?:\s+(?:(?:of|the|de|van|von)\s+)*[A-Z][\w’'\-]*[a-z]\w*)*"
)
NOT_A_NAME = re.compile(
    r"^(?:The|A|An|In|On|It|He|She|They|This|That|These|Those|For|However|When|While|If|As|At|By|To"
    r"|January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Additionally|Some|There|Its|His|Her"
    r"|According|After|Before|During|From|With|And|But|Or|What|Who|How|Title|Text|Section)\b"
)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A sentence that its evidence supports."""

    id: str
    source: str
    sentence: str
    context: str
    evidence: str
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One passage to revise: `text` should become `sound`."""

    id: str
    source: str
    kind: str
    """number, year, name; or sound for an untouched sentence"""
    text: str
    sound: str
    context: str
    evidence: str
    title: str
    old: str = ""
    new: str = ""

    @property
    def half(self) -> str:
        """tuning or held-out, by the sound sentence, so that a row's cases stay together."""
        return "tuning" if hashlib.sha256(self.sound.encode()).digest()[0] % 2 else "held-out"


@dataclass(kw_only=True)
class SwapSet:
    cases: list[Case] = field(default_factory=list)
    documents: list[dict[str, str]] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """cases.jsonl, passages.jsonl (for `revise`) and corpus.jsonl."""
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "cases.jsonl", (case.__dict__ for case in self.cases))
        _write(
            folder / "passages.jsonl",
            ({"id": c.id, "text": c.text, "context": c.context} for c in self.cases),
        )
        _write(folder / "corpus.jsonl", self.documents)


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def supported_rows(path: Path, source: str = "") -> list[Row]:
    """The supported rows of an attribution or NLI file."""
    rows = []
    for number, row in enumerate(read_jsonl(path)):
        if row["label"] not in (1, "entailment") or not row["hypothesis"].strip():
            continue
        title, text = split_title(row["premise"])
        rows.append(
            Row(
                id=str(row.get("id", f"{path.stem}-{number}")),
                sentence=row["hypothesis"].strip(),
                source=row.get("src") or source or path.stem,
                context=row.get("context") or "",
                evidence=text,
                title=title,
            )
        )
    return rows


def split_title(premise: str) -> tuple[str, str]:
    match = re.match(r"Title: ([^\n]*)\n+(?:Section: [^\n]*\n+)?(?:Text: )?", premise)
    if match:
        return match[1].strip()[:300], premise[match.end() :]
    match = re.match(r"\(meta data\) TITLE: ([^\n(#]*)", premise)
    return (match[1].strip()[:300] if match else ""), premise


def values(sentence: str) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of what may be swapped in a sentence."""
    bare = CITATION.sub(lambda m: " " * len(m.group()), sentence)
    years = [match.span() for match in YEAR.finditer(bare)]
    for start, end in years:
        yield "year", start, end
    for pattern in (NUMBER, NUMBER_WORD):
        for match in pattern.finditer(bare):
            if not any(a <= match.start() < b for a, b in years):
                yield "number", *match.span()
    for match in NAME.finditer(bare):
        opens = match.start() == 0 or re.search(r"[.!?:]\s+$", bare[: match.start()])
        if NOT_A_NAME.match(match.group()) or (opens and " " not in match.group()):
            continue
        name = re.sub(r"['’]s?$|[\-]+$", "", match.group())
        yield "name", match.start(), match.start() + len(name)


def _stands(value: str, text: str) -> bool:
    edge = r"(?<!\w)(?<!\d[.,])" + re.escape(value) + r"(?!\w|[.,]\d)"
    return re.search(edge, text, re.IGNORECASE) is not None


def make_cases(rows: list[Row], *, seed: int = 20, swaps_per_row: int = 1) -> list[Case]:
    """Each row untouched, and up to `swaps_per_row` times with one value swapped."""
    rng = random.Random(seed)
    pool: dict[str, list[str]] = {"number": [], "year": [], "name": []}
    for row in rows:
        for kind, start, end in values(row.sentence):
            pool[kind].append(row.sentence[start:end])
    cases = []
    for row in rows:
        base = {
            "source": row.source, "context": row.context, "sound": row.sentence,
            "evidence": row.evidence, "title": row.title,
        }  # fmt: skip
        cases.append(Case(id=f"{row.id}#sound", kind="sound", text=row.sentence, **base))
        possible = [
            each for each in values(row.sentence)
            if _stands(row.sentence[each[1] : each[2]], row.evidence)
            and row.sentence.count(row.sentence[each[1] : each[2]]) == 1
        ]  # fmt: skip
        rng.shuffle(possible)
        for number, (kind, start, end) in enumerate(possible[:swaps_per_row]):
            right = row.sentence[start:end]
            wrong = _wrong_value(kind, right, row, pool, rng)
            if wrong:
                text = row.sentence[:start] + wrong + row.sentence[end:]
                cases.append(
                    Case(
                        id=f"{row.id}#{number}", kind=kind, text=text, old=right, new=wrong, **base
                    )
                )
    return cases


def _wrong_value(
    kind: str, right: str, row: Row, pool: dict[str, list[str]], rng: random.Random
) -> str:
    everything = f"{row.evidence}\n{row.title}\n{row.sentence}\n{row.context}"
    for _ in range(40):
        wrong = rng.choice(pool[kind])
        if kind == "number" and wrong.isalpha() != right.isalpha():
            continue
        if wrong != right and not _stands(wrong, everything):
            return wrong
    return ""


def documents_of(rows: Iterable[Row]) -> list[dict[str, str]]:
    """The evidence of all rows as a corpus, each text once."""
    known: dict[str, dict[str, str]] = {}
    for row in rows:
        known.setdefault(
            row.evidence,
            {"id": f"d{len(known)}", "title": row.title, "url": "", "text": row.evidence},
        )
    return list(known.values())


def dev_set(data: Path, *, swaps_per_row: int = 1) -> SwapSet:
    """The set that the figures are about: supported rows of attributionbench_dev and WiCE."""
    rows = supported_rows(data / "dev" / "attributionbench_dev.jsonl")
    rows += supported_rows(data / "dev" / "wice_claim_dev.jsonl", "WiCE")
    once = list({row.sentence: row for row in reversed(rows)}.values())[::-1]
    return SwapSet(
        cases=make_cases(once, swaps_per_row=swaps_per_row), documents=documents_of(rows)
    )
