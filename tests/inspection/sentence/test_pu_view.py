"""What the PU panel shows of a trace."""

import numpy as np

from core.inspection.sentence.pu_view import pu_view
from core.taggers.base.trace import PuTrace, Trace


def view_of(answers, units, text):
    pu = PuTrace(("PER", "LOC"), np.asarray(answers), np.asarray(units), np.array([0.1, 0.2]))
    return pu_view(Trace(text, tuple(text), (), "pu", pu=pu))


def test_a_type_is_chosen_where_it_passes_the_bound_and_wins_and_words_end_where_the_unit_changes():
    answers = [[0.9, 0.9, 0.2, 0.4], [0.1, 0.1, 0.6, 0.45]]
    view = view_of(answers, [0, 0, 1, 2], "林晓去了")
    np.testing.assert_array_equal(view.probabilities, answers)
    assert view.chosen.tolist() == [0, 0, 1, -1]
    assert view.edges.tolist() == [1, 2]
    assert (view.labels, view.tokens, view.bound) == (("PER", "LOC"), tuple("林晓去了"), 0.5)


def test_an_empty_text_has_no_types_and_no_edges():
    view = view_of(np.zeros((2, 0)), np.zeros(0, dtype=int), "")
    assert (view.chosen.size, view.edges.size) == (0, 0)
