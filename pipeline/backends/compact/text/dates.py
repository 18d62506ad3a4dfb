"""Dates, years, decades and centuries in any order of parts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NAMES = """January February March April May June July August September October November
    December"""
MONTHS = _NAMES.split()
_MONTH_OF = {form.lower(): n for n, name in enumerate(MONTHS, 1) for form in (name, name[:3])}
_MONTH_OF["sept"] = 9
_MONTH = r"(?:" + "|".join(MONTHS) + r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
# "February 230" and "1940 January 1957" are wrong, but dates.
_DAY = r"\d{1,3}(?:st|nd|rd|th)?"
_YEAR = r"\d{4}"
DATE = re.compile(
    rf"\b(?:(?P<d1>{_DAY}|\d{{4}}(?=\s+{_MONTH}\s+{_YEAR}\b))(?:\s+of)?\s+(?P<m1>{_MONTH})(?:,?\s+(?P<y1>{_YEAR})\b)?"
    rf"|(?P<m2>{_MONTH})\s+(?P<d2>{_DAY})\b(?:,?\s+(?P<y2>{_YEAR})\b)?"
    rf"|(?P<m3>{_MONTH}),?\s+(?:of\s+)?(?P<y3>{_YEAR})\b"
    r"|(?P<y4>\d{4})-(?P<m4>0\d|1[0-2])-(?P<d4>[0-2]\d|3[01])\b)"
)
_LONE_MONTH = re.compile(
    r"\b(?:in|of|since|until|till|by|from|to|between|and|during|early|late|mid|last|next|each|every)"
    rf"[ \-](?P<month>{'|'.join(MONTHS)})\b(?!,?\s+(?:of\s+)?\d)"
)
YEAR = re.compile(
    r"(?<![\w$€£¥.,])(?:"
    r"(?P<era>\d{1,4})\s?(?P<name>B\.C\.(?:E\.)?|BCE?|A\.D\.|AD|C\.E\.|CE)(?![A-Za-z])"
    r"|A\.?D\.?\s(?P<ad>\d{1,4})\b"
    r"|(?P<year>1\d{3}|20\d{2})(?P<decade>['’]?s\b)?(?![\d%]|,\d{3}|\.\d|-(?:metre|meter|foot|year))"
    r")"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarDate:
    """A date; None for unknown parts. Years BC are negative."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    is_decade: bool = False

    def agrees_with(self, other: "CalendarDate") -> bool:
        """Check that both may be the same day and share a part."""
        scale = 10 if self.is_decade or other.is_decade else 1
        shared = [
            (mine // unit, theirs // unit)
            for mine, theirs, unit in (
                (self.year, other.year, scale),
                (self.month, other.month, 1),
                (self.day, other.day, 1),
            )
            if mine is not None and theirs is not None
        ]
        return bool(shared) and all(mine == theirs for mine, theirs in shared)

    @property
    def parts(self) -> int:
        return sum(part is not None for part in (self.year, self.month, self.day))


def find_dates(text: str) -> Iterator[tuple[int, int, CalendarDate]]:
    """Yield (start, end, date) of dates with a month, and of lone months."""
    for match in DATE.finditer(text):
        part = {name[0]: value for name, value in match.groupdict().items() if value}
        month = part["m"].rstrip(".").lower()
        date = CalendarDate(
            year=int(part["y"]) if "y" in part else None,
            month=int(month) if month.isdigit() else _MONTH_OF[month],
            day=int(part["d"].rstrip("stndrh")) if "d" in part else None,
        )
        yield match.start(), match.end(), date
    for match in _LONE_MONTH.finditer(text):
        yield *match.span("month"), CalendarDate(month=_MONTH_OF[match["month"].lower()])


def find_years(text: str) -> Iterator[tuple[int, int, CalendarDate]]:
    """Yield (start, end, date) of years, decades and years with an era."""
    for match in YEAR.finditer(text):
        year = int(match["era"] or match["ad"] or match["year"])
        is_before_christ = (match["name"] or "").upper().startswith("B")
        date = CalendarDate(
            year=-year if is_before_christ else year, is_decade=bool(match["decade"])
        )
        yield match.start(), match.end(), date


def written_like(date: CalendarDate, pattern: str) -> str | None:
    """Format `date` like the date `pattern`; None if that is no date.

    >>> written_like(CalendarDate(year=1932, month=5, day=9), "June 3, 1975")
    'May 9, 1932'
    """
    if pattern in MONTHS and date.month is not None:
        return MONTHS[date.month - 1]
    match = DATE.fullmatch(pattern)
    if match is None:
        return None
    text = pattern
    named = [(match.span(name), name) for name, value in match.groupdict().items() if value]
    for (start, end), name in sorted(named, reverse=True):
        text = text[:start] + _part_like(date, name, pattern[start:end]) + text[end:]
    return text


def _part_like(date: CalendarDate, name: str, old: str) -> str:
    value = {"y": date.year, "m": date.month, "d": date.day}[name[0]]
    if value is None:
        return old
    if name[0] == "y" or name[1] == "4":
        return f"{value:02d}"
    if name[0] == "d" and old[-1].isalpha():
        ending = {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
        return f"{value}th" if 11 <= value <= 13 else f"{value}{ending}"
    if name[0] == "d":
        return str(value)
    month = MONTHS[value - 1]
    if old.rstrip(".") in MONTHS:
        return month
    return month[:3] + ("." if old.endswith(".") else "")
