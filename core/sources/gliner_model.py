"""A GLiNER model: labels given as words, spans found by how well they fit one.

Zaratiana et al., GLiNER: Generalist Model for Named Entity Recognition using Bidirectional Transformer, 2024.
The names of the project's labels are its prompts; a short guideline says more than a short name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.runtime.first_import import import_alone
from core.runtime.message import _
from core.runtime.optional_packages import MissingPackage, load
from core.sources.contract import Answer, Context, SourceError
from core.text import LabelSet, Span
from core.text.overlap import WindowSpans, overlapping_windows

CONFIG = "gliner_config.json"
WEIGHTS = "model.safetensors"
WINDOW = 400  # characters at once, and no more than the words a model reads: it drops the rest
BATCH = 8
THRESHOLD = 0.5  # of a span's probability, the package's own
LONGEST_PROMPT = 60  # characters of a guideline that takes the place of a name


class GlinerModel:
    """A folder with ``gliner_config.json``, ``model.safetensors`` and a tokenizer.

    Raises:
        SourceError: the package is missing, the folder is no such model or would run code of its own, or the
            project has no labels.
    """

    def __init__(self, target: str, context: Context) -> None:
        if not len(context.labels):
            raise SourceError(
                "GLiNER is asked for the labels of the project, and there are none yet. Add labels first."
            )
        self._context = context
        self.labels = context.labels.names
        self._label_of = prompts(context.labels)
        _check(Path(target))
        import_alone("transformers")
        try:
            gliner = load("gliner", "gliner", _("A GLiNER model"))
        except MissingPackage as error:
            raise SourceError(error.message) from None
        import torch

        device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            self._model: Any = gliner.GLiNER.from_pretrained(target, local_files_only=True).to(device).eval()
        except Exception as error:  # of the package, torch, transformers and safetensors
            raise SourceError(
                "The GLiNER model {target} cannot be opened. Its folder needs {config}, {weights} and the "
                "files of its tokenizer, and where the config does not describe the encoder, the encoder's "
                "config among the downloaded files of the hub.",
                target=repr(target[:100]),
                config=CONFIG,
                weights=WEIGHTS,
            ) from error

    def suggest(self, texts: Sequence[str]) -> Iterator[Answer]:
        """As `Source.suggest`. A score is the probability the model gives the span and its label."""
        window_size = min(WINDOW, int(self._model.config.max_len))
        for text in texts:
            found, pieces = WindowSpans(nested=False), overlapping_windows(text, window_size)
            for at in range(0, len(pieces), BATCH):
                self._context.pause()
                chunk = pieces[at : at + BATCH]
                said = self._model.inference(
                    [text[window.start : window.end] for window in chunk],
                    list(self._label_of),
                    threshold=THRESHOLD,
                    batch_size=BATCH,
                )
                for window, entities in zip(chunk, said, strict=True):
                    found.add(window, [self._span(entity) for entity in entities])
            yield Answer(tuple(found.spans))

    def _span(self, entity: Mapping[str, Any]) -> Span:
        score = min(1.0, max(0.0, float(entity["score"])))
        return Span(entity["start"], entity["end"], self._label_of[entity["label"]], score)


def prompts(labels: LabelSet) -> dict[str, str]:
    """The label of every prompt: a guideline of one short line, or else the label's name."""
    found: dict[str, str] = {}
    for label in labels:
        guideline = label.description.strip()
        short = 0 < len(guideline) <= LONGEST_PROMPT and "\n" not in guideline
        prompt = guideline.rstrip(".。") if short else label.name
        found[label.name if not prompt or prompt in found else prompt] = label.name
    return found


def _check(folder: Path) -> None:
    """Refuse a folder that is no GLiNER model, or that could run code."""
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        config = None
    if not isinstance(config, dict):
        raise SourceError(
            "{folder} is no folder of a GLiNER model: it needs {config}.", folder=repr(str(folder)[:100]),
            config=CONFIG,
        )  # fmt: skip
    if not (folder / WEIGHTS).is_file():
        raise SourceError(
            "{folder} has no {weights}, and other files of weights are not opened, because they can hold "
            "code. Save the model again with save_pretrained(folder, safe_serialization=True).",
            folder=repr(str(folder)[:100]),
            weights=WEIGHTS,
        )
    # The package trusts the code that a config names, and reads encoders from wherever it says.
    if _names_code(config):
        raise _own_code(folder)
    if config.get("labels_decoder") or config.get("relations_layer"):
        raise SourceError(
            "{folder} is a GLiNER model of relations or of generated labels; choose one that finds entities.",
            folder=repr(str(folder)[:100]),
        )
    for name, described in (("model_name", "encoder_config"), ("labels_encoder", "labels_encoder_config")):
        encoder = config.get(name)
        if encoder and not config.get(described):
            _check_encoder(folder, str(encoder))


def _check_encoder(folder: Path, encoder: str) -> None:
    """Refuse an encoder outside the folder, or one of the hub that names code."""
    import_alone("transformers")
    from transformers import AutoConfig

    if encoder.startswith((".", "/", "~", "\\")) or encoder.count("/") > 1 or Path(encoder).exists():
        raise SourceError(
            "{folder} reads its encoder from {encoder}, outside itself. Save it with the encoder's config.",
            folder=repr(str(folder)[:100]),
            encoder=repr(encoder[:100]),
        )
    try:
        config = AutoConfig.from_pretrained(encoder, trust_remote_code=False)
    except Exception as error:  # no connection, no such name, or code that is not trusted
        raise SourceError(
            "The encoder {encoder} of {folder} cannot be read: its config is needed from the hub, once.",
            encoder=repr(encoder[:100]),
            folder=repr(str(folder)[:100]),
        ) from error
    if getattr(config, "auto_map", None):
        raise _own_code(folder)


def _own_code(folder: Path) -> SourceError:
    name = repr(str(folder)[:100])
    return SourceError("{folder} names code of its own (auto_map), which is not run here.", folder=name)


def _names_code(value: Any) -> bool:
    if isinstance(value, dict):
        return "auto_map" in value or any(map(_names_code, value.values()))
    return isinstance(value, list) and any(map(_names_code, value))
