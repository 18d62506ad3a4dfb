"""No module switches a protection off or runs what it reads."""

import ast

from tests.support.sources import PYTHON, name_of

UNSAFE_CALLS = {"mark_safe", "SafeString", "SafeText", "format_html_join", "csrf_exempt"}
UNSAFE_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "yaml"}


def unsafe_in(source: str) -> set[str]:
    """Names in a source that switch a protection off or run what they read."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            found |= {name} & UNSAFE_CALLS
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {alias.name for alias in node.names}
            if isinstance(node, ast.ImportFrom):
                found |= names & UNSAFE_CALLS
                names = {node.module or ""}
            found |= {name.partition(".")[0] for name in names} & UNSAFE_MODULES
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in {"eval", "exec", "os.system", "os.popen"}:
                found.add(called)
            if any(
                word.arg == "shell" and ast.unparse(word.value) == "True" for word in node.keywords
            ):
                found.add("shell=True")
    return found


def test_no_module_switches_a_protection_off() -> None:
    assert {name_of(path): found for path in PYTHON if (found := unsafe_in(path.read_text()))} == {}


def test_the_search_for_unsafe_calls_finds_them() -> None:
    source = (
        "from django.utils.safestring import mark_safe\nimport pickle\n"
        "@csrf_exempt\ndef f(): eval('1')\nsubprocess.run('x', shell=True)"
    )
    assert unsafe_in(source) == {"mark_safe", "pickle", "csrf_exempt", "eval", "shell=True"}
