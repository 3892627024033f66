"""A hand-made trace: six characters, two words, one layer of two heads, a CRF of three tags."""

import numpy as np

from core.taggers.base.trace import CrfTrace, LatticeTrace, Trace
from core.text import Span

TOKENS = ("陈", "禾", "在", "岭", "南", "市")
WORDS = ("岭南", "岭南市")


def sample_trace() -> Trace:
    random = np.random.default_rng(7)
    nodes = TOKENS + WORDS
    head = np.array([0, 1, 2, 3, 4, 5, 3, 3])
    tail = np.array([0, 1, 2, 3, 4, 5, 4, 5])
    attention = random.random((2, len(TOKENS), len(nodes)))
    attention /= attention.sum(-1, keepdims=True)
    marginals = random.random((len(TOKENS), 3))
    marginals /= marginals.sum(-1, keepdims=True)
    crf = CrfTrace(
        tags=("O", "B-LOC", "E-LOC"),
        emissions=random.normal(size=(len(TOKENS), 3)),
        transitions=np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),
        start=np.array([-1.0, -2.0, -3.0]),
        end=np.array([-4.0, -5.0, -6.0]),
        marginals=marginals,
        path=np.array([0, 0, 0, 1, 1, 2]),
    )
    return Trace(
        text="".join(TOKENS),
        tokens=TOKENS,
        spans=(Span(3, 6, "LOC", 0.91),),
        tagger="flat",
        attention=(attention,),
        lattice=LatticeTrace(nodes, head, tail, len(TOKENS)),
        crf=crf,
    )
