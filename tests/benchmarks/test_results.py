"""What a benchmark prints comes onto the results page between its own markers."""

import pytest

from benchmarks.results import BENCHMARKS, PAGE, block, markers
from benchmarks.resume import write_between_markers


def test_the_page_has_a_place_for_every_benchmark():
    page = PAGE.read_text(encoding="utf-8")
    for name in BENCHMARKS:
        first, last = markers(name)
        assert page.index(first) < page.index(last)


def test_only_the_text_between_the_markers_changes(tmp_path):
    page = tmp_path / "results.md"
    first, last = markers("store")
    page.write_text(f"before\n{first}\nold\n{last}\nafter\n", encoding="utf-8")
    write_between_markers(page, block(["python", "-m", "benchmarks.store"], "save 1 ms\n"), first, last)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{first}\n`python -m benchmarks.store` (")
    assert text.endswith(f"save 1 ms\n```\n{last}\nafter\n")
    assert "old" not in text


def test_a_page_without_the_place_is_refused(tmp_path):
    page = tmp_path / "results.md"
    page.write_text("nothing here", encoding="utf-8")
    with pytest.raises(SystemExit, match="markers"):
        write_between_markers(page, "table", *markers("lexicon"))
