"""Fewer layers take the place of a transformer's while it trains: BERT-of-Theseus (Xu et al., EMNLP 2020)."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn

from core.encoders.transformer import EncoderError, TransformerEncoder
from core.encoders.transformer_files import build_encoder

BASE_SHARE = 0.5  # how often a successor runs in the first epoch
_SAMPLE = "a b c"


class LayerReplacement:
    """The layers of a transformer, and the successors that take their place.

    The L layers are M groups of L / M, one after the other; successor m begins as a copy of layer m, as in
    the paper. In training a forward pass draws for each m whether the successor runs, with probability
    ``share``, or its group (section 3.1), whose weights never change. Otherwise, and with a share of 1, the
    successors alone run. The groups are no part of the encoder: they are not saved, and the encoder has M
    layers from now on. Unlike the paper's, the layers above the encoder are new and learn all the time.

    Args:
        encoder: with its weights, or on torch's meta device to check only; it is changed.
        layers: M.

    Attributes:
        share: p, the probability of a successor.

    Raises:
        EncoderError: M does not divide L, or a layer of this family cannot be taken out.
    """

    def __init__(self, encoder: TransformerEncoder, layers: int) -> None:
        stack = encoder.layers
        count = len(stack)
        if not 0 < layers < count or count % layers:
            raise EncoderError(
                "{layers} layers cannot take the place of {count}: the number must divide {count}; possible "
                "are {possible}",
                layers=layers,
                count=count,
                possible=[number for number in range(1, count) if count % number == 0],
            )
        self.share = 1.0
        size = count // layers
        on_meta = next(encoder.parameters()).is_meta
        expected = None if on_meta else _states(encoder)
        # In a list of lists, which torch does not look into: neither trained, saved nor counted.
        self._groups = [
            [deepcopy(layer).requires_grad_(False).eval() for layer in stack[start : start + size]]
            for start in range(0, count, size)
        ]
        del stack[layers:]
        encoder.model.config.get_text_config().num_hidden_layers = encoder.layer_count = layers
        for number, successor in enumerate(stack):
            successor.forward = partial(self._forward, number, successor)
        if expected is not None:
            self._check(encoder, expected)
        for layer in chain.from_iterable(self._groups):
            layer.train()  # they run in training alone

    def begin_epoch(self, epoch: int, epochs: int) -> None:
        """Set the share for this epoch, 0-based, so that it is 1 after ``epochs`` of them.

        It rises evenly from epoch to epoch: the curriculum of section 3.3.
        """
        self.share = min(1.0, BASE_SHARE + (1 - BASE_SHARE) * epoch / epochs) if epochs else 1.0

    def _forward(self, number: int, successor: nn.Module, states: Tensor, *args: Any, **options: Any) -> Any:
        if not successor.training or self.share >= 1 or float(torch.rand(())) < self.share:
            return type(successor).forward(successor, states, *args, **options)
        return self._run_group(number, states, *args, **options)

    def _run_group(self, number: int, states: Tensor, *args: Any, **options: Any) -> Any:
        output: Any = states
        for layer in self._groups[number]:
            layer.to(states.device)
            # Not called: what listens to layers would take each for one of the encoder's.
            output = layer.forward(states, *args, **options)
            states = output[0] if isinstance(output, tuple) else output
        return output

    def _check(self, encoder: TransformerEncoder, expected: Tensor) -> None:
        """That the groups compute what the encoder did, and that what remains can be saved and built anew."""
        kind = repr(encoder.model.config.model_type)
        stack = encoder.layers
        own = [layer.forward for layer in stack]
        try:
            for number, layer in enumerate(stack):
                layer.forward = partial(self._run_group, number)
            same = torch.allclose(_states(encoder), expected, atol=1e-5)
            with torch.device("meta"):
                anew = build_encoder(deepcopy(encoder.model.config), kind).state_dict()
        except Exception as error:  # families whose layers need more than states raise all kinds of errors
            raise EncoderError(
                "the layers of a {kind} model cannot be replaced ({reason}); leave them as they are",
                kind=kind,
                reason=error,
            ) from error
        finally:
            for layer, forward in zip(stack, own, strict=True):
                layer.forward = forward
        kept = encoder.model.state_dict()
        shapes = {name: value.shape for name, value in kept.items()}
        if not same or shapes != {name: value.shape for name, value in anew.items()}:
            raise EncoderError(
                "the layers of a {kind} model do more than follow one another, so none can be taken out; "
                "leave them as they are",
                kind=kind,
            )


@torch.no_grad()
def _states(encoder: TransformerEncoder) -> Tensor:
    """What an encoder gives for a short text."""
    training = encoder.training
    try:
        return encoder.eval()(encoder.tokenize([_SAMPLE])).states[-1]
    finally:
        encoder.train(training)
