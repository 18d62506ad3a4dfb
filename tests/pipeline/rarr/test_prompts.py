"""The shipped prompts, and a user's that replace them."""

import re
from itertools import chain
from pathlib import Path

import pytest

from pipeline import rarr
from pipeline.generation.prompts import PLACEHOLDERS, load_prompts
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.prompts import ALIASES


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_every_file_is_a_known_prompt_and_no_alias_a_placeholder() -> None:
    files = Path(rarr.__file__).parents[1].glob("*/prompts/*.txt")
    assert {path.stem for path in files} == set(PLACEHOLDERS)
    assert not set(chain(*PLACEHOLDERS.values())) & set(chain(*ALIASES.values()))


@pytest.mark.parametrize(("suffix", "first"), [("", "Passage:"), ("_with_context", "Context:")])
def test_there_are_as_many_demonstrations_as_in_the_paper(suffix: str, first: str) -> None:
    """Figures 13 to 18."""
    for name, count in (("query_generation", 6), ("agreement", 8), ("edit", 7)):
        blocks = load_prompts()[name + suffix].text.split("\n\n")
        assert len(blocks) == count + 2  # the instruction before them, the new input after them
        assert all(block.startswith(first) for block in blocks[1:])


@pytest.mark.parametrize("name", PLACEHOLDERS)
def test_a_shipped_prompt_has_its_placeholders_and_only_a_chat_has_a_system_message_and_tags(
    name: str,
) -> None:
    chat, completion = load_prompts()[name], load_prompts(is_chat=False)[name]
    assert set(re.findall(r"\{(\w+)\}", chat.text)) == set(PLACEHOLDERS[name])
    assert chat.system.startswith("Reply with ")
    assert chat.text.startswith(completion.text.split("\n")[0])
    assert completion.system == ""
    assert not re.search("<(system|passage)>", completion.text)
    assert chat.version != completion.version


@pytest.mark.parametrize(
    ("label", "names"),
    [
        ("Fixed passage: ", ["edit", "edit_with_context", "efec"]),
        ("Revised response: ", ["lamda_revision"]),
        ("Explanation: ", ["passage_nq", "passage_strategyqa"]),
        ("System: ", ["passage_dialog"]),
    ],
)
def test_a_chat_writes_passages_between_tags(label: str, names: list[str]) -> None:
    for name in names:
        chat, completion = load_prompts()[name], load_prompts(is_chat=False)[name]
        assert "between <passage> and </passage>" in chat.system
        demonstrations = chat.text.split("\n\n")[1:-1]
        tagged = re.compile(rf"^{label}<passage>(.+)</passage>$", re.MULTILINE)
        assert all(len(tagged.findall(each)) == 1 for each in demonstrations)
        assert tagged.sub(rf"{label}\1", chat.text) == completion.text


def test_a_users_file_may_begin_with_a_system_message(tmp_path: Path) -> None:
    shorter = "\n<system>\nBe\nshort. </system>\n<passage>{claim} {query} {evidence}"
    write(tmp_path, "edit.txt", shorter)
    write(tmp_path, "efec.txt", "Mend <system>: <passage>{text}</passage> {evidence}")
    for is_chat in (True, False):
        mine = load_prompts(tmp_path, is_chat=is_chat)
        assert mine["edit"].system == ("Be\nshort." if is_chat else "")
        tag = "<passage>" if is_chat else ""
        assert mine["edit"].text == f"{tag}{{claim}} {{query}} {{evidence}}"
        assert (mine["efec"].system, mine["efec"].text) == ("", mine["efec"].content)


def test_braces_in_values_are_literal() -> None:
    template = load_prompts()["agreement"]
    text = template.render(passage="{query} {x}", query="{evidence} \\1", evidence="100 %{}")
    assert text.endswith("Passage: {query} {x}\nQuestion: {evidence} \\1\nEvidence: 100 %{}\n")
    # The model continues the line of a final label.
    assert load_prompts()["query_generation"].render(passage="A.").endswith("A.\nQuestions:")


def test_the_model_stops_at_the_label_of_a_new_example(tmp_path: Path) -> None:
    shipped = load_prompts()
    assert shipped["edit"].stop == ("\nPassage:",)
    assert shipped["edit_with_context"].stop == ("\nContext:",)
    mine = load_prompts(write(tmp_path, "edit.txt", "(8) You said: {text}\n{query}\n{evidence}"))
    assert mine["edit"].stop == ("You said:",)
    same = "\n1. You said: Ice.\n\n1. You said: {text}\n{query}\n{evidence}"
    assert load_prompts(write(tmp_path, "edit.txt", same))["edit"].stop == ("\n1. You said:",)
    mine = load_prompts(write(tmp_path, "edit.txt", "{passage} {query} {evidence}"))
    assert mine["edit"].stop == ()


def test_a_users_file_replaces_the_shipped_one(tmp_path: Path) -> None:
    shipped = load_prompts()
    write(tmp_path, "README.md", "ours")
    mine = load_prompts(write(tmp_path, "agreement.txt", "{claim}\r\n{query}\n{evidence}\n\n"))
    assert mine["agreement"].render(passage="A.", query="q", evidence="e") == "A.\nq\ne\n"
    assert mine["edit"].version == shipped["edit"].version


def test_the_version_changes_with_the_text_only(tmp_path: Path) -> None:
    shipped = load_prompts()
    assert load_prompts().version == shipped.version
    same = write(tmp_path, "edit.txt", shipped["edit"].content + "\n")
    assert load_prompts(same).version == shipped.version
    write(tmp_path, "edit.txt", shipped["edit"].content.replace("as it is.", "as it was."))
    assert load_prompts(tmp_path).version != shipped.version


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("edits.txt", b"{passage}", r"edits\.txt is no prompt's file: name it one of"),
        ("edit.md", b"{passage}", r"edit\.md is no prompt's file"),
        ("edit.txt", b"{passage} {query}", r"edit\.txt has no \{evidence\}: write it where"),
        ("edit.txt", b"<system>{passage} {query} {evidence}", r"edit\.txt has no </system>: write"),
        ("edit.txt", b"\xff\xfe{", r"edit\.txt is not UTF-8 text"),
    ],
)
def test_an_invalid_file_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadConfig, match=message):
        load_prompts(tmp_path)
    with pytest.raises(BadConfig, match="There is no folder"):
        load_prompts(tmp_path / "none")
