"""The base of graphs: from the arrays of `core.export.onnx.features` to tag scores."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from core.taggers.sequence.encoder_features import EncoderFeatures
from core.taggers.sequence.word_reader import TokenRows


class Graph(nn.Module):
    """The base: pieces to units, and the tag layer.

    Args:
        tagger: a copy, which is changed.

    Attributes:
        outputs: the names of what ``forward`` returns.
    """

    outputs: tuple[str, ...] = ("scores",)

    def __init__(self, tagger: Any) -> None:
        super().__init__()
        self.tagger = tagger

    def unit_states(self, features: EncoderFeatures, arrays: dict[str, Tensor]) -> Tensor:
        """The mixed states of the transformer at units, ``[B, T, D]``."""
        encoder = features.encoder
        inputs = {"input_ids": arrays["piece_ids"], "attention_mask": arrays["piece_mask"]}
        if encoder.segment_types:
            inputs["token_type_ids"] = arrays["piece_types"].clamp(max=encoder.segment_types - 1)
        output = encoder.model(**inputs, output_hidden_states=True, return_dict=True)
        states = [*output.hidden_states[:-1], output.last_hidden_state]
        index = arrays["unit_pieces"]
        present = (index >= 0).to(states[-1].dtype)[..., None]  # shape: (B, T, M, 1)
        share = present / present.sum(2, keepdim=True).clamp(min=1.0)
        at_units = [
            (torch.nn.functional.embedding(index.clamp(min=0), state.flatten(0, 1)) * share).sum(2)
            if number in features.mix.chosen
            else state
            for number, state in enumerate(states)
        ]
        mixed: Tensor = features.mix(at_units).hidden
        return mixed

    def inputs(self, arrays: dict[str, Tensor]) -> Tensor:
        """The vectors of the tables or of words, and of a transformer below, ``[B, T, input_width]``."""
        tagger = self.tagger
        vectors = [self._words(arrays) if tagger.reader else tagger.characters.table(arrays["characters"])]
        if tagger.bigrams is not None:
            vectors.append(tagger.bigrams.table(arrays["bigrams"]))
        if tagger.features is not None:
            vectors.append(self.unit_states(tagger.features, arrays))
        return torch.cat(vectors, dim=-1)

    def _words(self, arrays: dict[str, Tensor]) -> Tensor:
        """The vectors of words, of their characters and their shapes."""
        tagger = self.tagger
        rows = TokenRows(arrays["tokens"], arrays.get("shapes"), arrays["spelt"], arrays["spellings"])
        shapes = None if rows.shapes is None else tagger.shapes.table(rows.shapes)
        own, characters = tagger.tokens.table(rows.tokens), tagger.characters.table(rows.spellings)
        read: Tensor = tagger.reader(own, characters, rows, shapes)
        return read

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        """The states that the tag layer reads, ``[B, T, D]``."""
        raise NotImplementedError

    def forward(self, arrays: dict[str, Tensor]) -> Tensor | tuple[Tensor, ...]:
        """Tag scores, ``[B, T, K]``; anything at padding."""
        scores: Tensor = self.tagger.emission(self.hidden(arrays))
        return scores
