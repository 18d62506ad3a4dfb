"""A model card as Markdown: docs/model-card.md."""

from collections.abc import Iterator, Sequence

from pipeline.backends.model_cards import Ablations, Figure, ModelCard, in_digits


def card_text(card: ModelCard) -> str:
    """The whole page; it ends with a line break."""
    return "\n".join(_lines(card)) + "\n"


def _lines(card: ModelCard) -> Iterator[str]:
    facts, weights = card.facts, card.weights
    yield f"# {facts.title}: model card"
    yield from ("", "Written by `python -m pipeline.backends.compact.training.card`; do not edit.")
    yield from ("", facts.summary, "")
    start = f"{facts.start.name} ({facts.start.licence}, sha256 `{facts.start.sha256}`)"
    size = f"{weights.bytes / 1e6:.1f} MB, {weights.parameters:,} parameters"
    yield from _table(
        ("", ""),
        [
            ("Version", facts.version),
            ("Measured on", card.date),
            ("Weights", f"`{weights.file}`, {size}"),
            ("SHA-256", f"`{weights.sha256}`"),
            *([("Fitted constants", f"`{weights.constants}`")] if weights.constants else []),
            ("Licence", facts.licence),
            ("Started from", start),
        ],
    )
    yield from ("", "## Meant for", "")
    yield from (f"- {text}" for text in facts.meant_for)
    yield from ("", "Not meant for:", "")
    yield from (f"- {text}" for text in facts.not_meant_for)
    yield from ("", "## Figures", "")
    yield (
        "In brackets the 95 % interval; n counts rows, or groups of which the best row counts. AUC "
        "is the area under the ROC curve: how often a supported sentence gets a higher score than "
        "one that is not. Word share is the same area of the plain share of the sentence's content "
        "words found in the evidence. ECE is the expected calibration error. None of these sets "
        "was trained on."
    )
    yield ""
    yield from _table(
        ("Dataset", "n", "AUC", "Word share", "Right at 0.5", "ECE"),
        [_figure_row(figure) for figure in card.figures],
    )
    yield from ("", facts.calibration)
    if card.measures:
        yield from ("", "## Other figures", "")
        yield from _table(
            ("What", "Dataset", "Figure", "n", "Against"),
            [
                (
                    each.what,
                    each.dataset or "–",
                    in_digits(each.figure, unit=each.unit),
                    _count(each.n),
                    each.baseline or "–",
                )
                for each in card.measures
            ],
        )
    yield from ("", "## Data", "")
    yield from _table(
        ("Set", "Rows", "What", "Licence"),
        [
            (
                data.name,
                f"{data.rows:,}",
                data.what,
                data.licence + (" (share-alike)" if data.is_share_alike else ""),
            )
            for data in facts.data
        ],
    )
    yield from ("", facts.data_note, "", facts.licence_note)
    yield from ("", "## Recipe", "")
    yield from (f"- **{step.title}.** {step.text}" for step in facts.recipe)
    if card.ablations:
        yield from ("", "## Ablations")
    for table in card.ablations:
        yield from ("", f"### {table.title}", "", table.what, "")
        yield from _ablation_table(table)
    yield from ("", "## Known failures", "")
    yield from (f"- {text}" for text in facts.failures)


def _figure_row(figure: Figure) -> tuple[str, ...]:
    return (
        f"**{figure.title}**: {figure.what}",
        _count(figure.n) + (f" in {figure.groups:,} groups" if figure.groups else ""),
        in_digits(figure.auc),
        "–" if figure.baseline is None else f"{figure.baseline:.2f}",
        "–" if figure.accuracy is None else in_digits(figure.accuracy),
        "–" if figure.ece is None else f"{figure.ece:.2f}",
    )


def _ablation_table(ablations: Ablations) -> Iterator[str]:
    titles = [
        column.title + (f" (n {column.n:,})" if column.n else "") for column in ablations.columns
    ]
    return _table(
        ("Variant", *titles),
        [
            (row.name, *("–" if cell is None else in_digits(cell) for cell in row.cells))
            for row in ablations.rows
        ],
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for cells in (head, ["---"] * len(head), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _count(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"
