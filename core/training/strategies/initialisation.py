"""Initialisation of the weight matrices of a fresh tagger."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torch import Tensor, nn

GATES = {nn.LSTM: 4, nn.GRU: 3, nn.RNN: 1}


def initialise(module: nn.Module, name: str, scale: float = 0.0) -> None:
    """Reinitialise the matrices of torch's linear, convolution and recurrent layers, from the global
    generator.

    xavier: Glorot and Bengio (AISTATS 2010); kaiming: He et al. (ICCV 2015). Every gate of a recurrent layer
    is a separate matrix. Biases, norms, the CRF, embeddings and encoders keep their values, and so do custom
    recurrent cells (Lattice LSTM).

    Args:
        module: a tagger fresh from ``build``, or any module of torch layers.
        name: one of ``INITIALISATIONS``; ``own`` changes nothing.
        scale: gain of xavier and kaiming (0 for 1), standard deviation of normal or bound of uniform (0 for
            0.02).
    """
    if name == "own":
        return
    draw = _initialiser(name, scale)
    for matrix in fresh_matrices(module):
        draw(matrix)


def fresh_matrices(whole: nn.Module) -> Iterator[Tensor]:
    """The matrices that ``initialise`` draws, each once, without gradient."""
    encoders = {id(inner) for module in whole.modules() if _is_encoder(module) for inner in module.modules()}
    for module in whole.modules():
        if id(module) in encoders:
            continue
        if isinstance(module, nn.Linear | nn.Conv1d | nn.Conv2d):
            yield module.weight.data
        elif isinstance(module, nn.MultiheadAttention) and module.in_proj_weight is not None:
            yield from module.in_proj_weight.data.chunk(3)
        elif isinstance(module, nn.RNNBase):
            for name, weight in module.named_parameters(recurse=False):
                if name.startswith("weight"):
                    yield from weight.data.chunk(1 if "hr" in name else GATES[type(module)])


def _is_encoder(module: nn.Module) -> bool:
    """Whether the module is a pretrained encoder, ours or of transformers."""
    home = type(module).__module__
    ours = __name__.removesuffix("training.strategies.initialisation") + "encoders."
    return home.startswith((ours, "transformers."))


def _initialiser(name: str, scale: float) -> Callable[[Tensor], Tensor]:
    """The function that fills a matrix ``[out, in, …]``."""
    gain, width = scale or 1.0, scale or 0.02
    drawings: dict[str, Callable[[Tensor], Tensor]] = {
        "xavier_uniform": lambda matrix: nn.init.xavier_uniform_(matrix, gain),
        "xavier_normal": lambda matrix: nn.init.xavier_normal_(matrix, gain),
        "kaiming_uniform": lambda matrix: nn.init.kaiming_uniform_(matrix, nonlinearity="relu").mul_(gain),
        "kaiming_normal": lambda matrix: nn.init.kaiming_normal_(matrix, nonlinearity="relu").mul_(gain),
        "normal": lambda matrix: nn.init.normal_(matrix, 0.0, width),
        "uniform": lambda matrix: nn.init.uniform_(matrix, -width, width),
    }
    return drawings[name]
