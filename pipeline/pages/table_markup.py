"""Figures in percent as tables in LaTeX and HTML print them, and as rows of CSV hold them."""

from dataclasses import dataclass

from pipeline.metrics.inference import Estimate

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
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
    """Both ends in percent; empty where one value alone has none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"[{percent(estimate.low)}, {percent(estimate.high)}]"


def plain(estimate: Estimate) -> str:
    """
    >>> plain(Estimate(value=0.5, n=9, low=0.25, high=0.75))
    '50.0 [25.0, 75.0]'
    """
    return f"{percent(estimate.value)} {interval(estimate)}".strip()


def cells_of_estimate(estimate: Estimate | None) -> tuple[float | None, ...]:
    """Value, n, low and high, from 0 to 1, for a row of CSV."""
    if estimate is None:
        return None, 0, None, None
    return estimate.value, estimate.n, estimate.low, estimate.high


def latex_text(text: str) -> str:
    """The text as LaTeX prints it, on one line.

    >>> latex_text("50 % of A_B & C")
    '50 \\\\% of A\\\\_B \\\\& C'
    """
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))
