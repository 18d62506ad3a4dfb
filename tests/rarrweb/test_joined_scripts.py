"""The script of the page of a task: its modules as one answer."""

import re
from pathlib import Path

import pytest
from django.test import Client

from rarrweb.accounts.models import User
from rarrweb.joined_scripts import EVERY_PAGE, PAGES, join
from tests.support.sources import ROOT


def write(folder: Path, **modules: str) -> None:
    for name, source in modules.items():
        (folder / f"{name}.js").write_text(source)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_gets_its_modules_in_one_answer_and_asks_whether_they_changed(
    client: Client, annotator: User, name: str
) -> None:
    client.force_login(annotator)
    answer = client.get(f"/scripts/{name}.js")
    text = answer.content.decode()
    assert answer["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer["Cache-Control"] == "private, max-age=300"
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE)
    assert len(re.findall(r"^class Saver\b", text, re.MULTILINE)) == 1
    again = client.get(f"/scripts/{name}.js", headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304


def test_a_page_without_a_script_of_its_own_has_none(client: Client, annotator: User) -> None:
    client.force_login(annotator)
    assert client.get("/scripts/palette.js").status_code == 404


def test_it_holds_what_every_other_page_loads_one_by_one() -> None:
    base = (ROOT / "templates" / "base.html").read_text()
    assert tuple(re.findall(r"static 'js/([\w/]+)\.js'", base)) == EVERY_PAGE


def test_a_module_stands_once_after_what_it_imports(tmp_path: Path) -> None:
    write(
        tmp_path,
        words="// Why.\nexport const one = 1;\nexport function two() {\n  return 2;\n}\n",
        first='import { one, two as double } from "./words.js";\nexport class First {}\n',
        second=(
            'import "./first.js";\nimport { one } from "./words.js";\nexport const { a, b } = {};\n'
        ),
    )
    assert join(tmp_path, "first.js", "second.js") == (
        "const m0 = (() => {\nconst one = 1;\nfunction two() {\n  return 2;\n}\n"
        "return { one, two };\n})();\n"
        "const m1 = (() => {\nconst { one, two: double } = m0;\nclass First {}\n"
        "return { First };\n})();\n"
        "const m2 = (() => {\nconst { one } = m0;\nconst { a, b } = {};\n"
        "return {  a, b  };\n})();\n"
    )


@pytest.mark.parametrize(
    "source",
    ['import * as all from "./b.js";\n', "export default 1;\n", "export let count = 0;\n",
     'import { a } from "elsewhere";\n', 'export { a } from "./b.js";\n'],
)  # fmt: skip
def test_what_cannot_be_joined_is_named(tmp_path: Path, source: str) -> None:
    write(tmp_path, a=source, b="export const a = 1;\n")
    with pytest.raises(ValueError, match=r"a\.js: .* cannot be joined"):
        join(tmp_path, "a.js")


def test_a_circle_is_named(tmp_path: Path) -> None:
    write(tmp_path, a='import { b } from "./b.js";\n', b='import { a } from "./a.js";\n')
    with pytest.raises(ValueError, match=r"a\.js imports itself"):
        join(tmp_path, "a.js")


def test_no_text_of_the_scripts_has_a_line_that_looks_like_a_comment() -> None:
    for path in (ROOT / "static" / "js").rglob("*.js"):
        for text in re.findall(r"`[^`]*`", path.read_text()):
            assert not re.search(r"^ *//", text, re.MULTILINE), path
