"""Documents with a span are always learned from; of the others a share, drawn by seed and epoch."""

from hypothesis import given
from hypothesis import strategies as st

from core.text import Document, Span
from core.training.strategies.negative_sampling import epoch_documents

LABELLED = st.lists(st.booleans(), max_size=40)


def corpus(labelled: list[bool]) -> list[Document]:
    span = (Span(0, 1, "X"),)
    return [Document(str(i), "林晓", span if has else ()) for i, has in enumerate(labelled)]


@given(LABELLED, st.floats(0, 1), st.integers(0, 3), st.integers(0, 3))
def test_all_positives_and_a_share_of_the_negatives_in_order(labelled, keep, seed, epoch):
    documents = corpus(labelled)
    chosen = epoch_documents(documents, keep, seed=seed, epoch=epoch)
    assert chosen == sorted(set(chosen))
    assert {i for i, has in enumerate(labelled) if has} <= set(chosen)
    negatives = labelled.count(False)
    assert sum(not labelled[i] for i in chosen) == round(keep * negatives)


def test_another_epoch_draws_others_and_the_same_epoch_the_same():
    documents = corpus([False] * 50)
    first = epoch_documents(documents, 0.3, seed=1, epoch=0)
    assert first == epoch_documents(documents, 0.3, seed=1, epoch=0)
    assert first != epoch_documents(documents, 0.3, seed=1, epoch=1)
    assert first != epoch_documents(documents, 0.3, seed=2, epoch=0)


def test_keeping_everything_is_every_document():
    assert epoch_documents(corpus([True, False, False]), 1.0, seed=1, epoch=0) == [0, 1, 2]
