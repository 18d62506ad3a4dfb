"""Formats of figures on pages, in tables and in files."""


def signed(value: float) -> str:
    """Format a difference with its sign and two digits.

    >>> signed(0.324), signed(-0.1), signed(0.0), signed(-0.001)
    ('+0.32', '−0.10', '0.00', '0.00')
    """
    rounded = round(value, 2)
    sign = "+" if rounded > 0 else "−" if rounded < 0 else ""
    return f"{sign}{abs(rounded):.2f}"


def share(value: float | str | None) -> str:
    """Format a figure of at most 1, never rounded up to 1.

    >>> share(None), share(0.505), share(0.994), share(0.999), share(1.0)
    ('–', '0.51', '0.99', '0.99', '1.00')
    >>> share(-0.5), share(-0.001)
    ('−0.50', '0.00')
    """
    if value is None or isinstance(value, str):  # a missing value is "" in a template
        return "–"
    text = "0.99" if 0.99 < value < 1 else f"{abs(value):.2f}"
    return f"−{text}" if value < 0 and text != "0.00" else text


def seconds(value: float | str | None) -> str:
    """Format a duration in ms, s or min.

    >>> seconds(0.0421), seconds(0.42), seconds(59.9), seconds(90), seconds(None), seconds("")
    ('42 ms', '0.4 s', '59.9 s', '1.5 min', '–', '–')
    """
    if value is None or isinstance(value, str):
        return "–"
    if value < 0.1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 60 else f"{value / 60:.1f} min"


def figure(value: float, kind: str) -> str:
    """Format a figure by the kind of its column.

    >>> figure(0.5, "share"), figure(0.5, "signed"), figure(2, "number"), figure(0.001, "cost")
    ('0.50', '+0.50', '2.0', '0.00100')
    """
    if kind in ("number", "cost"):
        return f"{value:.{1 if kind == 'number' else 5}f}"
    words = {"share": share, "seconds": seconds, "signed": signed}
    return words[kind](value)
