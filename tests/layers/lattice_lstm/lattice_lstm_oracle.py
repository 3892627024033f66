"""Lattice LSTM written from its equations: one sentence, one character, one word at a time."""

import random

import torch
from torch import Tensor

from core.layers.lattice_lstm.lattice_lstm import LatticeLstm

Words = list[tuple[int, int]]


def states(
    layer: LatticeLstm, x: Tensor, words: Words, vectors: Tensor
) -> tuple[Tensor, dict[tuple[int, int], Tensor]]:
    """Both directions ``[T, 2H]`` of a sentence ``[T, width]``, and of each word alpha (eq. 16) in them."""
    length = len(x)
    ahead, shares = read(layer, 0, list(x), words, list(vectors))
    mirrored = [(length - 1 - tail, length - 1 - head) for head, tail in words]
    back, back_shares = read(layer, 1, list(x.flip(0)), mirrored, list(vectors))
    both = {
        word: torch.stack([shares[word], back_shares[other]])
        for word, other in zip(words, mirrored, strict=True)
    }
    return torch.cat([torch.stack(ahead), torch.stack(back[::-1])], dim=1), both


def read(layer, side, x, words, vectors):
    """Hidden states in the order of reading, and alpha of each word."""
    width = layer.width // 2
    coupled = layer.of_character.shape[-1] == 3 * width
    h = c = torch.zeros(width, dtype=x[0].dtype)
    hidden, cells, shares = [], [], {}
    for j, character in enumerate(x):
        # eq. 11; the weights of x and of h lie side by side in W of the paper
        brought = character @ layer.character[side] + layer.bias[side, 0]
        own, link = brought[:-width], brought[-width:]
        gates = (own + h @ layer.of_character[side]).split(width)
        o, i, candidate = gates[0].sigmoid(), gates[1].sigmoid(), gates[-1].tanh()
        f = 1 - i if coupled else gates[2].sigmoid()
        arriving = [index for index, (_, end) in enumerate(words) if end == j]
        if arriving:
            entering = []
            for index in arriving:
                begin = words[index][0]
                word = word_cell(layer, side, vectors[index], hidden[begin], cells[begin])
                gate = (link + word @ layer.of_link[side]).sigmoid()  # eq. 14
                entering.append((words[index], word, gate))
            total = i.exp() + sum(gate.exp() for _, _, gate in entering)  # eq. 16
            c = i.exp() / total * candidate
            for place, word, gate in entering:
                c = c + gate.exp() / total * word  # eq. 15
                shares[place] = gate.exp() / total
        else:
            c = f * c + i * candidate
        h = o * c.tanh()
        hidden.append(h)
        cells.append(c)
    return hidden, shares


def word_cell(layer, side, vector, h, c):
    """Eq. 13: no output gate, because labels are only given to characters."""
    brought = vector @ layer.word[side] + layer.word_bias[side, 0] + h @ layer.of_word[side]
    i, f, candidate = brought.chunk(3)
    return f.sigmoid() * c + i.sigmoid() * candidate.tanh()


def random_words(length: int, choice: random.Random) -> Words:
    """About as many words as characters, of 2 to 5 characters, none twice."""
    places = {(head, min(head + choice.randint(1, 4), length - 1)) for head in range(length - 1)}
    return sorted(choice.sample(sorted(places), k=len(places) * 3 // 4))
