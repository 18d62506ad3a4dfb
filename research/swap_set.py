"""A set of supported sentences, some with one number, year or name swapped for a wrong one.

A far swap's wrong value comes from another row's sentence, is of the same kind, and does not
stand in the evidence; the right one does. A near swap's wrong value is another value of the same
kind from the same evidence, so that no count of shared words can tell it. What counts as a value
is decided here by plain patterns of its own, so that the set owes nothing to the rules that are
measured with it.
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
PLAIN_WORD = re.compile(r"\w+")
NEAR_VERBATIM = 0.85
LONGEST_VALUE = 40
"""Characters of a near swap's wrong value; a longer "name" is a list without its commas."""
FUNCTION_WORD = re.compile(
    r"the|an?|of|in|on|at|to|for|and|or|is|was|were|are|be|been|by|with|as|that|this|it|its|his|her"
    r"|their|from|which|whom?|had|has|have|he|she|they|also|but|not|after|before|into|over|under"
    r"|than|then|when|while|during|most|more"
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
    is_near: bool = False
    """Whether the wrong value stands elsewhere in the same evidence."""

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


def stands(value: str, text: str) -> bool:
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
            if stands(row.sentence[each[1] : each[2]], row.evidence)
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
        if wrong != right and not stands(wrong, everything):
            return wrong
    return ""


def near_cases(rows: list[Row], *, seed: int = 30, swaps_per_row: int = 1) -> list[Case]:
    """Each row up to `swaps_per_row` times with one value swapped for another of its evidence.

    The right value stands in the evidence too; the wrong one not in the sentence, the title or
    the context, and it shares no word with the right one.
    """
    rng = random.Random(seed)
    cases = []
    for row in rows:
        offered: dict[str, list[str]] = {"number": [], "year": [], "name": []}
        for kind, start, end in values(row.evidence):
            offered[kind].append(row.evidence[start:end])
        possible = list(values(row.sentence))
        rng.shuffle(possible)
        made = 0
        for kind, start, end in possible:
            right = row.sentence[start:end]
            if made == swaps_per_row:
                break
            if not stands(right, row.evidence) or row.sentence.count(right) != 1:
                continue
            wrong = _near_value(kind, right, row, offered, rng)
            if wrong:
                cases.append(
                    Case(
                        id=f"{row.id}#near{made}", kind=kind, source=row.source,
                        context=row.context, sound=row.sentence, evidence=row.evidence,
                        title=row.title, old=right, new=wrong, is_near=True,
                        text=row.sentence[:start] + wrong + row.sentence[end:],
                    )
                )  # fmt: skip
                made += 1
    return cases


def _near_value(
    kind: str, right: str, row: Row, offered: dict[str, list[str]], rng: random.Random
) -> str:
    taken = f"{row.sentence}\n{row.title}\n{row.context}"
    words = set(PLAIN_WORD.findall(right.lower()))
    wrong = [
        value
        for value in sorted(set(offered[kind]))
        if len(value) <= LONGEST_VALUE
        and not stands(value, taken)
        and not words & set(PLAIN_WORD.findall(value.lower()))
        and (kind != "number" or value.isalpha() == right.isalpha())
    ]
    return rng.choice(wrong) if wrong else ""


def documents_of(rows: Iterable[Row]) -> list[dict[str, str]]:
    """The evidence of all rows as a corpus, each text once."""
    known: dict[str, dict[str, str]] = {}
    for row in rows:
        known.setdefault(
            row.evidence,
            {"id": f"d{len(known)}", "title": row.title, "url": "", "text": row.evidence},
        )
    return list(known.values())


def content_share(row: Row) -> float:
    """The share of the sentence's content words, by plain spelling, that its evidence holds."""
    known = {word.lower() for word in PLAIN_WORD.findall(f"{row.title} {row.evidence}")}
    wanted = {
        word.lower()
        for word in PLAIN_WORD.findall(CITATION.sub("", row.sentence))
        if not FUNCTION_WORD.fullmatch(word.lower())
    }
    return len(wanted & known) / max(1, len(wanted))


def dev_sets(data: Path) -> dict[str, SwapSet]:
    """The sets that the figures are about, by their names.

    "dev" is every supported row of attributionbench_dev and WiCE with one far and one near swap
    at most. "near-verbatim" is the part of them whose evidence holds 85 % of the content words,
    with every value swapped once each way, each in a case of its own.
    """
    rows = supported_rows(data / "dev" / "attributionbench_dev.jsonl")
    rows += supported_rows(data / "dev" / "wice_claim_dev.jsonl", "WiCE")
    once = list({row.sentence: row for row in reversed(rows)}.values())[::-1]
    documents = documents_of(rows)
    return {
        "dev": SwapSet(cases=make_cases(once) + near_cases(once), documents=documents),
        "near-verbatim": SwapSet(
            cases=make_cases(near_verbatim(once), seed=21, swaps_per_row=99)
            + near_cases(near_verbatim(once), seed=31, swaps_per_row=99),
            documents=documents,
        ),
    }


def near_verbatim(rows: Iterable[Row]) -> list[Row]:
    """The rows whose evidence holds `NEAR_VERBATIM` of the sentence's content words."""
    return [row for row in rows if content_share(row) >= NEAR_VERBATIM]
