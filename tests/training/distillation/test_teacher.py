"""What a teacher says of each unit, whatever tagger it is, and how it is kept."""

import numpy as np
import pytest
import torch
from safetensors.torch import save

from core.taggers.base.registry import by_name
from core.taggers.base.tagger import Resources
from core.taggers.base.tagging import tag
from core.taggers.ensemble.tagger import Ensemble
from core.text import Document
from core.text.outermost import outermost
from core.training.distillation.lesson import labels_of, read_answers, teach, write_answers
from core.training.distillation.settings import DistillationSettings
from core.training.distillation.teacher import Teacher
from core.training.run.errors import TrainingError
from core.training.settings import TrainingSettings
from core.training.stopping import Stopped
from tests.taggers.small_flat import DOCUMENTS, LABELS, LEXICON
from tests.taggers.small_taggers import OPTIONS, learned_tagger


def build(name, labels, **options):
    kind = by_name(name)
    return kind.build(kind.Config(**{**OPTIONS[name], **options}), labels, Resources(DOCUMENTS, LEXICON))


def test_a_sequence_tagger_gives_its_marginals_in_the_students_tags():
    teacher = learned_tagger("bilstm_crf")
    student = build("flat", tuple(reversed(LABELS)), scheme="BIOES")
    found = Teacher(teacher, student).marginals(DOCUMENTS)
    batch = teacher.collate(DOCUMENTS)
    with torch.no_grad():
        rows = teacher.crf.marginals(teacher.emissions(batch), batch.mask, teacher.decoder.constraints)
    for document, table, row in zip(DOCUMENTS, found, rows, strict=True):
        assert table.shape == (len(document.text), len(student.decoder.tags))
        for at in range(len(document.text)):
            for place, name in enumerate(student.decoder.tags):
                own = name.replace("I-", "M-") if name.startswith("I-") else name
                expected = float(row[at, teacher.decoder.tags.index(own)])
                assert float(table[at, place]) == pytest.approx(expected, abs=1e-5)


def test_an_ensemble_gives_the_mean_of_its_members():
    members = [learned_tagger("bilstm_crf"), learned_tagger("flat")]
    student = build("bilstm_crf", LABELS)
    found = Teacher(Ensemble(members), student).marginals(DOCUMENTS[:3])
    parts = [Teacher(member, student).marginals(DOCUMENTS[:3]) for member in members]
    for table, one, other in zip(found, *parts, strict=True):
        np.testing.assert_allclose(table, (one + other) / 2, atol=1e-5)


@pytest.mark.parametrize("name", ["span", "mrc"])
def test_another_tagger_gives_its_predicted_spans_with_their_probability(name):
    teacher, student = learned_tagger(name), build("bilstm_crf", LABELS)
    found = Teacher(teacher, student).marginals(DOCUMENTS)
    for document, table in zip(tag(teacher, DOCUMENTS), found, strict=True):
        np.testing.assert_allclose(table.sum(1), np.ones(len(document.text)), atol=1e-6)
        inside = set()
        for span in outermost(document.spans)[0]:
            inside |= set(range(span.start, span.end))
            tags = student.decoder.encode([span], len(document.text))
            for at in range(span.start, span.end):
                assert float(table[at, tags[at]]) == pytest.approx(span.score, abs=1e-6)
                assert float(table[at, 0]) == pytest.approx(1 - span.score, abs=1e-6)
        assert all(float(table[at, 0]) == 1.0 for at in set(range(len(document.text))) - inside)


def test_a_teacher_of_characters_teaches_a_student_of_words_by_its_spans():
    kind = by_name("bilstm_crf")
    student = kind.build(kind.Config(hidden=6, unit="word", word_dim=5), LABELS, Resources(DOCUMENTS))
    teacher = Teacher(learned_tagger("bilstm_crf"), student)
    (table,) = teacher.marginals([Document("1", "Qinghe University hired Lin")])
    assert table.shape == (4, len(student.decoder.tags))
    np.testing.assert_allclose(table.sum(1), np.ones(4), atol=1e-6)


def test_labels_that_the_teacher_does_not_know_are_named():
    with pytest.raises(TrainingError, match="does not know the labels GPE of the training documents"):
        Teacher(learned_tagger("bilstm_crf"), build("bilstm_crf", (*LABELS, "GPE")))


def test_answers_come_in_the_order_of_the_documents_and_are_kept(tmp_path):
    teacher, student = learned_tagger("bilstm_crf"), build("bilstm_crf", LABELS)
    path = tmp_path / "teacher.safetensors"
    settings = TrainingSettings(batch_size=2)
    found = teach(Teacher(teacher, student), DOCUMENTS, settings, lambda: False)
    for document, table in zip(DOCUMENTS, found, strict=True):
        np.testing.assert_allclose(table, Teacher(teacher, student).marginals([document])[0], atol=1e-5)
    write_answers(path, found, LABELS)
    kept = read_answers(path, DOCUMENTS, student)
    assert all(torch.equal(one, other) for one, other in zip(kept, found, strict=True))
    assert labels_of(path, DistillationSettings(model="gone")) == LABELS
    with pytest.raises(TrainingError, match="delete it and resume"):
        read_answers(path, DOCUMENTS[1:], student)
    with pytest.raises(Stopped):
        teach(Teacher(teacher, student), DOCUMENTS, settings, lambda: True)


@pytest.mark.parametrize("content", [b"", b"half a file", save({"lengths": torch.tensor([1])})])
def test_damaged_answers_are_named_with_the_way_out(content, tmp_path):
    path = tmp_path / "teacher.safetensors"
    path.write_bytes(content)
    with pytest.raises(TrainingError, match=r"teacher\.safetensors does not hold .* delete it and resume"):
        read_answers(path, DOCUMENTS, build("bilstm_crf", LABELS))
    with pytest.raises(TrainingError, match="delete it and resume"):
        labels_of(path, DistillationSettings(model="gone"))


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"share": 1.5}, "distillation setting share"),
        ({"temperature": 0}, "distillation setting temperature"),
        ({"model": ""}, "needs the model folder of a teacher, or a source"),
        ({"source": "LAC"}, "not both"),
    ],
)
def test_settings_out_of_range_are_refused(values, reason):
    with pytest.raises(TrainingError, match=reason):
        DistillationSettings.from_values({"model": "teacher", **values})
