"""A table of cases holds what was put in."""

import pytest

from core.inspection.corpus.case_table import CaseTable
from core.inspection.corpus.errors import Case
from core.text import Span

CASES = [
    Case(0, Span(0, 2, "PER"), Span(0, 2, "PER", 0.123456789)),
    Case(0, Span(3, 5, "LOC"), None),
    Case(2, None, Span(10_000_000, 10_000_004, "ORG", 0.0)),
    Case(7, Span(1, 2, "ORG"), Span(1, 3, "LOC")),
]


def test_every_case_comes_back():
    table = CaseTable()
    for case in CASES:
        table.append(case.document, case.gold, case.predicted)
    assert (len(table), list(table), table[1:3], table[-1]) == (4, CASES, CASES[1:3], CASES[-1])
    with pytest.raises(IndexError):
        table[4]
