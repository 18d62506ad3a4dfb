"""Files of answers that cite, to be scored."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.importing.alce_answers import AlceAnswer, alce_answer, read_answers
from pipeline.importing.passages import detect_format, read_passages
from pipeline.importing.rows import Fault, PassageRow, RowError
from pipeline.metrics.citation_marks import cited

FORMATS = ("alce", "contexts")


def read_cited(
    path: Path,
    *,
    format: str = "auto",  # noqa: A002
) -> Iterator[tuple[str, AlceAnswer] | RowError]:
    """Yield each answer, for ALCE's evaluation, or an error, with its position in the file.

    Line breaks in contexts become spaces, as ALCE's evaluation stops there. A cited source without
    text is an error.
    """
    if format == "auto":
        try:
            format = detect_format(path)  # noqa: A001
        except Fault:
            format = "alce"  # noqa: A001  # its reader gives the error
    if format != "contexts":
        for number, item in enumerate(read_answers(path)):
            yield item if isinstance(item, RowError) else (f"data[{number}]", item)
        return
    for row in read_passages(path, format=format):
        answer = row if isinstance(row, RowError) else _answer(row, path.name)
        yield answer if isinstance(answer, RowError) else (f"line {row.line}", answer)


def _answer(row: PassageRow, file: str) -> AlceAnswer | RowError:
    sources = row.source.numbered
    there = {each.number for each in sources if each.text.strip()}
    lacking = [
        number for number in cited(row.text) if 0 < number <= len(sources) and number not in there
    ]
    if lacking:
        problem = f"the answer cites source {lacking[0]}, of which the file has no text"
        return Fault(problem, "add the source's text", field="contexts").at(file, row.line)
    return alce_answer(
        question=row.context,
        output=row.text,
        sources=sources,
        gold=row.source.gold,
    )
