"""Title and page texts of a PDF, read in a limited process."""

import io
import json
import re
import sys
from itertools import accumulate

from pipeline.importing.limited_process import ProcessFailed, limited_input, run_limited

MOST_PAGES = 60
_HYPHEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


def read_pdf(raw: bytes, *, most_characters: int) -> tuple[str, list[str]]:
    """Return the title, and the texts of the first pages up to `most_characters`.

    Stops before an unreadable or slow page. Never raises for a file's content.
    """
    try:
        output = run_limited(__name__, raw)
    except ProcessFailed as failure:
        output = failure.output
    *lines, _ = output.split(b"\n")  # a killed process may print half a line
    title, *pages = map(json.loads, lines or [b'""'])
    before = accumulate(map(len, pages), initial=0)
    return title, [
        page for page, seen in zip(pages, before, strict=False) if seen < most_characters
    ]


def main() -> None:
    raw = limited_input()
    from pypdf import PdfReader

    try:
        reader = PdfReader(io.BytesIO(raw))
        _print(str((reader.metadata and reader.metadata.title) or ""))
        for page in reader.pages[:MOST_PAGES]:
            _print(_HYPHEN.sub("", page.extract_text()))
    except Exception as error:  # noqa: BLE001 - pypdf raises anything
        sys.exit(f"the PDF cannot be read on: {type(error).__name__}")


def _print(text: str) -> None:
    sys.stdout.write(f"{json.dumps(text)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
