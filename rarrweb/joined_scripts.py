"""Modules that the page of a task always loads, all of them as one script.

The files stay what they are: other pages load them one by one. Thirty answers have a head each and
are packed each alone, and a module's imports are known only once it is there.
"""

import re
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

EVERY_PAGE = ("saving/unsaved_answers", "palette", "menus", "limits")
"""What `templates/base.html` loads, too."""
BESIDE = ("asking",)
PAGES = {
    name: tuple(f"{each}.js" for each in (*EVERY_PAGE, page, *BESIDE))
    for name, page in (
        ("attribution", "attribution/page"),
        ("judging", "judging/page"),
        ("revising", "judging/revising"),
    )
}
"""The script of a page: its modules, in the order in which they run."""

_IMPORT = re.compile(r'^import (?:(\{[^}]+\}) from )?"(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(
    r"^export (?=(?:(?:async )?function\*? |class |const )(?:(\w+)|\{([\w, ]+)\}))", re.MULTILINE
)
_COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


@require_safe
@cache_control(private=True, max_age=settings.WHITENOISE_MAX_AGE)
@conditional_page
def joined_script(request: HttpRequest, name: str) -> HttpResponse:
    if name not in PAGES:
        raise Http404
    folder = settings.BASE_DIR / "static" / "js"
    return HttpResponse(join(folder, *PAGES[name]), content_type="text/javascript; charset=utf-8")


def join(folder: Path, *names: str) -> str:
    """The modules `names` and all that they import, as one module; each stands once, after those
    that it imports, in a function of its own.

    Raises ValueError where modules import each other in a circle, or where one imports or exports
    in another way than `import { a, b as c } from "./file.js"`, `import "./file.js"` and
    `export function`, `class` or `const`.
    """
    numbers: dict[Path, int] = {}
    begun: set[Path] = set()
    parts: list[str] = []

    def add(path: Path) -> int:
        if path in numbers:
            return numbers[path]
        if path in begun:
            raise ValueError(f"{path.name} imports itself, by way of others.")
        begun.add(path)

        def imported(found: re.Match[str]) -> str:
            number = add((path.parent / found[2]).resolve())
            return f"const {found[1].replace(' as ', ': ')} = m{number};\n" if found[1] else ""

        source = _IMPORT.sub(imported, _COMMENT.sub("", path.read_text(encoding="utf-8")))
        exported = ", ".join(one or several for one, several in _EXPORT.findall(source))
        source = _EXPORT.sub("", source)
        if left := _LEFT.search(source):
            raise ValueError(f"{path.name}: {left[0]!r} cannot be joined.")
        number = numbers[path] = len(numbers)
        parts.append(f"const m{number} = (() => {{\n{source}return {{ {exported} }};\n}})();\n")
        return number

    for name in names:
        add((folder / name).resolve())
    return "".join(parts)
