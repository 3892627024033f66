"""The benchmarks of formats and of earlier decisions measure what they say, on few documents."""

import pytest

from benchmarks import earlier, formats
from core.formats import by_name, write_file
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.project import projects


def test_every_format_named_has_a_row_of_positive_figures(capsys):
    names = ["jsonl", "plain", "bmes", "webanno"]
    assert formats.main(["--documents", "3", "--repeats", "1", "--formats", *names]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[3:]]
    assert [row[0] for row in rows] == names
    assert all(float(cell.replace(",", "")) > 0 for row in rows for cell in row[1:3])


def test_a_document_that_does_not_come_back_is_no_speed(tmp_path):
    corpus = formats.made_up(3)
    write_file(corpus[:2], tmp_path / "a.jsonl", "jsonl")
    with pytest.raises(AssertionError, match="jsonl: 3 documents were written, 2 came back"):
        formats.check(corpus, tmp_path / "a.jsonl", "jsonl")


def test_the_documents_have_what_the_table_says_of_them():
    for document in formats.made_up(2):
        assert (len(document.text), len(document.spans)) == (200, 4)
        assert by_name("column").losses([document]) == {"ids": 1}
    for document in earlier.made_up(20, 50, 1.0):
        assert earlier.SHORTEST - 5 < len(document.text) <= earlier.LONGEST
        assert len(document.spans) == earlier.SPANS


def test_earlier_decisions_are_found_again_in_a_made_up_project(tmp_path):
    with Workspace.open(tmp_path / "made") as workspace:
        project = projects.create(workspace, "made").id
        ids = documents.add(workspace, project, earlier.made_up(40, 12, 1.0)).ids
        told = dict(earlier.measured(workspace, project, ids, 5))
    assert float(told["found in a document, mean"]) >= 1
    assert all(name in told for name in ("asking for a document, median", "following a save, median"))
