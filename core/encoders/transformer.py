"""A Hugging Face transformer as an encoder of characters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.encoders.context_gradient import without_gradient_at
from core.encoders.piece_windows import PieceWindows
from core.encoders.query_key import Projections, projections
from core.encoders.transformer_files import (
    EncoderError,
    build_encoder,
    read_pretrained,
    read_published_structure,
    read_structure,
    write_structure,
)
from core.encoders.word_pieces import Pieces, PieceTokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

__all__ = ["EncoderError", "Hidden", "Pieces", "TransformerEncoder"]

# Maximum pieces of a window even if the model takes more: the cost of attention is quadratic.
WINDOW = 512
_LEAST_WINDOW = 16
# Families in which pieces attend to padding: their windows are run without any.
_READS_PADDING = frozenset({"convbert", "fnet", "nystromformer", "yoso"})

_Output = tuple[tuple[Tensor, ...], tuple[Tensor, ...]]


@dataclass(frozen=True)
class Hidden:
    """The output of a transformer for a batch of texts.

    Args:
        states: of characters, ``[B, T, W]`` for the embeddings and for each layer; windows are merged,
            padding is zero.
        attention: of pieces, one ``[N, heads, P, P]`` per layer, ``[n, h, i, j]`` = from piece i to piece j;
            empty unless requested, or if the family has none.
        pieces: the input.
        queries, keys: one ``[N, heads, P, D]`` per layer; empty if the attention is not the softmax of their
            scaled dot products alone.
    """

    states: tuple[Tensor, ...]
    attention: tuple[Tensor, ...]
    pieces: Pieces
    queries: tuple[Tensor, ...] = ()
    keys: tuple[Tensor, ...] = ()


class TransformerEncoder(nn.Module):
    """A transformer of any family of ``AutoModel``; for an encoder-decoder, its encoder.

    Args:
        model: the transformer. tokenizer: its fast tokenizer.
        window: maximum pieces of a window; 0 for the model's limit, at most 512.

    Attributes:
        width: W. layer_count: layers above the embeddings.
        segment_types: how many the model reads; 0 for none.
    """

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, window: int = 0) -> None:
        super().__init__()
        model.config.use_cache = False
        self.model = model
        self._tokenizer = tokenizer
        config = model.config.get_text_config()
        self.width: int = config.hidden_size
        self.layer_count: int = config.num_hidden_layers
        limit = _longest_window(model, tokenizer)
        self.window = min(window, limit) if window else limit
        if self.window < _LEAST_WINDOW:
            raise EncoderError(
                "a window of {window} word pieces is too short; at least {least} are needed",
                window=self.window,
                least=_LEAST_WINDOW,
            )
        self.segment_types = _segment_types(model)
        self._pieces = PieceTokenizer(
            tokenizer.backend_tokenizer,
            window=self.window,
            overlap=self.window // 4,
            padding=_padding_id(model, tokenizer),
            rows=_vocabulary_size(model, tokenizer.vocab_size),
            separator=tokenizer.sep_token or tokenizer.eos_token,
        )

    @classmethod
    def pretrained(cls, name: str, window: int = 0) -> TransformerEncoder:
        """The encoder with this hub name or in this folder, with its weights.

        Raises:
            EncoderError: it cannot be used; says why and what to do.
        """
        encoder = cls(*read_pretrained(name), window)
        try:
            with torch.inference_mode():
                encoder(encoder.tokenize(["a"]))
        except EncoderError:
            raise
        except Exception as error:  # models that need more than text raise all kinds of errors
            raise EncoderError(
                "encoder {name} cannot read text alone ({reason}); choose another", name=name, reason=error
            ) from error
        return encoder

    @classmethod
    def without_weights(cls, name: str, window: int = 0) -> TransformerEncoder:
        """The encoder with this hub name or in this folder without its weights, on torch's meta device.

        A quick check: it refuses what `pretrained` refuses, except damaged weights.

        Raises:
            EncoderError: it cannot be used; says why and what to do.
        """
        config, tokenizer = read_published_structure(name)
        with torch.device("meta"):
            return cls(build_encoder(config, name), tokenizer, window)

    @classmethod
    def factory(cls, folder: Path, window: int = 0) -> Callable[[], TransformerEncoder]:
        """A factory of encoders of the structure that ``save_structure`` wrote, with fresh weights.

        Raises:
            EncoderError: the folder cannot be used; says why and what to do.
        """
        config, tokenizer = read_structure(folder)
        return lambda: cls(build_encoder(deepcopy(config), str(folder)), tokenizer, window)

    def save_structure(self, folder: Path) -> None:
        """Write the config and the tokenizer; the caller saves the weights."""
        write_structure(folder, self.model.config, self._tokenizer)

    @property
    def tokenizer(self) -> PreTrainedTokenizerFast:
        """Its tokenizer, as published."""
        return self._tokenizer

    @property
    def piece_windows(self) -> PieceWindows:
        """What turns texts into windows of its pieces."""
        return self._pieces

    @property
    def word_embeddings(self) -> nn.Parameter:
        """The vectors of the word pieces, ``[pieces, width of a vector]``."""
        weight = self.model.get_input_embeddings().weight
        assert isinstance(weight, nn.Parameter)
        return weight

    @torch.no_grad()
    def baseline_vector(self) -> Tensor:
        """The vector of a neutral piece, ``[width of a vector]``.

        That of ``[MASK]``, which was trained in sentences with missing words, or else of the unknown piece.
        The vector of padding was never trained, and the zero vector is not a piece.
        """
        candidates = (self._tokenizer.mask_token_id, self._tokenizer.unk_token_id, self._pieces.padding)
        piece = next(number for number in candidates if number is not None)
        weight = self.word_embeddings
        vector: Tensor = self.model.get_input_embeddings()(torch.tensor([piece], device=weight.device))[0]
        return vector

    def covers(self, text: str) -> bool:
        """Whether ``text`` has no unknown piece."""
        return self._tokenizer.unk_token_id not in self.tokenize([text]).ids.flatten().tolist()

    @property
    def layers(self) -> nn.ModuleList:
        """The layers above the embeddings, the lowest first.

        Raises:
            EncoderError: they share their weights, so that there is one.
        """
        stacks = (part for part in self.model.modules() if isinstance(part, nn.ModuleList))
        stack = next((part for part in stacks if len(part) == self.layer_count), None)
        if stack is None:
            raise EncoderError(
                "the layers of a {kind} model share their weights", kind=repr(self.model.config.model_type)
            )
        return stack

    def lowest_weights(self, layers: int) -> list[nn.Parameter]:
        """The weights of the embeddings and of this many lowest layers.

        Raises:
            EncoderError: the encoder has fewer layers, or its layers share their weights.
        """
        stack = self.layers
        if not 0 <= layers <= self.layer_count:
            raise EncoderError(
                "this encoder has {layer_count} layers, not {layers}",
                layer_count=self.layer_count,
                layers=layers,
            )
        above = {id(parameter) for layer in stack[layers:] for parameter in layer.parameters()}
        # Modules registered after the layers work on their output, such as the last norm.
        return list(takewhile(lambda parameter: id(parameter) not in above, self.model.parameters()))

    def tokenize(
        self,
        texts: Sequence[str],
        queries: Sequence[str] | None = None,
        contexts: Sequence[Sequence[str]] | None = None,
    ) -> Pieces:
        """Texts to pieces, with their queries or contexts if any; see :class:`PieceTokenizer`."""
        return self._pieces(texts, queries, contexts)

    def piece_texts(self, pieces: Pieces) -> list[list[str]]:
        """The vocabulary entry of every piece of every window, for figures."""
        return [
            list(self._tokenizer.convert_ids_to_tokens(ids[mask].tolist()))
            for ids, mask in zip(pieces.ids.cpu(), pieces.mask.cpu(), strict=True)
        ]

    def forward(self, pieces: Pieces, need_weights: bool = False) -> Hidden:
        """Hidden states of the characters, and the attention if requested.

        Raises:
            EncoderError: this family does not return one state per piece and layer.
        """
        if not len(pieces.ids):
            empty = next(self.parameters()).new_zeros(*pieces.characters.shape[:2], self.width)
            return Hidden((empty,) * (self.layer_count + 1), (), pieces)
        with projections(self.model) if need_weights else nullcontext(Projections()) as captured:
            if self.model.config.model_type in _READS_PADDING:
                states, attention = self._run_by_length(pieces, need_weights)
            else:
                states, attention = self._run(
                    pieces.ids, pieces.mask, pieces.types, pieces.context, need_weights
                )
        characters = tuple(pieces.at_characters(state) for state in states)
        return Hidden(characters, attention, pieces, *captured.vectors(attention, pieces.mask))

    def _run(
        self, ids: Tensor, mask: Tensor, types: Tensor, context: Tensor | None, need_weights: bool
    ) -> _Output:
        """States ``[N, P, W]`` of the embeddings and every layer, and attention ``[N, heads, P, P]``."""
        inputs: dict[str, Tensor] = {"input_ids": ids, "attention_mask": mask.long()}
        if self.segment_types:
            inputs["token_type_ids"] = types.clamp(max=self.segment_types - 1)
        with nullcontext() if context is None else without_gradient_at(self.model, context):
            output = self.model(
                **inputs, output_hidden_states=True, output_attentions=need_weights, return_dict=True
            )
        states = list(self._piece_states(output.hidden_states or (), ids.shape[1]))
        if len(states) != self.layer_count + 1:
            raise EncoderError(
                "a {kind} model gives {states} states with a vector for each piece, not "
                "{wanted}; choose an encoder of another family",
                kind=repr(self.model.config.model_type),
                states=len(states),
                wanted=self.layer_count + 1,
            )
        # Some families normalise the last state only outside of the list.
        last = getattr(output, "last_hidden_state", None)
        if last is not None and last.shape == states[-1].shape:
            states[-1] = last
        square = (len(ids), ids.shape[1], ids.shape[1])
        weights = getattr(output, "attentions", None) or ()
        attention = [w for w in weights if isinstance(w, Tensor) and w.dim() == 4 and w[:, 0].shape == square]
        return tuple(states), tuple(attention)

    def _piece_states(self, states: Sequence[Any], length: int) -> Iterator[Tensor]:
        """The states with one vector per piece, without the block padding of some families."""
        for state in states:
            state = state[0] if isinstance(state, tuple) else state
            if state.dim() == 3 and state.shape[1] >= length and state.shape[2] == self.width:
                yield state[:, :length]

    def _run_by_length(self, pieces: Pieces, need_weights: bool) -> _Output:
        """``_run`` for a family that does not mask padding: windows grouped by length, without padding."""
        lengths = pieces.mask.sum(1)
        rows, outputs = [], []
        for length in lengths.unique().tolist():
            row = (lengths == length).nonzero().squeeze(1)
            ids, mask, types = (part[row, :length] for part in (pieces.ids, pieces.mask, pieces.types))
            context = None if pieces.context is None else pieces.context[row, :length]
            rows.append(row)
            outputs.append(self._run(ids, mask, types, context, need_weights))
        order, width = torch.cat(rows).argsort(), pieces.ids.shape[1]
        layers = zip(*(states for states, _ in outputs), strict=True)
        states = tuple(
            torch.cat([functional.pad(part, (0, 0, 0, width - part.shape[1])) for part in layer])[order]
            for layer in layers
        )
        layers = zip(*(weights for _, weights in outputs), strict=True)
        attention = tuple(
            torch.cat([functional.pad(part, (0, width - part.shape[3]) * 2) for part in layer])[order]
            for layer in layers
        )
        return states, attention


def _vocabulary_size(model: PreTrainedModel, pieces: int) -> int:
    """The size of the model's vocabulary; that of its tokenizer is ``pieces`` without added tokens."""
    try:
        weight = model.get_input_embeddings().weight
    except (NotImplementedError, AttributeError):
        kind = model.config.model_type
        raise EncoderError(
            "a {kind} model does not look up word pieces; choose another encoder", kind=repr(kind)
        ) from None
    assert isinstance(weight, Tensor)
    if len(weight) < pieces:
        raise EncoderError(
            "the tokenizer has {pieces} word pieces and the model {rows}: they are not of one "
            "model; download them again",
            pieces=pieces,
            rows=len(weight),
        )
    return len(weight)


def _longest_window(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> int:
    """The maximum pieces of a window."""
    limits = [WINDOW, tokenizer.model_max_length]
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        # RoBERTa and similar models count positions from the padding index on.
        table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
        padding = getattr(table, "padding_idx", None)
        limits.append(positions if padding is None else positions - padding - 1)
    return int(min(limits))


def _padding_id(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> int:
    """The padding id. Padding is masked, but RoBERTa counts positions by it."""
    for padding in (getattr(model.config, "pad_token_id", None), tokenizer.pad_token_id):
        if isinstance(padding, int) and padding >= 0:
            return padding
    return 0


def _segment_types(model: PreTrainedModel) -> int:
    """The number of segment types; 0 if the model takes none."""
    if "token_type_ids" not in inspect.signature(model.forward).parameters:
        return 0
    # XLNet reads segments without counting them; GPT-2 would read them as further word pieces.
    uncounted = 4 if model.config.model_type == "xlnet" else 0
    types = int(getattr(model.config, "type_vocab_size", None) or uncounted)
    return types if types > 1 else 0
