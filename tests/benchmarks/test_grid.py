"""The data and the table of what changing one setting brings."""

from dataclasses import replace

import pytest

from benchmarks import grid
from benchmarks.grid import PLAIN, SETTINGS, Cell, Row, has_options, named, read_rows, render
from core.corpus.document_json import write_documents
from core.taggers.base.registry import available
from tests.taggers.small_flat import WITH_TEXT

CELL = Cell("demo", 500, "flat", 1)
BASE = Row(CELL, PLAIN, 0.80, 0.70, 10, 12.5)


def test_a_gain_is_the_mean_over_the_cells_that_both_have():
    other, alone = replace(CELL, seed=2), replace(CELL, seed=3)
    rows = [
        BASE,
        replace(BASE, cell=other, dev=0.60),
        replace(BASE, setting="EMA", dev=0.82),
        replace(BASE, setting="EMA", cell=other, dev=0.66, test=0.71),
        replace(BASE, setting="EMA", cell=alone, dev=0.99),
        replace(BASE, setting="FGM", dev=0.85, test=0.69),
    ]
    assert render(rows).splitlines()[4:] == [
        "| `flat` | FGM | 1 | +5.00 | -1.00 |",
        "| `flat` | EMA | 2 | +4.00 ± 2.00 | +0.50 ± 0.50 |",
    ]


def test_settings_are_named_though_their_names_hold_commas():
    assert named("rate x 3, EMA, batches of 8, EMA,rate x 3") == [
        "rate x 3, EMA, batches of 8", "EMA", "rate x 3",
    ]  # fmt: skip
    for text in ("EMA, nothing", "EMAX"):
        with pytest.raises(SystemExit, match="no setting is called"):
            named(text)


def test_every_setting_is_an_option_of_some_tagger_and_only_those_are_trained():
    taggers = [name for name in available() if name != "ensemble"]
    assert all(any(has_options(tagger, setting) for tagger in taggers) for setting in SETTINGS)
    assert not has_options("mrc", "no outside vectors")


def test_trainings_are_kept_and_none_is_repeated(tmp_path, monkeypatch):
    folder = tmp_path / "corpus"
    folder.mkdir()
    for part in ("train", "dev", "test"):
        write_documents(folder / f"{part}.jsonl", WITH_TEXT)
    data, page = tmp_path / "grid.jsonl", tmp_path / "page.md"
    call = ["--corpus", f"small={folder}", "--taggers", "bilstm_crf", "--sizes", "2", "--data", str(data)]
    call += ["--page", str(page), "--settings"]
    assert grid.main([*call, f"{PLAIN}, half the epochs"]) == 0
    rows = read_rows(data)
    assert [(row.setting, row.epochs) for row in rows] == [(PLAIN, 100), ("half the epochs", 50)]
    assert all(0 <= row.dev <= 1 and row.seconds > 0 for row in rows)
    assert {row.cell for row in rows} == {Cell("small", 2, "bilstm_crf", 1)}
    monkeypatch.setattr(grid, "train_one", lambda *_: pytest.fail("it is there already"))
    grid.main([*call, PLAIN])
    assert read_rows(data) == rows
    assert "| `bilstm_crf` | half the epochs | 1 |" in page.read_text(encoding="utf-8")
