"""Documents out of folders, archives and JSON lines."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from pipeline.importing import corpus_files, limited_process, packed_files
from pipeline.importing.corpus_files import read_corpus, read_documents
from pipeline.importing.rows import DocumentRow, RowError, UnreadableFile
from pipeline.rarr.errors import RarrError
from pipeline.rarr.types import Document

PAGE = """<html><head><title>Rivers &amp; seas</title>
<link rel="canonical" href="https://example.org/rivers"></head>
<body><nav><a href="/">Menu of the site</a></nav><h1>Rivers</h1>
<p>The Ribble runs <b>west</b>.</p><h2>Course</h2><p>It begins near Ribblehead.</p>
<script>alert("no")</script><style>p { color: red }</style></body></html>"""


def errors_of(path: Path, **columns: str) -> list[str]:
    read = read_corpus(path, columns=columns)
    return [str(item) for item in read if isinstance(item, RowError)]


def test_a_folder_gives_a_document_a_file_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two_words.txt").write_bytes(b"\xef\xbb\xbfPlain.\r\nMore.")
    (tmp_path / "a.md").write_text("# The Ribble\n\nIt runs west.")
    (tmp_path / "c.htm").write_text(PAGE)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden.txt").write_text("no")
    markdown = Document(id="a.md", title="The Ribble", url="", text="# The Ribble\n\nIt runs west.")
    plain = Document(id="b/two_words.txt", title="two words", url="", text="Plain.\nMore.")
    text = "# Rivers\nThe Ribble runs west.\n## Course\nIt begins near Ribblehead."
    url = "https://example.org/rivers"
    page = Document(id="c.htm", title="Rivers & seas", url=url, text=text)
    assert list(read_documents(tmp_path)) == [markdown, plain, page]


def test_markdown_loses_its_front_matter_and_code_is_no_heading(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\ntags: x\n---\nRibble\n===\nWest.\n```\n# shell\n```\nCourse\n---\nx")
    (document,) = read_documents(path)
    assert (document.id, document.title) == ("a.md", "Ribble")
    assert document.text == "# Ribble\nWest.\n```\n # shell\n```\n## Course\nx"


def test_json_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"id": 1, "text": "One."}\n{"id": "b", "title": null, "text": "Two."}\n')
    names = [(document.id, document.title) for document in read_documents(path)]
    assert names == [("1", ""), ("b", "")]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"id": "a"}, "there is no text"),
        ({"id": "a", "text": None}, "text is null"),
        ({"id": "a", "text": 3}, "text is a number"),
        ({"id": "a", "text": " "}, "text is empty"),
        ({"id": " ", "text": "a"}, "id is empty"),
        ({"id": "a", "text": "a", "title": []}, "title is a list"),
        ({"id": "a" * 501, "text": "a"}, "limit is 500"),
        ({"id": "a", "text": "a", "url": "u" * 2001}, "limit is 2,000"),
        ({"id": "a", "text": "x" * 1_000_001}, "limit is 1,000,000"),
        ({"id": "a", "text": "a\0"}, "NUL"),
    ],
)
def test_each_fault_of_a_line_has_its_sentence(
    tmp_path: Path, row: dict[str, object], words: str
) -> None:
    path = tmp_path / "c.jsonl"
    good = {"id": "good", "title": "T", "url": "u", "text": "One."}
    path.write_text(f"{json.dumps(good)}\n{json.dumps(row)}\n")
    (error,) = errors_of(path)
    assert words in error
    assert error.startswith("c.jsonl, line 2")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.txt", b" ", "the file is empty"),
        ("a.txt", b"ok\ncaf\xe9", "line 2: the file is not UTF-8 text (found byte 0xE9"),
        ("a.md", b"a\0b", "NUL"),
        ("a.html", b"<html><script>x</script></html>", "no readable text"),
        ("a.html", bytes(range(256)) * 4, "no readable text"),
    ],
)
def test_each_fault_of_a_file_has_its_sentence(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "z.txt").write_text("fine")
    error, document = read_corpus(tmp_path)
    assert isinstance(error, RowError)
    assert words in str(error)
    assert isinstance(document, DocumentRow)


def test_a_page_that_takes_too_much_cpu_time_or_has_too_many_tags_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited_process, "CPU_SECONDS", 1)
    (tmp_path / "slow.html").write_text("<ul><li>x</ul>" * 30_000)
    (tmp_path / "tags.html").write_text("<p>x" * 100_001)
    slow, tags = errors_of(tmp_path)
    assert slow.startswith("slow.html: the file takes too long to read; split it")
    assert tags.startswith("tags.html: the page has more than 100,000 tags")


def test_an_empty_folder_and_a_missing_one_are_reported(tmp_path: Path) -> None:
    assert "no document" in errors_of(tmp_path)[0]
    with pytest.raises(UnreadableFile, match="no file or folder"):
        list(read_corpus(tmp_path / "nope"))


def test_a_reader_that_needs_all_documents_stops_at_the_first_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(RarrError, match=r"a\.txt: the file is empty"):
        list(read_documents(tmp_path))


def make_zip(path: Path, files: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_an_archive_is_read_without_unpacking(tmp_path: Path) -> None:
    names = ["x/b.md", "../../etc/a.txt", "x/inner.zip", "__MACOSX/x.txt", "readme.pdf"]
    path = make_zip(tmp_path / "c.zip", dict.fromkeys(names, "text"))
    assert [document.id for document in read_documents(path)] == ["etc/a.txt", "x/b.md"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["c.zip"]


def test_a_bomb_of_an_archive_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_files, "MAX_ARCHIVE_BYTES", 1_000_000_000)
    monkeypatch.setattr(corpus_files, "MAX_FILE_BYTES", 100_000)
    path = make_zip(tmp_path / "c.zip", {"a.txt": "a" * 5_000_000})
    assert "larger than" in errors_of(path)[0]
    monkeypatch.setattr(packed_files, "MAX_ARCHIVE_BYTES", 1_000)
    assert "the archive holds more than" in errors_of(path)[0]
    monkeypatch.setattr(packed_files, "MAX_ARCHIVE_FILES", 2)
    path = make_zip(tmp_path / "c.zip", {"a.txt": "a", "b.jpg": "b", "c.jpg": "c"})
    assert "the archive holds more than 2 files" in errors_of(path)[0]


def test_a_damaged_archive_is_reported(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "c.zip", {"a.txt": "a" * 1000, "b.txt": "fine"})
    whole = path.read_bytes()
    path.write_bytes(whole[:60])
    assert "damaged" in errors_of(path)[0]
    path.write_bytes(whole[:35] + b"\xff" * 10 + whole[45:])
    assert errors_of(path) == [
        "a.txt: the file cannot be unpacked; pack the archive again, as an ordinary ZIP."
    ]
    made_for = whole.rindex(b"PK\x01\x02") + 6
    path.write_bytes(whole[:made_for] + bytes([99]) + whole[made_for + 1 :])
    assert errors_of(path) == [
        "c.zip: the ZIP archive is damaged, or of a kind that is not read here; "
        "pack it again, as an ordinary ZIP."
    ]


def test_an_odd_name_in_an_archive_is_reported_or_skipped(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "c.zip", {"é.txt": "a", "b.txt": "fine"})
    whole, name = path.read_bytes(), "é".encode()
    path.write_bytes(whole.replace(name, b"\xff\xff"))
    assert "damaged" in errors_of(path)[0]
    path.write_bytes(whole.replace(name, b"\xff\xff", 1))
    assert "é.txt: the file cannot be unpacked" in errors_of(path)[0]
    path.write_bytes(whole.replace(name, b"\0a"))
    assert [document.id for document in read_documents(path)] == ["b.txt"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_unpacks_without_bound_is_not_unpacked(tmp_path: Path, method: int) -> None:
    path = tmp_path / "c.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.txt", "a" * 1_000_000)
    (error,) = errors_of(path)
    assert "in a way that is not read here; pack the archive again by Deflate" in error


def test_an_encrypted_file_is_reported(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "c.zip", {"a.txt": "a"})
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    assert errors_of(path) == [
        "a.txt: the file is encrypted; pack the archive again, without a password."
    ]


def test_names_are_reported_without_characters_that_do_not_print(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "c.zip", {"a\x1b[2J.txt": ""})
    assert errors_of(path) == ["a\\x1b[2J.txt: the file is empty; write its text, or take it out."]
    path.unlink()
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("a")
    (error,) = errors_of(tmp_path)
    assert error.startswith("caf?.txt, field id: the text holds half of a surrogate pair")


def test_reading_stops_after_too_many_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.importing.rows.MAX_ERRORS", 3)
    path = tmp_path / "c.jsonl"
    same_id = "".join(f'{{"id": "a", "text": "{number}."}}\n' for number in range(3))
    path.write_text(same_id + "{}\n" * 50)
    first, _, _, last = errors_of(path, id="id")
    same_id = "line 2, field id: line 1 has the same id (found a); give each its own id"
    assert first == f"c.jsonl, {same_id}, or choose no column as id."
    assert "stopped after 3 errors" in last


def test_a_hash_depends_on_the_content_and_not_on_the_id() -> None:
    first, moved, changed = (
        DocumentRow(line=1, document=Document(id=id_, title=title, url="u", text="x")).content_hash
        for id_, title in (("a", "t"), ("b", "t"), ("a", "t2"))
    )
    assert first == moved != changed
