"""Small corpora get more passes, within bounds."""

import pytest

from core.training.fitting_epochs import fitting_epochs


@pytest.mark.parametrize(
    ("documents", "batch_size", "epochs"),
    [
        (3821, 16, 11),  # 239 steps an epoch
        (627, 16, 60),  # 40 steps
        (627, 8, 31),  # 79 steps
        (50_000, 16, 10),  # never fewer than ten
        (20, 16, 100),  # never more than a hundred
        (0, 16, 100),
    ],
)
def test_epochs_make_the_same_number_of_steps_of_every_corpus(documents, batch_size, epochs):
    assert fitting_epochs(documents, batch_size) == epochs


def test_where_less_is_enough_it_is_a_share_of_them():
    assert fitting_epochs(627, 16, share=0.5) == 30
    assert fitting_epochs(50_000, 16, share=0.5) == 5
    assert fitting_epochs(20, 16, share=0.5) == 50
