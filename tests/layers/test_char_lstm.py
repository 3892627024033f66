"""The character LSTM against one token after the other."""

import torch

from core.layers.char_lstm import CharLstm


def test_a_token_is_read_to_its_end_from_both_sides():
    torch.manual_seed(0)
    layer = CharLstm(5, 6)
    lengths = [1, 4, 2]
    characters, mask = torch.randn(3, 4, 5), torch.arange(4) < torch.tensor(lengths)[:, None]
    found = layer(characters, mask)
    assert found.shape == (3, 6)
    for row, length in enumerate(lengths):
        _, (last, _) = layer.states.rnn(characters[row : row + 1, :length])
        torch.testing.assert_close(found[row], last.flatten())
