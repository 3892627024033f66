"""Published folders are read whole or refused with a reason; what they claim costs nothing."""

import copy
import json
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from core.encoders.elmo.encoder import Elmo
from core.encoders.elmo.folder import WEIGHTS, read_elmo
from core.encoders.elmo.options import PUBLISHED_FILTERS, ElmoError, ElmoOptions
from tests.encoders import published_elmo


def refused(folder) -> str:
    with pytest.raises(ElmoError) as error:
        read_elmo(folder)
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


def without(part, name):
    options = copy.deepcopy(published_elmo.OPTIONS)
    del options[part][name]
    return options


def with_value(part, name, value):
    options = copy.deepcopy(published_elmo.OPTIONS)
    options[part][name] = value
    return options


def test_published_options_are_read_and_come_back():
    options = ElmoOptions.from_json(published_elmo.OPTIONS)
    assert options.filters == ((1, 3), (2, 4))
    assert (options.cells, options.projection, options.cell_clip, options.unit) == (6, 4, 0.5, "word")
    assert ElmoOptions.from_json(options.to_json()) == options
    assert sum(number for _, number in PUBLISHED_FILTERS) == 2048


def test_the_defaults_are_the_papers():
    options = ElmoOptions()
    assert (options.cells, options.projection, options.layers, options.width) == (4096, 512, 2, 1024)
    assert (options.cell_clip, options.projection_clip, options.highways) == (3.0, 3.0, 2)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (without("lstm", "dim"), "dim is missing"),
        ({"lstm": published_elmo.OPTIONS["lstm"]}, "reads words from a table"),
        ([1, 2], "there must be an object"),
        (with_value("char_cnn", "n_characters", 60), "n_characters"),
        (with_value("char_cnn", "activation", "swish"), "activation must be one of"),
        (with_value("char_cnn", "filters", [[13, 4]]), "characters wide"),
        (with_value("char_cnn", "filters", 7), "malformed"),
        (with_value("char_cnn", "filters", [[1, 10**9]]), "filters of a width"),
        (with_value("char_cnn", "filters", []), "1 to 64 pairs"),
        (with_value("lstm", "dim", 10**9), "cells must be"),
        (with_value("lstm", "n_layers", True), "layers must be"),
        (with_value("lstm", "cell_clip", -1), "cell_clip must be"),
        (with_value("lstm", "projection_dim", "8"), "projection must be"),
    ],
)
def test_options_that_describe_no_elmo_are_refused(tmp_path, options, reason):
    message = refused(published_elmo.write(tmp_path / "elmo", options=options))
    assert reason in message
    assert "options.json" in message


@pytest.mark.parametrize("content", ["", "{", '{"lstm": ' * 5000, "\x00"])
def test_options_that_are_no_json_are_refused(tmp_path, content):
    folder = published_elmo.write(tmp_path / "elmo")
    (folder / "options.json").write_text(content)
    assert "options.json is not JSON" in refused(folder)


def test_a_missing_or_doubled_file_is_named(tmp_path):
    assert "there is no folder" in refused(tmp_path / "none")
    folder = published_elmo.write(tmp_path / "elmo")
    (folder / "second_options.json").write_text("{}")
    assert "options.json, second_options.json" in refused(folder)
    (folder / "second_options.json").unlink()
    (folder / "small_weights.hdf5").unlink()
    assert "*weights.hdf5, there is: none" in refused(folder)


def test_a_file_that_is_no_hdf5_or_is_cut_off_is_refused(tmp_path):
    folder = published_elmo.write(tmp_path / "elmo")
    whole = (folder / "small_weights.hdf5").read_bytes()
    for content in (b"", b"no HDF5", whole[: len(whole) // 2]):
        (folder / "small_weights.hdf5").write_bytes(content)
        assert "small_weights.hdf5" in refused(folder)


def changed(name, array):
    weights = published_elmo.arrays()
    if array is None:
        del weights[name]
    else:
        weights[name] = array
    return weights


CELL = "RNN_1/RNN/MultiRNNCell/Cell0/LSTMCell/W_0"


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        (changed(CELL, None), f"no array {CELL}"),
        (changed(CELL, np.zeros((8, 25), np.float32)), "has shape (8, 25), the options ask for (8, 24)"),
        (changed(CELL, np.zeros((8, 24), np.int32)), "floating-point"),
        (changed(CELL, np.full((8, 24), np.nan, np.float32)), "no finite numbers"),
        (changed("char_embed", np.zeros((262, 3), np.float32)), "char_embed has shape"),
    ],
)
def test_arrays_that_do_not_fit_are_named(tmp_path, weights, reason):
    assert reason in refused(published_elmo.write(tmp_path / "elmo", weights))


def test_arrays_that_are_not_plainly_in_the_file_are_refused(tmp_path):
    """Links lead to other files, and a few packed or unwritten bytes may claim any amount of memory."""
    folder = published_elmo.write(tmp_path / "elmo", changed(CELL, None))
    path = folder / "small_weights.hdf5"
    whole = path.read_bytes()

    def tamper(act):
        path.write_bytes(whole)
        with h5py.File(path, "a") as file:
            act(file)
        return refused(folder)

    outside = published_elmo.write(tmp_path / "other") / "small_weights.hdf5"

    def external_link(file):
        file[CELL] = h5py.ExternalLink(str(outside), CELL)

    def soft_link(file):
        file[CELL] = h5py.SoftLink("/RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell/W_0")

    def packed(file):
        file.create_dataset(CELL, data=np.zeros((8, 24), np.float32), compression="gzip")

    def unwritten(file):
        file.create_dataset(CELL, shape=(8, 24), dtype=np.float32, chunks=(8, 24))

    def external_bytes(file):
        file.create_dataset(CELL, shape=(8, 24), dtype=np.float32, external=str(tmp_path / "raw"))

    assert "has no array" in tamper(external_link)
    assert "has no array" in tamper(soft_link)
    assert "packed or cut off" in tamper(packed)
    assert "packed or cut off" in tamper(unwritten)
    assert "in the file itself" in tamper(external_bytes)
    assert "has no array" in tamper(lambda file: file.create_group(CELL))


def trained_folder(folder: Path) -> Elmo:
    torch.manual_seed(0)
    elmo = Elmo(
        ElmoOptions(char_width=2, filters=((1, 2),), highways=0, cells=3, projection=2, unit="character")
    )
    folder.mkdir()
    (folder / "options.json").write_text(json.dumps(elmo.options.to_json()))
    tensors = {f"elmo.{name}": value.clone() for name, value in elmo.state_dict().items()}
    save_file({**tensors, "softmax.bias": torch.zeros(3)}, folder / WEIGHTS)
    return elmo.eval()


def test_a_bilm_that_was_trained_here_is_read(tmp_path):
    elmo = trained_folder(tmp_path / "bilm")
    found = read_elmo(tmp_path / "bilm")
    assert found.options == elmo.options
    x = elmo.read([["清", "a"]])
    assert torch.equal(found(x).layers[-1], elmo(x).layers[-1])


def test_a_trained_folder_that_does_not_fit_is_refused(tmp_path):
    folder = tmp_path / "bilm"
    trained_folder(folder)
    options = json.loads((folder / "options.json").read_text())
    options["lstm"]["dim"] = 16384
    (folder / "options.json").write_text(json.dumps(options))
    assert "the options ask for" in refused(folder)
    options["lstm"]["n_layers"] = 3
    (folder / "options.json").write_text(json.dumps(options))
    (folder / WEIGHTS).write_bytes(b"junk")
    assert "damaged or cut off" in refused(folder)
