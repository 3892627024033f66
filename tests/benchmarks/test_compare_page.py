"""The benchmark of the Compare page compares what it made."""

import re

from benchmarks import compare_page


def test_it_tells_what_was_compared_and_what_that_took(capsys):
    assert compare_page.main(["--documents", "300", "--changed", "0.5"]) == 0
    corpus, cost = capsys.readouterr().out.splitlines()
    documents, spans, changed = map(int, re.findall(r"\d+", corpus.replace(",", "")))
    assert documents + 5 >= 300 <= spans
    assert 100 <= changed <= 200
    assert re.fullmatch(r"\d+\.\d s of the processor, -?\d+ MiB at most, -?\d+ MiB stay", cost)
