"""Batches for a masked language model: stretches of text with special pieces and masks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor

from core.learning.mlm.config import MlmConfig
from core.learning.mlm.corpus import Stretch
from core.learning.mlm.masking import Group, Replacement, choose_pieces, choose_spans, choose_words


@dataclass(frozen=True)
class MlmBatch:
    """B stretches of at most P pieces, of which M are predicted.

    Args:
        ids: input of the model, ``[B, P]``. types: segment of each piece, ``[B, P]``. mask: True at pieces,
            ``[B, P]``.
        hidden: positions to predict in ``[B * P]``, ascending, ``[M]``. expected: their ids, ``[M]``.
        answers: targets of the second task, ``[B]``; -100 for none.
        beside: with the span boundary objective, for every position to predict, the positions of the pieces
            before and after its span, in ``[B * P]``, and its place in the span, from 0, ``[M, 3]``; -1 in
            all three where one of the pieces is missing. Empty without the objective.
    """

    ids: Tensor
    types: Tensor
    mask: Tensor
    hidden: Tensor
    expected: Tensor
    answers: Tensor
    beside: Tensor

    def to(self, device: torch.device | str) -> MlmBatch:
        """The same batch on ``device``."""
        return MlmBatch(*(getattr(self, field.name).to(device) for field in fields(self)))

    def share(self, index: int, count: int) -> MlmBatch:
        """Every ``count``-th stretch, from number ``index`` on; there may be none."""
        width = self.ids.shape[1]
        own = torch.div(self.hidden, width, rounding_mode="floor") % count == index
        beside = self.beside[own] if len(self.beside) else self.beside
        at = beside[:, :2]
        return MlmBatch(
            ids=self.ids[index::count],
            types=self.types[index::count],
            mask=self.mask[index::count],
            hidden=_among_rows(self.hidden[own], width, count),
            expected=self.expected[own],
            answers=self.answers[index::count],
            beside=torch.cat([torch.where(at < 0, at, _among_rows(at, width, count)), beside[:, 2:]], dim=1),
        )


def _among_rows(places: Tensor, width: int, count: int) -> Tensor:
    """Positions in rows of this width, once only every ``count``-th row is left."""
    rows = torch.div(places, width, rounding_mode="floor")
    return torch.div(rows, count, rounding_mode="floor") * width + places % width


class Template:
    """The special pieces that a tokenizer puts around one or two segments.

    Args:
        tokenizer: of the ``tokenizers`` library; a copy is kept.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        joiner = Tokenizer.from_str(tokenizer.to_str())
        joiner.no_truncation()
        joiner.no_padding()
        cutter = Tokenizer.from_str(joiner.to_str())
        cutter.post_processor = None
        self._one = joiner.post_process(cutter.encode("a"))
        self._two = joiner.post_process(cutter.encode("a"), cutter.encode("a"))

    def room(self, pairs: bool) -> int:
        """Number of special pieces."""
        return sum(side is None for side in (self._two if pairs else self._one).sequence_ids)

    def fill(self, stretch: Stretch) -> tuple[list[int], list[int], list[int | None]]:
        """Ids, types, and the position of every piece in the stretch, None for special pieces."""
        parts = [stretch.first[0], *([stretch.second[0]] if stretch.second is not None else [])]
        form: Encoding = self._two if stretch.second is not None else self._one
        begins = [0, len(parts[0])]
        ids: list[int] = []
        types: list[int] = []
        places: list[int | None] = []
        put: set[int] = set()
        for id_, kind, side in zip(form.ids, form.type_ids, form.sequence_ids, strict=True):
            if side is None:
                ids.append(id_)
                types.append(kind)
                places.append(None)
            elif side not in put:
                put.add(side)
                ids += parts[side].tolist()
                types += [kind] * len(parts[side])
                places += range(begins[side], begins[side] + len(parts[side]))
        return ids, types, places


class MlmBatches:
    """Makes batches, with masks drawn from the generator given to each call.

    Args:
        tokenizer: of the ``tokenizers`` library. config: what is masked, and how.
        mask: id of the mask. special: ids never used as random replacements; of those in the text only the
            unknown piece is ever predicted, as in BERT's code. rows: number of ids.
        padding: id of the padding.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        config: MlmConfig,
        *,
        mask: int,
        special: Sequence[int],
        rows: int,
        padding: int,
    ) -> None:
        self.template = Template(tokenizer)
        self._config, self._padding = config, padding
        others = np.setdiff1d(np.arange(rows), np.array(list(special), dtype=np.int64))
        self._replace = Replacement(mask, others, config.masked, config.random)

    def __call__(self, stretches: Sequence[Stretch], rng: np.random.Generator) -> MlmBatch:
        """The batch of these stretches."""
        filled = [self.template.fill(stretch) for stretch in stretches]
        width = max(len(ids) for ids, _, _ in filled)
        seen = np.full((len(filled), width), self._padding, dtype=np.int64)
        types = np.zeros_like(seen)
        mask = np.zeros_like(seen, dtype=bool)
        hidden: list[int] = []
        expected: list[int] = []
        beside: list[tuple[int, int, int]] = []
        for row, (stretch, (ids, kinds, places)) in enumerate(zip(stretches, filled, strict=True)):
            row_ids = np.array(ids, dtype=np.int64)
            at = [column for column, place in enumerate(places) if place is not None]
            groups = [[at[place] for place in group] for group in self._choose(stretch, rng)]
            chosen = sorted(place for group in groups for place in group)
            hidden += [row * width + place for place in chosen]
            expected += row_ids[chosen].tolist()
            if self._config.span_boundary:
                beside += _beside(sorted(groups), row * width, len(ids))
            seen[row, : len(ids)] = self._replace(row_ids, groups, rng)
            types[row, : len(ids)] = kinds
            mask[row, : len(ids)] = True
        return MlmBatch(
            ids=torch.from_numpy(seen),
            types=torch.from_numpy(types),
            mask=torch.from_numpy(mask),
            hidden=torch.tensor(hidden, dtype=torch.long),
            expected=torch.tensor(expected, dtype=torch.long),
            answers=torch.tensor([stretch.answer for stretch in stretches], dtype=torch.long),
            beside=torch.tensor(beside, dtype=torch.long).view(-1, 3),
        )

    def _choose(self, stretch: Stretch, rng: np.random.Generator) -> list[Group]:
        config = self._config
        words = stretch.first[1]
        if stretch.second is not None:
            second = stretch.second[1]
            # Both segments may use the same word numbers, so those of the second are shifted.
            words = np.concatenate([words, second - second.min() + words.max() + 1])
        if config.masking == "pieces":
            return choose_pieces(len(words), config.share, rng)
        if config.masking == "words":
            return choose_words(words.tolist(), config.share, rng)
        return choose_spans(words.tolist(), config.share, rng, config.span_rate, config.longest_span)


def _beside(groups: Sequence[Group], first: int, length: int) -> Iterator[tuple[int, int, int]]:
    """What `MlmBatch.beside` says of every piece of a row.

    Args:
        groups: columns of each span, ascending. first: position of the row's first piece. length: of the row.
    """
    for group in groups:
        before, after = group[0] - 1, group[-1] + 1
        # A family without special pieces has nothing beside a span at the end of its text.
        has_both = before >= 0 and after < length
        for place in range(len(group)):
            yield (first + before, first + after, place) if has_both else (-1, -1, -1)
