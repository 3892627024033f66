"""The pipeline ``latticelens-ner``: the spans of a LatticeLens run from a plain token classification model.

A copy of this file lies in every exported folder, as ``latticelens_pipeline.py``; it needs numpy, torch and
transformers alone. ``pipeline("latticelens-ner", model=folder, trust_remote_code=True)`` loads it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers import Pipeline

from core.export.tag_decoding import TagDecoder

Integers = NDArray[np.int64]
Places = list[tuple[int, int]]
_SURROGATE = re.compile("[\ud800-\udfff]")


class SpanPipeline(Pipeline):
    """Text to spans: scores of word pieces become scores of characters (or words), a CRF decides.

    A call takes a text, or ``{"text": …, "words": [[start, end], …]}`` where the run tags words, and returns
    dicts like those of ``token-classification`` with an aggregation strategy: ``entity_group``, ``score``,
    ``word``, ``start``, ``end`` (code points, end exclusive).

    Raises:
        ValueError: a text has more word pieces than the model reads at once; words overlap or leave the text.
    """

    # transformers declares them as None.
    _load_processor: Any = False
    _load_image_processor: Any = False
    _load_feature_extractor: Any = False
    _load_tokenizer: Any = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        settings = self.model.config.latticelens
        self._decoder = TagDecoder.from_json(settings["decoding"])
        self._unit, self._pooling = settings["unit"], settings["pooling"]

    def _sanitize_parameters(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        return {}, {}, {}

    def preprocess(self, input_: Any, **_: Any) -> dict[str, Any]:
        """A text as word pieces, with the pieces of each of its units."""
        given: dict[str, Any] = {"text": input_} if isinstance(input_, str) else input_
        text = given["text"]
        assert self.tokenizer is not None
        encoded = self.tokenizer(
            _SURROGATE.sub("\ufffd", text),
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            split_special_tokens=True,
            return_tensors="pt",
        )
        count, most = encoded["input_ids"].shape[1], self.tokenizer.model_max_length
        if count > most:
            raise ValueError(
                f"a text of {count} word pieces is too long, the model reads {most}; cut it first"
            )
        offsets = encoded.pop("offset_mapping")[0].numpy()
        special = encoded.pop("special_tokens_mask")[0].numpy().astype(bool)
        pieces = np.flatnonzero(~special & (offsets[:, 1] > offsets[:, 0]))
        units = self._units(text, given.get("words"))
        return {**encoded, "text": text, "units": units, "of_units": self._pieces_of(units, pieces, offsets)}

    def _forward(self, input_tensors: dict[str, Any], **_: Any) -> Any:
        kept = {name: input_tensors.pop(name) for name in ("text", "units", "of_units")}
        logits = self.model(**input_tensors).logits[0]
        return {**kept, "logits": logits}

    def postprocess(self, model_outputs: dict[str, Any], **_: Any) -> list[dict[str, Any]]:
        """The spans, by offset."""
        text, units, of_units = (model_outputs[name] for name in ("text", "units", "of_units"))
        if not units:
            return []
        logits = model_outputs["logits"].float().cpu().numpy()
        # The tag layer is affine: the mean of its scores is its score of the mean state.
        bias = self._bias()
        scores = np.stack([logits[found].mean(0) if len(found) else bias for found in of_units])
        return [
            {
                "entity_group": span.label,
                "score": span.score,
                "word": text[units[span.start][0] : units[span.end - 1][1]],
                "start": units[span.start][0],
                "end": units[span.end - 1][1],
            }
            for span in self._decoder(scores[None].astype(np.float32), [len(units)])[0]
        ]

    def _units(self, text: str, words: Sequence[Sequence[int]] | None) -> Places:
        if words is not None:
            places = [(int(start), int(end)) for start, end in words]
            edges = [edge for place in places for edge in place]
            if edges != sorted(edges) or any(start >= end for start, end in places):
                raise ValueError("words must come in order and not overlap")
            if edges and not 0 <= edges[0] <= edges[-1] <= len(text):
                raise ValueError("a word leaves the text")
            return places
        if self._unit == "word":
            return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
        return [(at, at + 1) for at in range(len(text))]

    def _pieces_of(self, units: Places, pieces: Integers, offsets: Integers) -> list[Integers]:
        """The pieces that cover a unit, or else the ones on either side of its first character."""
        starts, ends = offsets[pieces, 0], offsets[pieces, 1]
        found = []
        for start, end in units:
            inside = pieces[(starts < end) & (start < ends)]
            if not len(inside) and len(pieces):
                after = int(np.searchsorted(ends, start, "right"))
                before = int(np.searchsorted(starts, start, "right")) - 1
                inside = pieces[max(min(after, before), 0) : max(after, before) + 1]
            found.append(inside[:1] if self._unit == "word" and self._pooling == "first" else inside)
        return found

    def _bias(self) -> NDArray[np.floating]:
        """The scores of a unit without pieces, whose state is zero."""
        settings: dict[str, Any] = self.model.config.latticelens
        bias: NDArray[np.floating] = np.array(settings["bias"], dtype=np.float32)
        return bias
