"""Small taggers for the taggers' tests."""

import pytest

from tests.taggers.small_flat import DOCUMENTS, small_flat, train


@pytest.fixture
def flat():
    return small_flat().eval()


@pytest.fixture(scope="session")
def learned():
    """A FLAT that has learned the five sentences by heart."""
    return train(small_flat(embedding_dropout=0.1), DOCUMENTS, 60)
