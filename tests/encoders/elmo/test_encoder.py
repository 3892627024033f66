"""ELMo against the original's own output, and against the original's formulas written out."""

import json

import h5py
import numpy as np
import pytest
import torch

from core.encoders.elmo.encoder import Elmo
from core.encoders.elmo.folder import read_elmo
from core.encoders.elmo.options import ElmoOptions
from core.encoders.elmo.tokens import BEGIN_SENTENCE, END_SENTENCE, boundary_row, padded_rows, token_row
from tests.encoders import published_elmo

SENTENCES = (
    ["A", "token", "of", "Unicode", "é", "清", "😀", "averyverylongtokenindeed"],
    [],
    ["x", "x", "longest-but"],
)
SMALL = ElmoOptions(char_width=4, filters=((1, 4), (3, 6)), highways=1, cells=8, projection=5)


@pytest.fixture
def fixture(shared_data):
    folder = shared_data / "elmo_fixture"
    if not folder.is_dir():
        pytest.skip("the published fixture of ELMo is not beside this checkout")
    return folder


def test_it_reproduces_the_originals_vectors_of_thirty_sentences(fixture):
    """The original was fed three sentences at a time and carried its states from each three to the next."""
    elmo = read_elmo(fixture)
    streams = json.loads((fixture / "sentences.json").read_text(encoding="utf-8"))
    states = None
    for number in range(10):
        sentences = [stream[number].split() for stream in streams]
        with torch.no_grad():
            said = elmo(elmo.read(sentences), states)
        states = said.states
        for row, sentence in enumerate(sentences):
            with h5py.File(fixture / f"lm_embeddings_{row}.hdf5") as file:
                forward, backward = file[str(number)][()]
            expected = np.concatenate([forward, backward], axis=1)
            got = said.layers[-1][row, 1 : len(sentence) + 1].numpy()
            np.testing.assert_allclose(got, expected, atol=1e-5, rtol=0)


def test_its_character_cnn_reproduces_the_originals_token_vectors(fixture):
    elmo = read_elmo(fixture)
    words = (fixture / "vocab_test.txt").read_text(encoding="utf-8").split("\n")
    with h5py.File(fixture / "elmo_token_embeddings.hdf5") as file:
        expected = file["embedding"][()]
    boundaries = {"<S>": BEGIN_SENTENCE, "</S>": END_SENTENCE}
    rows = [
        boundary_row(boundaries[word]) if word in boundaries else token_row(word, 50)
        for word in words[: len(expected)]
    ]
    with torch.no_grad():
        got = elmo.char_cnn(torch.from_numpy(padded_rows(rows, 50, elmo.options.widest))).numpy()
    np.testing.assert_allclose(got, expected, atol=1e-5, rtol=0)


def test_all_layers_are_those_of_the_formulas(tmp_path):
    weights = published_elmo.arrays()
    elmo = read_elmo(published_elmo.write(tmp_path / "elmo", weights))
    with torch.no_grad():
        said = elmo(elmo.read(SENTENCES))
    clipped = 0
    for row, sentence in enumerate(SENTENCES):
        expected = published_elmo.layers(weights, sentence)
        for layer in range(3):
            got = said.layers[layer][row, : len(sentence) + 2].numpy()
            np.testing.assert_allclose(got, expected[layer], atol=1e-5, rtol=0)
        clipped += int((np.abs(expected[1]) == 0.4).sum())
    assert clipped, "nothing was clipped, so clipping was not tested"


@pytest.fixture
def small():
    torch.manual_seed(0)
    return Elmo(SMALL).double().eval()


def test_a_sentence_does_not_depend_on_its_company(small):
    together = small(small.read(SENTENCES)).layers
    for row, sentence in enumerate(SENTENCES):
        alone = small(small.read([sentence])).layers
        for one, other in zip(together, alone, strict=True):
            torch.testing.assert_close(one[row, : len(sentence) + 2], other[0])


def test_the_backward_half_is_the_forward_half_of_the_mirrored_sentence_with_exchanged_weights(small):
    other = Elmo(SMALL).double().eval()
    state = small.state_dict()
    other.load_state_dict(
        {name: value.flip(0) if name.startswith("bilstm.") else value for name, value in state.items()}
    )
    sentence = ["a", "bc", "清"]
    x = small.read([sentence])
    mirrored = type(x)(x.rows, x.tokens.flip(1), x.lengths)
    width = SMALL.projection
    for one, two in zip(small(x).layers, other(mirrored).layers, strict=True):
        torch.testing.assert_close(one[..., width:], two[..., :width].flip(1))
        torch.testing.assert_close(one[..., :width], two[..., width:].flip(1))


def test_states_passed_on_make_a_difference_and_none_starts_afresh(small):
    x = small.read([["a", "b"]])
    first = small(x)
    again = small(x)
    carried = small(x, first.states)
    assert torch.equal(first.layers[-1], again.layers[-1])
    assert not torch.allclose(first.layers[-1], carried.layers[-1])
    assert torch.equal(first.layers[0], carried.layers[0])


def test_gradients_reach_every_weight(small):
    said = small(small.read(SENTENCES))
    sum(layer.square().sum() for layer in said.layers).backward()
    assert all(bool(parameter.grad.any()) for parameter in small.parameters())
