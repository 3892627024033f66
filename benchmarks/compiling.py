"""What ``torch.compile`` brings FLAT's encoder and BERT on one processor, as a table in docs/results.md.

    python -m benchmarks.compiling [--lengths 50,100] [--batch 16] [--rounds 15] [--page docs/results.md]

Both have random weights: FLAT's encoder as wide as its defaults, over sentences with a word for every second
character, and a BERT of 4 layers, 312 wide. The same batch goes through the module and the compiled one in
turn, to be tagged and to be learned from (forward and backward); seconds are of the processor, the fastest
round counts. The plan of FLAT's layout, numpy, stays out of what is compiled: torch fails on it. Compiling
needs a C++ compiler, and ends with an error where there is none.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from benchmarks.resume import machine, write_between_markers
from core.layers import FlatEncoder, Lattice
from core.layers.flat import flat_encoder
from core.taggers.flat.config import FlatConfig

BEGIN, END = "<!-- compiling: written by benchmarks/compiling.py -->", "<!-- compiling: end -->"
CLOSE = 1e-3
Forward = Callable[[Callable[..., Any]], Tensor]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure both encoders at every length, print the table, and write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lengths", default="50,100", help="characters of a sentence (default 50,100)")
    parser.add_argument("--batch", type=int, default=16, help="sentences (default 16)")
    parser.add_argument("--rounds", type=int, default=15, help="of each form (default 15)")
    parser.add_argument("--page", type=Path, help="page to write the table into")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    flat_encoder.plan_layout = torch.compiler.disable(flat_encoder.plan_layout)
    environment = {
        "gpu": None, "threads": 1, "system": sys.platform, "python": sys.version.split()[0],
        "torch": torch.__version__,
    }  # fmt: skip
    lines = [f"Batches of {args.batch}. {machine(environment)}, {date.today().isoformat()}.", ""]
    lines += ["| encoder | characters | use | plain, ms | compiled, ms | times as fast | compiling, s |"]
    lines += [f"|{'---|' * 7}"]
    for length in map(int, args.lengths.split(",")):
        for name, (module, forward) in encoders(args.batch, length).items():
            for learning in (False, True):
                plain, compiled, begun = compare(module, forward, learning, args.rounds)
                use = "training step" if learning else "tagging"
                cells = [name, str(length), use, f"{1e3 * plain:.1f}", f"{1e3 * compiled:.1f}"]
                lines.append(f"| {' | '.join([*cells, f'{plain / compiled:.2f}', f'{begun:.0f}'])} |")
                print(lines[-1], file=sys.stderr, flush=True)
    table = "\n".join(lines)
    print(table)
    if args.page is not None:
        write_between_markers(args.page, table, BEGIN, END)
    return 0


def encoders(batch: int, length: int) -> dict[str, tuple[nn.Module, Forward]]:
    """FLAT's encoder and a BERT, without dropout, each with what sends one batch through it."""
    options = FlatConfig()
    flat = FlatEncoder(options.hidden, options.heads, options.layers, options.ffn, ffn_dropout=0.0)
    words = [[(head, head + 1) for head in range(0, length - 1, 2)]] * batch
    lattice = Lattice.of_words([length] * batch, words)
    nodes = torch.randn(*lattice.head.shape, options.hidden)
    config = BertConfig(
        vocab_size=4000, hidden_size=312, num_hidden_layers=4, num_attention_heads=12, intermediate_size=1200,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    pieces = torch.randint(0, 4000, (batch, length))
    return {
        "FLAT": (flat, lambda module: module(nodes, lattice).hidden),
        "BERT": (BertModel(config), lambda module: module(pieces).last_hidden_state),
    }


def compare(module: nn.Module, forward: Forward, learning: bool, rounds: int) -> tuple[float, float, float]:
    """Seconds of the module and of the compiled one, and those by the clock until the first result of this.

    Raises:
        SystemExit: the two give different hidden states.
    """
    module.train(learning)
    torch.compiler.reset()
    forms: list[Callable[..., Any]] = [module, torch.compile(module)]
    start = time.perf_counter()
    own, other = (_once(form, forward, learning) for form in forms)
    begun = time.perf_counter() - start
    if not torch.allclose(own, other, atol=CLOSE):
        raise SystemExit("the compiled module gives other hidden states")
    best = [float("inf")] * len(forms)
    for _ in range(rounds):
        for number, form in enumerate(forms):
            module.zero_grad()
            start = time.process_time()
            _once(form, forward, learning)
            best[number] = min(best[number], time.process_time() - start)
    return best[0], best[1], begun


def _once(form: Callable[..., Any], forward: Forward, learning: bool) -> Tensor:
    """The hidden states of one batch; in learning the gradients are computed too."""
    context: AbstractContextManager[object] = nullcontext() if learning else torch.no_grad()
    with context:
        hidden = forward(form)
        if learning:
            hidden.square().mean().backward()
    return hidden.detach()


if __name__ == "__main__":
    raise SystemExit(main())
