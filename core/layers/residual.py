"""A residual connection around a layer of any width."""

from __future__ import annotations

import torch
from torch import Tensor, nn

RESIDUALS = ("add", "concat", "none")


class Residual(nn.Module):
    """``F(x) = f(x) + W x``; W is the identity if f keeps the width, and a linear layer otherwise.

    Args:
        inner: f, from ``[B, T, width]`` and a mask ``[B, T]`` to ``[B, T, inner.width]``.
        width: of the input. how: ``add``; ``concat`` concatenates f(x) and x; ``none`` is f alone.

    Attributes:
        width: of the output.

    Raises:
        ValueError: there is no such connection.
    """

    def __init__(self, inner: nn.Module, width: int, how: str = "add") -> None:
        super().__init__()
        if how not in RESIDUALS:
            raise ValueError(f"there is no residual connection {how!r}; there are: {', '.join(RESIDUALS)}")
        inner_width = inner.width
        assert isinstance(inner_width, int)
        self.inner = inner
        self.how = how
        self.width = inner_width + width if how == "concat" else inner_width
        self.shortcut: nn.Module = nn.Identity()
        if how == "add" and inner_width != width:
            self.shortcut = nn.Linear(width, inner_width, bias=False)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """``[B, T, width of the input]`` to ``[B, T, width]``, zero where ``mask`` is False."""
        inner: Tensor = self.inner(x, mask)
        match self.how:
            case "add":
                inner = inner + self.shortcut(x)
            case "concat":
                inner = torch.cat([inner, x], dim=-1)
        return inner * mask[..., None]
