"""Tables of runs as files: figures in percent in LaTeX and HTML, from 0 to 1 in CSV."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from pipeline.metrics.differences import NO_LEAD, Lead
from pipeline.metrics.inference import Estimate
from rarrweb.csv import table_text

ENDS = ("", "_n", "_low", "_high", "_note")
"""What the names of the columns of `cells_of_estimate` end with."""
LEAD_ENDS = tuple(f"_lead{end}" for end in (*ENDS, "_p_holm"))
"""And those of `cells_of_lead`."""

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    # At the start of a row, [ and * would be arguments of the \\ before it.
    "[": "{[}", "]": "{]}", "*": "{*}",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Markup:
    """How the parts of a figure are marked: `%s` is what stands there."""

    none: str
    before: str
    best: str
    small: str

    def figure(
        self,
        estimate: Estimate | None,
        *,
        before: Estimate | None = None,
        is_best: bool = False,
        note: str = "",
    ) -> str:
        """A share in percent with its interval, what stood there before it, and a note.

        >>> HTML.figure(Estimate(value=0.5, n=9, low=0.25, high=0.75), is_best=True, note="SD 1.0")
        '<b>50.0</b> <small>[25.0, 75.0] SD 1.0</small>'
        >>> LATEX.figure(None)
        '--'
        """
        if estimate is None:
            return self.none
        value = percent(estimate.value)
        said = f"{interval(estimate)} {note}".strip()
        return (
            (self.before % percent(before.value) if before else "")
            + (self.best % value if is_best else value)
            + (self.small % said if said else "")
        )


LATEX = Markup(none="--", before=r"%s $\to$ ", best=r"\textbf{%s}", small=r" {\scriptsize %s}")
HTML = Markup(none="–", before="%s → ", best="<b>%s</b>", small=" <small>%s</small>")


def percent(value: float) -> str:
    """
    >>> percent(0.1234)
    '12.3'
    """
    return f"{100 * value:.1f}"


def interval(estimate: Estimate) -> str:
    """Both ends in percent, or why there is no interval."""
    if estimate.low is None or estimate.high is None:
        return f"({estimate.note()})"
    return f"[{percent(estimate.low)}, {percent(estimate.high)}]"


def cells_of_estimate(estimate: Estimate | None) -> tuple[float | str | None, ...]:
    """Value, n, low and high, from 0 to 1, and the note on the interval, for a row of CSV."""
    if estimate is None:
        return None, 0, None, None, ""
    return estimate.value, estimate.n, estimate.low, estimate.high, estimate.note()


def cells_of_lead(lead: Lead | None) -> tuple[float | str | None, ...]:
    """The same of a difference, and its p."""
    estimate, p = lead or NO_LEAD
    return *cells_of_estimate(estimate), p


def csv_text(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """To copy from a page, too, so without a byte order mark."""
    return table_text(heads, rows).removeprefix("\ufeff")


def latex_text(text: str) -> str:
    """The text as LaTeX prints it, on one line.

    >>> latex_text("50 % of A_B & C")
    '50 \\\\% of A\\\\_B \\\\& C'
    """
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))


def latex_table(columns: str, lines: Iterable[str], *, notes: Iterable[str]) -> str:
    """A whole table with the rules of booktabs; `notes` are comments above it."""
    return "\n".join([
        *(f"% {note}" for note in notes),
        rf"\begin{{tabular}}{{{columns}}}", r"\toprule",
        *lines,
        r"\bottomrule", r"\end{tabular}", "",
    ])  # fmt: skip


def latex_row(*cells: str) -> str:
    r"""
    >>> latex_row("System", "F1")
    'System & F1 \\\\'
    """
    return " & ".join(cells) + r" \\"


def html_row(name: str, cells: Iterable[str]) -> str:
    """A row of HTML by its name, which is escaped here."""
    figures = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row">{escape(name)}</th>{figures}</tr>'


def note_of(said: str, leads: Mapping[str, Lead], *, is_reference: bool) -> str:
    """A sentence about a row: what is said of it, and its differences with their p."""
    for name, lead in leads.items():
        if lead.estimate:
            p = "" if lead.p is None else f", p = {lead.p:.3g} (Holm)"
            between = f"{percent(lead.estimate.value)} {interval(lead.estimate)}".strip()
            said += f"; {name} minus reference {between}{p}"
    return " ".join(f"{said}{'; the reference' if is_reference else ''}.".split())
