"""A Hugging Face model for token classification, from a folder or by its name on the hub."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.runtime.first_import import import_alone
from core.sources.contract import Answer, Context, SourceError
from core.text import Span
from core.text.overlap import WindowSpans, overlapping_windows

WINDOW = 250  # characters: up to 512 tokens even where most characters are several
BATCH = 16
MOST_TOKENS = 512
# What a tag's prefix says: whether a span begins with its token, and whether it ends with it.
_PREFIXES = {
    "B": (True, False), "I": (False, False), "M": (False, False), "E": (False, True), "L": (False, True),
    "S": (True, True), "U": (True, True),
}  # fmt: skip


class TokenClassifier:
    """A model with ``config.json``, ``model.safetensors`` and a fast tokenizer.

    Raises:
        SourceError: it is no such model, or it cannot be read.
    """

    def __init__(self, target: str, context: Context) -> None:
        import torch

        import_alone("transformers")
        from transformers import AutoModelForTokenClassification, AutoTokenizer

        self._context = context
        if (Path(target) / "gliner_config.json").is_file():
            raise SourceError(
                "{target} is a GLiNER model: choose the kind GLiNER for it.", target=repr(target[:100])
            )
        # safetensors only, and no code of the model's own: a model from elsewhere must not run any.
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(target, trust_remote_code=False)
            self._model: Any = AutoModelForTokenClassification.from_pretrained(
                target, use_safetensors=True, trust_remote_code=False
            )
        except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
            raise SourceError(
                "{target} cannot be opened as a model for token classification. It needs config.json, "
                "model.safetensors and tokenizer.json; a name of the hub needs a connection to it.",
                target=repr(target[:100]),
            ) from error
        if not getattr(self._tokenizer, "is_fast", False):
            raise SourceError(
                "{target} has no fast tokenizer (tokenizer.json), so its spans have no place in the text. "
                "Save it again with a current transformers.",
                target=repr(target[:100]),
            )
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._model.to(self._device).eval()
        names = self._model.config.id2label
        self._tags = [_parted(str(names[number])) for number in range(len(names))]
        self.labels: tuple[str, ...] = tuple(dict.fromkeys(label for _, label in self._tags if label))
        if all(label.startswith("LABEL_") for label in self.labels):
            raise SourceError(
                "The model {target} does not name its labels (id2label in config.json), or was never trained "
                "to find entities.",
                target=repr(target[:100]),
            )

    def suggest(self, texts: Sequence[str]) -> Iterator[Answer]:
        """As `Source.suggest`. A span's score is the lowest probability among its tokens' tags."""
        for text in texts:
            found, pieces = WindowSpans(nested=False), overlapping_windows(text, WINDOW)
            for at in range(0, len(pieces), BATCH):
                self._context.pause()
                chunk = pieces[at : at + BATCH]
                said = self._spans([text[window.start : window.end] for window in chunk])
                for window, spans in zip(chunk, said, strict=True):
                    found.add(window, spans)
            yield Answer(tuple(found.spans))

    def _spans(self, pieces: Sequence[str]) -> list[list[Span]]:
        import torch

        batch = self._tokenizer(
            list(pieces),
            return_tensors="pt",
            padding=True,
            truncation=True,
            max_length=min(MOST_TOKENS, self._tokenizer.model_max_length),
            return_offsets_mapping=True,
            return_overflowing_tokens=True,
        )
        rows = batch.pop("overflow_to_sample_mapping").tolist()
        offsets = batch.pop("offset_mapping").tolist()
        with torch.inference_mode():
            logits = self._model(**batch.to(self._device)).logits  # [rows, tokens, tags]
        best, tags = logits.float().softmax(-1).max(-1)
        found: list[list[Span]] = [[] for _ in pieces]
        for row, piece in enumerate(rows):
            tokens = [
                (*self._tags[tag], start, end, score)
                for (start, end), tag, score in zip(
                    offsets[row], tags[row].tolist(), best[row].tolist(), strict=True
                )
                if end > start  # not a special token
            ]
            found[piece] += spans_of_tags(tokens, pieces[piece])
        return found


def spans_of_tags(tokens: Sequence[tuple[str, str, int, int, float]], text: str) -> Iterator[Span]:
    """Spans of (prefix, label, start, end, probability) of tokens, in order.

    A span goes on while the label stays and no prefix begins or has ended one; tags without a prefix join
    with an equal neighbour. Blanks at the ends are left out.
    """
    open_: list[tuple[str, int, int, float]] = []

    def closed() -> Iterator[Span]:
        if open_:
            label, start, end = open_[0][0], open_[0][1], open_[-1][2]
            surface = text[start:end]
            start += len(surface) - len(surface.lstrip())
            end -= len(surface) - len(surface.rstrip())
            if start < end:
                yield Span(start, end, label, min(item[3] for item in open_))
            open_.clear()

    for prefix, label, start, end, score in tokens:
        begins, ends = _PREFIXES.get(prefix, (False, False))
        if not label or begins or (open_ and open_[0][0] != label):
            yield from closed()
        if label:
            open_.append((label, start, end, score))
        if ends:
            yield from closed()
    yield from closed()


def _parted(tag: str) -> tuple[str, str]:
    """Prefix and label of a tag: ``("B", "PER")`` of ``B-PER``; ``O`` has no label."""
    if tag in ("O", "-O-", "X"):
        return "", ""
    prefix, dash, label = tag.partition("-")
    if dash and label and prefix in _PREFIXES:
        return prefix, label
    prefix, dash, label = tag.partition("_")
    return (prefix, label) if dash and label and prefix in _PREFIXES else ("", tag)
