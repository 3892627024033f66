"""FLAT written from its equations, one pair of nodes at a time: slow, obvious, and shared by these tests."""

import math
import random

import torch
from torch import Tensor

from core.layers import FlatEncoder, Lattice

OPTIONS = [
    {},
    {"four_distances": False},
    {"project_key": False},
    {"scale": True},
    {"project_output": True},
    {"residual": False},
    {"four_distances": False, "project_key": False, "scale": True, "residual": False, "project_output": True},
]


def sinusoid(distance: float, width: int) -> Tensor:
    half = width // 2
    angles = [distance * math.exp(-k * math.log(10000) / (half - 1)) for k in range(half)]
    values = [math.sin(angle) for angle in angles] + [math.cos(angle) for angle in angles]
    return torch.tensor(values, dtype=torch.float64)


def encode(encoder: FlatEncoder, x: Tensor, lattice: Lattice) -> tuple[list[Tensor], list[list[Tensor]]]:
    """Characters ``[C, H]`` per sentence, and the weights ``[N, nodes, nodes]`` per layer and sentence."""
    states, weights = [], [[] for _ in encoder.layers]
    for sentence, (nodes, chars) in enumerate(
        zip(lattice.lengths.tolist(), lattice.char_lengths.tolist(), strict=True)
    ):
        state = x[sentence, :nodes]
        head, tail = lattice.head[sentence, :nodes].tolist(), lattice.tail[sentence, :nodes].tolist()
        for index, layer in enumerate(encoder.layers):
            state, attention = _layer(encoder, layer, state, head, tail)
            weights[index].append(attention)
        states.append(state[:chars])
    return states, weights


def _layer(encoder, layer, x, head, tail):
    attention = layer.attention
    nodes, hidden = x.shape
    heads = attention.heads
    width = hidden // heads
    if not nodes:
        return x, x.new_zeros(heads, 0, 0)
    query, key, value = attention.query(x), attention.key(x), attention.value(x)
    scores = []
    for i in range(nodes):
        for j in range(nodes):
            distances = [head[i] - head[j], head[i] - tail[j], tail[i] - head[j], tail[i] - tail[j]]
            if not encoder.positions.four_distances:
                distances = [distances[0], distances[3]]
            p = torch.cat([sinusoid(distance, hidden) for distance in distances])
            r = attention.relative_key(torch.relu(encoder.positions.fusion(p)))
            for n in range(heads):
                part = slice(n * width, (n + 1) * width)
                content = (query[i, part] + attention.content_bias[n]) @ key[j, part]
                position = (query[i, part] + attention.position_bias[n]) @ r[part]
                scores.append((content + position) / (math.sqrt(width) if attention.factor != 1 else 1))
    weights = torch.stack(scores).view(nodes, nodes, heads).softmax(1).permute(2, 0, 1)
    parts = [weights[n] @ value[:, n * width : (n + 1) * width] for n in range(heads)]
    out = attention.output(torch.cat(parts, dim=1))
    x = layer.attention_norm(out + (x if layer.residual else out))
    inner = layer.ffn[3](torch.relu(layer.ffn[0](x)))
    return layer.ffn_norm(inner + (x if layer.residual else inner)), weights


def random_lattice(sentences: int, longest: int, seed: int, lengths=(1, 2, 2, 2, 3, 4, 6, 9)) -> Lattice:
    """Sentences of 1 to ``longest`` characters with about half as many words of these lengths."""
    choice = random.Random(seed)
    chars = [longest] + [choice.randint(1, longest) for _ in range(sentences - 1)]
    words = []
    for count in chars:
        matched = []
        for _ in range(count // 2):
            length = choice.choice([n for n in lengths if n <= count] or [1])
            head = choice.randint(0, count - length)
            matched.append((head, head + length - 1))
        words.append(matched)
    return Lattice.of_words(chars, words)


def random_encoder(seed: int = 0, hidden: int = 8, heads: int = 2, layers: int = 2, **options) -> FlatEncoder:
    """A float64 encoder whose every parameter, biases too, is far from zero."""
    torch.manual_seed(seed)
    encoder = FlatEncoder(hidden, heads, layers, 12, ffn_dropout=0.0, **options).double()
    for parameter in encoder.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return encoder


def nodes_of(lattice: Lattice, hidden: int = 8, seed: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*lattice.head.shape, hidden, generator=generator, dtype=torch.float64)
