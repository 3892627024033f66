"""The mrc panel of the Inspect page."""

from __future__ import annotations

import numpy as np

from app.pages.inspect import mrc
from app.pages.inspect.panel import Look
from core.taggers.trace import MrcTrace, Trace

TEXT = "陈禾在岭南市工作"


def test_every_query_can_be_chosen(session):
    start = np.full((2, len(TEXT)), 0.5)
    answers = MrcTrace(
        ("LOC", "PER"), ("哪里", "谁"), start, start, np.array([[0, 3, 5]]), np.array([0.7]), True
    )
    look = Look("mrc-0001", Trace(TEXT, tuple(TEXT), (), "mrc", mrc=answers))
    picker, figure = mrc.draw(session, look)
    assert picker["choices"] == [("starts and ends", -1), ("LOC", 0), ("PER", 1)]
    assert len(figure.data) == 2
    assert mrc.draw_query(session, 0, look).data[0].z[3][5] == 0.7
