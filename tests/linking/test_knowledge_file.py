"""Files of knowledge bases: tables and JSON Lines, and what is wrong with a line or the whole."""

from pathlib import Path

import pytest

from core.formats.framework.errors import FormatError
from core.linking.knowledge_file import Refused, read_entries
from core.text.knowledge_entry import KnowledgeEntry

ENTRY = KnowledgeEntry("Q64", "Berlin", ("柏林", "Spree-Athen"), "city", "capital, of Germany")


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (
            'id,name,aliases,type,description\nQ64,Berlin,柏林|Spree-Athen|,city,"capital, of Germany"\n',
            "utf-8",
        ),
        (
            "\ufeffName\tID\tdescription\taliases\ttype\r\n"
            "Berlin\tQ64\tcapital, of Germany\t柏林|Spree-Athen\tcity\r\n",
            "utf-8",
        ),
        ('编号,名称,别名,类型,描述\nQ64,Berlin,柏林|Spree-Athen,city,"capital, of Germany"\n', "gb18030"),
        (
            '{"id": "Q64", "label": "Berlin", "aliases": ["柏林", "Spree-Athen"], "type": "city", '
            '"desc": "capital, of Germany", "more": 1}\n',
            "utf-8",
        ),
    ],
)
def test_every_usual_layout_gives_the_same_entry(tmp_path: Path, content: str, encoding: str) -> None:
    path = tmp_path / "kb"
    path.write_bytes(content.encode(encoding))
    assert [entry for _, entry in read_entries(path)] == [ENTRY]


def test_lines_that_are_no_entries_are_refused_by_number(tmp_path: Path) -> None:
    table = tmp_path / "kb.csv"
    table.write_text("id,name\n,x\nQ1,\nQ2,a,b\n\nNIL,none\nQ3,<b>&\u202e=cmd|'\n", encoding="utf-8")
    told = list(read_entries(table))
    assert [(one.line, str(one.message)) for one in told if isinstance(one, Refused)] == [
        (2, "has no id"), (3, "has no name"), (4, "has 3 cells instead of 2"),
        (6, "the id NIL stands for no entry; give the entry another one"),
    ]  # fmt: skip
    assert [entry.name for _, entry in (one for one in told if not isinstance(one, Refused))] == [
        "<b>&\u202e=cmd|'"
    ], "a hostile name is a name"
    lines = tmp_path / "kb.jsonl"
    lines.write_text(
        '{"id": 1, "name": "a"}\n{"id": "x"\n[]\n{"id": "b", "name": "n", "aliases": 3}\n'
        '{"id": "c", "name": ["n"]}\n{"id": "d", "name": "\\ud800"}\n',
        encoding="utf-8",
    )
    told = list(read_entries(lines))
    assert told[0] == (1, KnowledgeEntry("1", "a"))
    assert [one.line for one in told[1:] if isinstance(one, Refused)] == [2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b"word,frequency\nx,3\n", "id and name"),
        (b"PK\x03\x04 \x00\x00\x00", "kb"),
        (b"id,name\n1,\xff\xfe\xfd\x81\x20\n" * 40, "kb"),
    ],
)
def test_a_file_that_is_no_knowledge_base_is_refused_by_name(
    tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "kb"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=told):
        list(read_entries(path))


def test_a_large_file_is_read_as_a_stream_and_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "kb.csv"
    with path.open("w", encoding="utf-8") as target:
        target.write("id,name,description\n")
        row = "x" * 1000
        for number in range(50_000):  # 50 MB
            target.write(f"{number},n{number},{row}\n")

    def stop(line: int) -> None:
        if line == 3_000:
            raise KeyboardInterrupt

    entries = read_entries(path, stop)
    assert len([next(entries) for _ in range(3_000)]) == 3_000
    with pytest.raises(KeyboardInterrupt):
        next(entries)
