"""What the masked language model and the biLM share: a disk that fills, a checkpoint that stays."""

import errno
from pathlib import Path

import pytest

from core.corpus.errors import DiskFullError
from core.learning.bilm import folder as bilm_folder
from core.learning.pretraining import checkpoint as pretraining_checkpoint
from core.learning.pretraining.checkpoint import CHECKPOINT
from tests.learning.bilm import test_training as test_bilm_training
from tests.learning.bilm.small_bilm import small_bilm
from tests.learning.mlm import test_training as test_mlm_training
from tests.learning.mlm.small_mlm import small_mlm

KINDS = {
    "masked language model": (test_mlm_training.run, small_mlm),
    "biLM": (test_bilm_training.run, small_bilm),
}


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def filling(save, room):
    """``save`` for ``room`` files; the next one does not fit."""
    left = iter(range(room))

    def write(tensors, path, *more):
        if next(left, None) is None:
            Path(path).write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
        save(tensors, path, *more)

    return write


@pytest.mark.parametrize("kind", KINDS)
def test_a_disk_full_at_a_checkpoint_keeps_the_one_before_and_goes_on_from_it(kind, tmp_path, monkeypatch):
    run, small = KINDS[kind]
    expected = run(small(), tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr(pretraining_checkpoint, "save_file", filling(pretraining_checkpoint.save_file, 1))
        with pytest.raises(DiskFullError, match=r"Free some space.*resume the run"):
            run(small(), tmp_path / "cut")
    assert not [path for path in files(tmp_path / "cut") if b"half" in (tmp_path / "cut" / path).read_bytes()]
    resumed = run(small(), tmp_path / "cut")
    assert [record.loss for record in resumed.history] == [record.loss for record in expected.history]
    whole, cut = files(tmp_path / "whole"), files(tmp_path / "cut")
    for results in (whole, cut):
        results.pop(Path(CHECKPOINT) / "checkpoint.json")  # it holds seconds
    assert cut == whole


def test_a_disk_full_at_the_weights_of_a_bilm_keeps_those_before(tmp_path, monkeypatch):
    run, small = KINDS["biLM"]
    expected = run(small(), tmp_path / "whole")
    run(small(), tmp_path / "cut", stop_after=7)
    before = files(tmp_path / "cut")
    with monkeypatch.context() as patch:
        patch.setattr(bilm_folder, "save_file", filling(bilm_folder.save_file, 0))
        with pytest.raises(DiskFullError, match=r"bilm\.safetensors could not be written"):
            run(small(), tmp_path / "cut")
    assert files(tmp_path / "cut") == before
    assert [r.loss for r in run(small(), tmp_path / "cut").history] == [r.loss for r in expected.history]
