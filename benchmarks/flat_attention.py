"""How fast and how small FLAT's relative attention is here, next to the form in which it was published.

    python benchmarks/flat_attention.py [--lengths 50 100 200 400] [--json]

One whole FLAT layer (attention, residuals, norms, feed-forward) from lattice nodes to the characters a CRF
reads, in variants with the same parameters, timed in turn in one process:

- ``naive``: the published code's form; builds ``[B, L, L, 4H]`` and scores every pair of nodes.
- ``unique``: the published memory trick; fuses each different tuple of four distances once, then spreads it.
  Tuples are told apart as single numbers, which is kinder to it than the published ``torch.unique(dim=0)``.
- ``latticelens``: ``core.layers.FlatEncoder`` with one layer, as the FLAT tagger runs it.
- ``fused``, on CUDA only: the same with its attention in one kernel that torch compiles.
- ``no_relative``: the layer without any relative term, the ceiling.

latticelens, fused and no_relative ask only for characters, since no later layer reads the words;
``--queries nodes`` makes them score every node, as the published code does. Before timing, all but the last
must agree.

``forward_seconds``: evaluation mode without gradients, tables that are constants of the model already made,
as when texts are tagged. ``train_seconds``: training mode, forward and backward, nothing kept between steps.
Both are medians over turns, in each of which the variants are timed one after the other. On a CPU they are
processor time, so that other work on the machine counts little; ``--threads 1`` also leaves out the time in
which threads wait for each other.

The two published forms cost by the pairs of nodes, up to a hundred times as much as ours. They are timed in
three of the turns, and with as many of the sentences as have 80,000 pairs, one at least: what they take is
multiplied to the whole batch (a step at length 200: 7.1 s so, 7.0 s with all sentences).

``peak_mib``: most bytes of tensors alive at once during a training step, beyond those alive before it, from
every allocation and release that torch's profiler records (on CUDA: the allocator's own peak).
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a file: core lies beside benchmarks

from core.layers import FlatEncoder, Lattice, sinusoids
from core.layers.flat.flat_encoder import FlatLayer
from core.layers.flat.layout_planning import plan_layout
from core.layers.flat.relative_attention import RelativeKeys

HIDDEN, HEADS, FFN = 160, 8, 480
# Words a jieba dictionary finds in running text, by length; 5 stands for all longer ones.
WORD_LENGTHS = {2: 75, 3: 17, 4: 7, 5: 1}
PAIRWISE = ("naive", "unique")  # which cost by the pairs of nodes
FUSED = "fused"
MOST_PAIRS = 80_000  # of nodes, in the sentences that these are timed with
PAIRWISE_TURNS = 3

Layer = Callable[[Tensor, Lattice], Tensor]


@dataclass(frozen=True)
class Row:
    """One line of the table: a variant at one total lattice length."""

    variant: str
    length: int
    forward_seconds: float
    train_seconds: float
    peak_mib: float


def realistic_lattices(length: int, batch: int, seed: int = 0) -> Lattice:
    """Sentences of ``length`` nodes, about two thirds of them characters, the others different words."""
    choice = random.Random(seed)
    chars = [round(2 * length / 3) + choice.randint(-(length // 20), length // 20) for _ in range(batch)]
    words: list[list[tuple[int, int]]] = []
    for count in chars:
        found: set[tuple[int, int]] = set()
        while len(found) < length - count:
            size = choice.choices(list(WORD_LENGTHS), list(WORD_LENGTHS.values()))[0]
            size = min(size if size < 5 else choice.randint(5, 8), count)
            head = choice.randint(0, count - size)
            found.add((head, head + size - 1))
        words.append(sorted(found))
    return Lattice.of_words(chars, words)


class PairwiseLayer(nn.Module):
    """The layer as published, with the parameters of an encoder; ``unique`` fuses distance tuples once."""

    def __init__(self, encoder: FlatEncoder, *, unique: bool) -> None:
        super().__init__()
        self.encoder, self.unique = encoder, unique

    def forward(self, x: Tensor, lattice: Lattice) -> Tensor:
        layer = _layer_of(self.encoder)
        attention = layer.attention
        # shape: (B, L, L, H) -> (B, N, L, D, L)
        relative = attention.relative_key(self._relative(lattice)).unflatten(-1, (HEADS, -1))
        relative = relative.permute(0, 3, 1, 4, 2)
        query, key, value = (_split(part(x)) for part in (attention.query, attention.key, attention.value))
        scores = (query + attention.content_bias[:, None]) @ key.transpose(2, 3)
        position_query = (query + attention.position_bias[:, None]).unsqueeze(3)
        scores = scores + (position_query @ relative).squeeze(3)
        weights = scores.masked_fill(~lattice.mask[:, None, None], -1e15).softmax(-1)
        return _close(layer, x, weights @ value)[:, : lattice.char_mask.shape[1]]

    def _relative(self, lattice: Lattice) -> Tensor:
        head, tail = lattice.head, lattice.tail
        reach = int(tail.max())
        table = sinusoids(torch.arange(-reach, reach + 1, device=head.device).float(), HIDDEN)
        pairs = [(head, head), (head, tail), (tail, head), (tail, tail)]
        distances = torch.stack([i[:, :, None] - j[:, None, :] + reach for i, j in pairs], dim=-1)
        fuse = self.encoder.positions.fusion
        if not self.unique:
            joined = torch.cat([table[distances[..., k]] for k in range(4)], dim=-1)  # shape: (B, L, L, 4H)
            return torch.relu(fuse(joined))
        # shape: (B, L, L); the four distances as the digits of one number
        number = (distances * (2 * reach + 1) ** torch.arange(4, device=head.device)).sum(-1)
        different, place = torch.unique(number, return_inverse=True)
        digits = [different // (2 * reach + 1) ** k % (2 * reach + 1) for k in range(4)]
        return torch.relu(fuse(torch.cat([table[digit] for digit in digits], dim=-1)))[place]


class TabledLayer(nn.Module):
    """The layer of ``core.layers``; with ``nodes`` every node asks, else characters only, as in FLAT."""

    def __init__(self, encoder: FlatEncoder, *, nodes: bool, fused: bool = False) -> None:
        super().__init__()
        self.encoder, self.nodes, self.fused = encoder, nodes, fused

    def forward(self, x: Tensor, lattice: Lattice) -> Tensor:
        _layer_of(self.encoder).attention.fused = self.fused
        if not self.nodes:
            return self.encoder(x, lattice).hidden
        layout = plan_layout(lattice, HIDDEN)
        relative = RelativeKeys(self.encoder.positions, layout)
        nodes = layout.chars + layout.words
        hidden, _ = _layer_of(self.encoder)(layout.gather(x), relative, queries=nodes)
        return hidden[:, : layout.chars] * layout.char_mask[..., None]


class PlainLayer(nn.Module):
    """The same layer with content scores only."""

    def __init__(self, encoder: FlatEncoder, *, nodes: bool) -> None:
        super().__init__()
        self.encoder, self.nodes = encoder, nodes

    def forward(self, x: Tensor, lattice: Lattice) -> Tensor:
        layer = _layer_of(self.encoder)
        attention, chars = layer.attention, lattice.char_mask.shape[1]
        asking = x if self.nodes else x[:, :chars]
        query, key, value = (
            _split(attention.query(asking)),
            _split(attention.key(x)),
            _split(attention.value(x)),
        )
        scores = (query + attention.content_bias[:, None]) @ key.transpose(2, 3)
        weights = scores.masked_fill(~lattice.mask[:, None, None], -1e15).softmax(-1)
        return _close(layer, asking, weights @ value)[:, :chars]


def measure(
    lengths: Sequence[int], batch: int, device: torch.device, repeats: int, nodes: bool = False
) -> list[Row]:
    """Time and size every variant at every length."""
    rows = []
    for length in lengths:
        torch.manual_seed(0)
        encoder = FlatEncoder(HIDDEN, HEADS, 1, FFN, ffn_dropout=0.0).to(device)
        works = {
            name: _work(length, sentences, device) for name, sentences in _sentences(length, batch).items()
        }
        variants: dict[str, nn.Module] = {
            "naive": PairwiseLayer(encoder, unique=False),
            "unique": PairwiseLayer(encoder, unique=True),
            "latticelens": TabledLayer(encoder, nodes=nodes),
            **({FUSED: TabledLayer(encoder, nodes=nodes, fused=True)} if device.type == "cuda" else {}),
            "no_relative": PlainLayer(encoder, nodes=nodes),
        }
        _check_agreement(variants, *works["naive"])
        times = _times(variants, works, repeats)
        for name, layer in variants.items():
            x, lattice = works[name]
            share = batch / len(x)
            forward, train = (statistics.median(values) * share for values in zip(*times[name], strict=True))
            peak = _peak_bytes(layer, x, lattice) * share / 2**20
            rows.append(Row(name, length, forward, train, round(peak, 1)))
    return rows


def _sentences(length: int, batch: int) -> dict[str, int]:
    """How many sentences each variant is timed with."""
    few = max(1, min(batch, MOST_PAIRS // length**2))
    others = ("latticelens", FUSED, "no_relative")
    return {**dict.fromkeys(PAIRWISE, few), **dict.fromkeys(others, batch)}


def _work(length: int, sentences: int, device: torch.device) -> tuple[Tensor, Lattice]:
    torch.manual_seed(0)
    x = torch.randn(sentences, length, HIDDEN, device=device, requires_grad=True)
    return x, realistic_lattices(length, sentences).to(device)


def _check_agreement(variants: dict[str, nn.Module], x: Tensor, lattice: Lattice) -> None:
    with torch.no_grad():
        known = {name: layer.eval()(x, lattice) for name, layer in variants.items() if name != "no_relative"}
    for name, hidden in known.items():
        difference = ((hidden - known["latticelens"]) * lattice.char_mask[..., None]).abs().max().item()
        if difference > 1e-3:
            raise SystemExit(f"{name} and latticelens disagree by {difference}: nothing to compare")


def _times(
    variants: dict[str, nn.Module], works: Mapping[str, tuple[Tensor, Lattice]], repeats: int
) -> dict[str, list[tuple[float, float]]]:
    """Seconds of forward and of forward and backward, turn by turn, the variants one after the other."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in variants}
    spread = max(1, repeats // PAIRWISE_TURNS)  # between turns of the slow ones
    for turn in range(repeats + 1):
        for name, layer in variants.items():
            if name in PAIRWISE and (turn % spread or turn // spread > PAIRWISE_TURNS or not turn):
                continue
            x, lattice = works[name]
            seconds = _seconds(partial(_train, layer.train(), x, lattice), x.device)
            layer.eval()
            with torch.no_grad():
                layer(x, lattice)  # makes what evaluation keeps
                still = _seconds(partial(layer, x, lattice), x.device)
            if turn:  # the first turn warms up
                times[name].append((still, seconds))
    return times


def _seconds(work: Callable[[], object], device: torch.device) -> float:
    if device.type == "cpu":
        start = time.process_time()
        work()
        return time.process_time() - start
    torch.cuda.synchronize(device)
    start = time.perf_counter()
    work()
    torch.cuda.synchronize(device)
    return time.perf_counter() - start


def _train(layer: nn.Module, x: Tensor, lattice: Lattice) -> None:
    layer.zero_grad(set_to_none=True)
    x.grad = None
    layer(x, lattice).square().mean().backward()


def _peak_bytes(layer: nn.Module, x: Tensor, lattice: Lattice) -> int:
    layer.train()
    layer.zero_grad(set_to_none=True)
    x.grad = None
    if x.device.type == "cuda":
        torch.cuda.synchronize(x.device)
        torch.cuda.reset_peak_memory_stats(x.device)
        before = torch.cuda.memory_allocated(x.device)
        _train(layer, x, lattice)
        torch.cuda.synchronize(x.device)
        return torch.cuda.max_memory_allocated(x.device) - before
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True, acc_events=True
    ) as profile:
        _train(layer, x, lattice)
    changes = [
        (event.start_ns(), event.nbytes())
        for event in profile.profiler.kineto_results.events()
        if event.name() == "[memory]"
    ]
    alive = peak = 0
    for _, size in sorted(changes, key=lambda change: change[0]):
        alive += size
        peak = max(peak, alive)
    return peak


def _layer_of(encoder: FlatEncoder) -> FlatLayer:
    (layer,) = encoder.layers
    assert isinstance(layer, FlatLayer)
    return layer


def _split(x: Tensor) -> Tensor:
    return x.unflatten(-1, (HEADS, -1)).transpose(1, 2)


def _close(layer: FlatLayer, x: Tensor, heads: Tensor) -> Tensor:
    x = layer.attention_norm(x + heads.transpose(1, 2).flatten(2))
    return layer.ffn_norm(x + layer.ffn(x))


def table(rows: Sequence[Row]) -> str:
    """The rows as text, each in multiples of latticelens, and latticelens in multiples of no_relative."""
    lines = [f"{'length':>6}  {'variant':<12}{'forward ms':>12}{'train ms':>12}{'peak MiB':>12}   ratios"]
    ours = {row.length: row for row in rows if row.variant == "latticelens"}
    ceilings = {row.length: row for row in rows if row.variant == "no_relative"}
    for row in rows:
        own = ours[row.length]
        if row is own:
            ratios = f"{_ratios(own, ceilings[row.length])} of no_relative"
        else:
            ratios = f"{_ratios(row, own)} of latticelens"
        times = f"{row.forward_seconds * 1e3:>12.2f}{row.train_seconds * 1e3:>12.2f}{row.peak_mib:>12.1f}"
        lines.append(f"{row.length:>6}  {row.variant:<12}{times}   {ratios}")
    return "\n".join(lines)


def _ratios(row: Row, base: Row) -> str:
    forward, train = row.forward_seconds / base.forward_seconds, row.train_seconds / base.train_seconds
    return f"{forward:.2f}x forward, {train:.2f}x train, {row.peak_mib / base.peak_mib:.1f}x memory"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="FLAT's relative attention, next to its published form.")
    parser.add_argument(
        "--lengths", type=int, nargs="+", default=[50, 100, 200, 400], help="nodes per sentence"
    )
    parser.add_argument("--batch", type=int, default=16, help="sentences")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:1")
    parser.add_argument("--repeats", type=int, default=9, help="turns timed; the median counts")
    parser.add_argument("--threads", type=int, default=None, help="torch threads (default: torch's)")
    parser.add_argument(
        "--queries", choices=["characters", "nodes"], default="characters", help="which nodes ask in ours"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    given = parser.parse_args(arguments)
    if given.threads:
        torch.set_num_threads(given.threads)
    rows = measure(
        given.lengths, given.batch, torch.device(given.device), given.repeats, given.queries == "nodes"
    )
    print(json.dumps({"rows": [asdict(row) for row in rows]}) if given.json else table(rows))


if __name__ == "__main__":
    main()
