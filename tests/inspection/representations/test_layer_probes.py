"""All probes of a tagger, on states made so that the answer is known, and on a real small tagger."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from core.inspection.representations.layer_probes import TASKS, LayerProbes, ProbeSample, sample_of
from core.inspection.representations.probing import entity_labels
from core.inspection.representations.states import character_states
from core.text import Document, Span
from tests.taggers.small_taggers import small_tagger

WHO, WHERE = ("苏青", "周平", "孙悦"), ("云州", "兰州", "大理")
DOCUMENTS = [
    Document(f"{who}{where}", f"{who}今天在{where}工作，{where}大学下雨。",
             (Span(0, 2, "PER"), Span(5, 7, "LOC"), Span(10, 14, "ORG")))
    for who in WHO for where in WHERE
]  # fmt: skip
PLAIN = tuple(Document(str(n), "今天下雨。") for n in range(3))
SAMPLE = ProbeSample(tuple(DOCUMENTS[:6]), tuple(DOCUMENTS[6:]))


def telling(documents, progress):
    """Two layers: one that says the entity label outright, one that is noise."""
    labels = entity_labels(documents)
    names = sorted({"LOC", "O", "ORG", "PER"})
    progress(1, 1)
    return {
        "noise": np.random.default_rng(len(labels)).normal(size=(len(labels), 4)).astype(np.float32),
        "told": np.eye(4, dtype=np.float32)[[names.index(label) for label in labels]],
    }


def test_a_layer_that_says_the_label_is_told_from_noise():
    probes = LayerProbes.of(SAMPLE, telling)
    rows = {(row.layer, row.task): row for row in probes.rows()}
    assert len(rows) == probes.count == 8
    assert [row.task for row in probes.rows()][:4] == list(TASKS)
    told, noise = rows["told", "entity"], rows["noise", "entity"]
    assert told.accuracy == told.macro_f1 == 1.0
    assert noise.accuracy < 0.8
    labels = entity_labels(SAMPLE.held_out)
    assert told.baseline == pytest.approx(labels.count("O") / len(labels))
    assert told.selectivity == pytest.approx(told.accuracy - told.control)
    assert (told.train, told.held_out, told.classes) == (6 * 17, 3 * 17, 4)


def test_the_sense_of_a_form_is_found_where_the_layer_says_it():
    rows = {(row.layer, row.task): row for row in LayerProbes.of(SAMPLE, telling).rows()}
    told = rows["told", "surface_sense"]
    # 云州 and its like stand twice in each text: once as a place, once inside 云州大学, which is no entity.
    assert (told.held_out, told.baseline) == (6, 0.5)
    assert told.accuracy == 1.0
    assert told.control is told.selectivity is None
    assert rows["told", "character_sense"].accuracy == 1.0
    assert rows["told", "character_sense"].baseline < 1.0


def test_the_vector_of_a_surface_is_the_mean_of_its_characters():
    from core.inspection.representations.layer_probes import _means, _starts
    from core.inspection.representations.word_senses import surfaces

    states = telling(DOCUMENTS, lambda *_: None)["noise"]
    found = surfaces(DOCUMENTS, {"大学"})
    vectors = _means(states, found, _starts(DOCUMENTS))
    for number, vector in enumerate(vectors):
        at = number * 17 + 12
        np.testing.assert_allclose(vector, states[at : at + 2].mean(0), atol=1e-6)


@pytest.mark.parametrize(
    ("sample", "tasks"),
    [
        (SAMPLE, TASKS),
        # Without labels there are parts of speech alone; without text that differs, nothing.
        (ProbeSample(PLAIN, PLAIN), TASKS[:1]),
        (ProbeSample((Document("a", "雨雨"),), (Document("b", "雨"),)), ()),
    ],
)
def test_as_many_rows_are_counted_as_come(sample, tasks):
    probes = LayerProbes.of(sample, telling)
    rows = list(probes.rows())
    assert probes.count == len(rows) == 2 * len(tasks)
    assert [row.task for row in rows] == [*tasks, *tasks]


def test_a_task_with_nothing_to_tell_apart_has_no_row():
    tasks = {row.task for row in LayerProbes.of(ProbeSample(PLAIN, PLAIN), telling).rows()}
    assert tasks == {"part_of_speech"}


def test_every_layer_of_a_tagger_is_probed():
    flat = small_tagger("flat", documents=DOCUMENTS)
    told = []
    read = partial(character_states, flat)
    probes = LayerProbes.of(
        SAMPLE,
        lambda documents, progress: read(documents, progress=progress),
        progress=lambda *x: told.append(x),
    )
    rows = list(probes.rows())
    assert list(dict.fromkeys(row.layer for row in rows)) == ["embeddings", "layer 1", "layer 2"]
    assert rows == list(probes.rows()), "the same seed, the same scores"
    assert told[-1][0] == told[-1][1]


def test_a_sample_is_cut_where_its_characters_suffice_and_shares_no_document():
    sample = sample_of(DOCUMENTS, [], train_characters=40, held_out_characters=10, seed=1)
    assert sum(len(document.text) for document in sample.train) == 40
    assert sum(len(document.text) for document in sample.held_out) == 10
    assert not {document.id for document in sample.train} & {document.id for document in sample.held_out}
    assert all(span.end <= len(document.text) for document in sample.train for span in document.spans)
    again = sample_of(DOCUMENTS, [], train_characters=40, held_out_characters=10, seed=1)
    assert again == sample
    given = sample_of(DOCUMENTS[:2], DOCUMENTS[2:4], train_characters=999, held_out_characters=999)
    assert {document.id for document in given.held_out} == {document.id for document in DOCUMENTS[2:4]}
