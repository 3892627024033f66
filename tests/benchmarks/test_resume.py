"""The Resume table: means are means, the page keeps what stands around the table."""

import pytest

from benchmarks.resume import BEGIN, END, PAGE, figures, main, render, write_between_markers

RUN = {
    "dev": {"f1": 0.9},
    "test": {"precision": 0.5, "recall": 0.25, "f1": 0.94},
    "best_epoch": 8,
    "seconds": 60.0,
    "seconds_per_epoch": 6.0,
    "environment": {"gpu": None, "threads": 2, "system": "Linux", "python": "3.11.0", "torch": "2.9.0"},
}


def test_a_row_holds_the_runs_figures_and_the_last_row_their_mean():
    other = {**RUN, "test": {"precision": 0.7, "recall": 0.75, "f1": 0.96}, "seconds": 70.0}
    table = render({"1": RUN, "2": other}, ["--tagger", "flat"]).splitlines()
    assert "| 1 | 90.00 | 50.00 | 25.00 | 94.00 | 8 | 60 | 6.0 |" in table
    assert "| **mean** | 90.00 | 60.00 | 50.00 | 95.00 | 8 | 65 | 6.0 |" in table
    assert table[-1].endswith(": 1.41.")
    assert any("python -m core train --tagger flat --seed N" in line for line in table)
    assert figures(RUN)[3] == pytest.approx(94)


def test_the_table_replaces_the_one_before_and_nothing_else(tmp_path):
    page = tmp_path / "results.md"
    page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n")
    write_between_markers(page, "new")
    write_between_markers(page, "newer")
    assert page.read_text() == f"above\n{BEGIN}\nnewer\n{END}\nbelow\n"
    page.write_text("no markers")
    with pytest.raises(SystemExit, match="lacks the markers"):
        write_between_markers(page, "new")
    assert page.read_text() == "no markers"


def test_the_projects_page_has_the_markers():
    text = PAGE.read_text(encoding="utf-8")
    assert text.index(BEGIN) < text.index(END)


def test_a_folder_without_the_files_is_one_line(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert "train.char.bmes" in capsys.readouterr().err
