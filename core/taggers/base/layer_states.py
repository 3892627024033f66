"""The hidden states of a tagger's layers at every character, captured by forward hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from core.text.units import Units

EMBEDDINGS = "embeddings"
ENCODER = "encoder"
LAYER = "layer"
CONTEXT = "context"
MIXED = "mixed"
OUTPUT = "output"


class LayerState(NamedTuple):
    """The states of one layer at every character.

    Args:
        name: ``embeddings`` (what the tagger's own layers read), ``encoder 0`` (the embeddings of a
            pretrained encoder), ``encoder 1`` and so on (its layers), ``mixed`` (their mix), ``layer 1`` and
            so on (the tagger's own layers), ``context`` (its recurrent layers), ``output`` (the input of the
            scores, unless it is one of the others).
        states: ``[B, T, D]``, zero at padding.
    """

    name: str
    states: Tensor


StateReader = Callable[[tuple[Any, ...], Any], Iterable[LayerState]]


@dataclass(frozen=True, slots=True)
class LayerHook:
    """A module whose call yields hidden states.

    Args:
        module: called once per batch.
        read: maps its positional arguments and its output to states of characters; positions beyond the T
            characters of the longest sentence are cut off.
    """

    module: nn.Module
    read: StateReader


def input_hook(name: str, module: nn.Module) -> LayerHook:
    """Captures the first argument of ``module``."""
    return LayerHook(module, lambda inputs, _: [LayerState(name, inputs[0])])


def output_hook(name: str, module: nn.Module) -> LayerHook:
    """Captures the output of ``module``, or the first item of it."""
    return LayerHook(
        module, lambda _, output: [LayerState(name, output if isinstance(output, Tensor) else output[0])]
    )


def numbered_hooks(name: str, layers: Iterable[nn.Module]) -> list[LayerHook]:
    """Captures the output of each of these layers, numbered from 1."""
    return [output_hook(f"{name} {number}", layer) for number, layer in enumerate(layers, start=1)]


@contextmanager
def capture_layers(hooks: Sequence[LayerHook]) -> Iterator[list[list[LayerState]]]:
    """Collect the states of the forward pass in the block: one list per hook, in order."""
    captured: list[list[LayerState]] = [[] for _ in hooks]

    def recorder(index: int, read: StateReader) -> Callable[..., None]:
        def record(module: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:
            captured[index] = list(read(inputs, output))

        return record

    handles = [
        hook.module.register_forward_hook(recorder(index, hook.read)) for index, hook in enumerate(hooks)
    ]
    try:
        yield captured
    finally:
        for handle in handles:
            handle.remove()


def at_characters(layers: Sequence[LayerState], mask: Tensor, units: Sequence[Units]) -> list[LayerState]:
    """The layers at the characters, zero elsewhere; the last is dropped if it equals the one below.

    Every character of a word has the word's state; blanks between words have none.

    Args:
        layers: lowest first, each ``[B, L, D]`` with L at least T. mask: True at units, ``[B, T]``.
        units: of each sentence.
    """
    inside = mask[..., None]
    # In a lattice words follow the characters, so shorter sentences have words where others have text.
    trimmed = [LayerState(name, states[:, : mask.shape[1]] * inside) for name, states in layers]
    same = len(trimmed) > 1 and trimmed[-1].states.shape == trimmed[-2].states.shape
    kept = trimmed[:-1] if same and torch.equal(trimmed[-1].states, trimmed[-2].states) else trimmed
    if all(at.name == "character" for at in units):
        return kept
    owners = [torch.tensor(at.owners(), dtype=torch.long) for at in units]
    owner = nn.utils.rnn.pad_sequence(owners, batch_first=True, padding_value=-1).to(mask.device)
    rows = torch.arange(len(units), device=mask.device)[:, None]
    # Unit -1 reads the last one, whose state the product removes.
    return [LayerState(name, states[rows, owner] * (owner >= 0)[..., None]) for name, states in kept]
