"""The hidden states of a tagger's layers at every character, read while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

EMBEDDINGS = "embeddings"
ENCODER = "encoder"
LAYER = "layer"
CONTEXT = "context"
MIXED = "mixed"
OUTPUT = "output"


class LayerState(NamedTuple):
    """What one layer says of every character.

    Args:
        name: ``embeddings`` (what the tagger's own layers read), ``encoder 0`` (the embeddings of a
            pretrained encoder), ``encoder 1`` and so on (its layers), ``mixed`` (those joined), ``layer 1``
            and so on (layers of the tagger's own), ``context`` (its recurrent layers), ``output`` (what the
            scores are made of, where that is none of the others).
        states: ``[B, T, D]``, zero at padding.
    """

    name: str
    states: Tensor


Reader = Callable[[tuple[Any, ...], Any], Iterable[LayerState]]


@dataclass(frozen=True, slots=True)
class Watch:
    """A module whose call shows states.

    Args:
        module: is called once for a batch.
        read: from its positional arguments and what it gave to the states of characters; positions behind
            the T characters of the longest sentence are cut off.
    """

    module: nn.Module
    read: Reader


def entering(name: str, module: nn.Module) -> Watch:
    """What ``module`` is given first."""
    return Watch(module, lambda given, _: [LayerState(name, given[0])])


def leaving(name: str, module: nn.Module) -> Watch:
    """What ``module`` gives, or the first of what it gives."""
    return Watch(module, lambda _, made: [LayerState(name, made if isinstance(made, Tensor) else made[0])])


def numbered(name: str, layers: Iterable[nn.Module]) -> list[Watch]:
    """What each of these layers gives, counted from 1."""
    return [leaving(f"{name} {number}", layer) for number, layer in enumerate(layers, start=1)]


@contextmanager
def watching(watches: Sequence[Watch]) -> Iterator[list[list[LayerState]]]:
    """While the block runs, every watched call leaves its states: one list for each watch, in their order."""
    found: list[list[LayerState]] = [[] for _ in watches]

    def keeper(place: int, read: Reader) -> Callable[..., None]:
        def keep(module: nn.Module, given: tuple[Any, ...], made: Any) -> None:
            found[place] = list(read(given, made))

        return keep

    hooks = [
        watch.module.register_forward_hook(keeper(place, watch.read)) for place, watch in enumerate(watches)
    ]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()


def at_characters(seen: Sequence[LayerState], mask: Tensor) -> list[LayerState]:
    """Layers cut to the characters, zero elsewhere; the last one only where it differs from the one below.

    Args:
        seen: lowest first, each ``[B, L, D]`` with L at least T. mask: True at characters, ``[B, T]``.
    """
    inside = mask[..., None]
    # Behind the characters a lattice has words; a shorter sentence's words stand where others have text.
    cut = [LayerState(name, states[:, : mask.shape[1]] * inside) for name, states in seen]
    same = len(cut) > 1 and cut[-1].states.shape == cut[-2].states.shape
    return cut[:-1] if same and torch.equal(cut[-1].states, cut[-2].states) else cut
