"""Writes a BERT run as a folder of transformers: a plain token classification model.

The folder's model scores the run's tags for every word piece; nothing in it is code of ours. Two things read
it: transformers' own ``token-classification`` pipeline, which takes the best tag of each piece, and the
pipeline ``latticelens-ner`` beside the weights (`core.export.hugging_face.span_pipeline`), which decides as
the run does.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from core.corpus.atomic import replace_folder
from core.export import tag_decoding
from core.export.decoder_of import decoder_of
from core.export.errors import ExportError
from core.layers.evaluating import evaluating
from core.runtime.message import _
from core.taggers.base.tagger import Tagger
from core.taggers.bert import Bert
from core.text import Document

if TYPE_CHECKING:
    from transformers import PreTrainedModel

TASK = "latticelens-ner"
PIPELINE = "latticelens_pipeline.py"
DECODING = "latticelens_tag_decoding.py"
TOLERANCE = 1e-4  # of a tag score
_SAMPLES = (
    "清河大学在1999年下雨了。",
    "林晚晴没去 New York！",
    "Lin of Qinghe University hired 3 people.",
    "京",
)


def export(tagger: Tagger, folder: Path) -> float:
    """Write a BERT run into ``folder``, which is replaced.

    Returns:
        the largest difference of a tag score between run and folder, on sample texts.

    Raises:
        ExportError: it is no BERT, or has parts that no model of transformers has; or the folder does not
            give its scores. DiskFullError: nothing was written.
    """
    bert = check_exportable(tagger)
    worst = 0.0

    def fill(fresh: Path) -> None:
        nonlocal worst
        model = token_classifier(bert)
        worst = _largest_difference(bert, model)
        if not worst <= TOLERANCE:
            raise ExportError(
                "the exported model gives other tag scores than {title}, by up to {difference}; nothing was "
                "written",
                title=bert.title,
                difference=f"{worst:.2g}",
            )
        model.save_pretrained(fresh)
        encoder = bert.features.encoder
        tokenizer = deepcopy(encoder.tokenizer)
        tokenizer.model_max_length = encoder.window
        tokenizer.save_pretrained(fresh)
        _write_code(fresh)

    replace_folder(folder, fill)
    return worst


def check_exportable(tagger: Tagger) -> Bert:
    """The tagger, if a model of transformers computes the same.

    Raises:
        ExportError: names the tagger and what stands in the way.
    """
    if not isinstance(tagger, Bert):
        raise ExportError(
            "{title} is no model of transformers: only BERT runs leave as a Hugging Face folder; the other "
            "sequence taggers leave as ONNX graphs (export-model --to onnx)",
            title=tagger.title,
        )
    layers = tagger.features.encoder.layer_count
    if tagger.top is not None:
        reason = _("it has further layers over the encoder (top={top})", top=tagger.config.top)
    elif tagger.neighbours is not None:
        reason = _("it reads neighbours of a sentence")
    elif tagger.features.mix.mix is not None or tagger.features.mix.chosen != (layers,):
        reason = _("it joins several layers of the encoder (layer_mix={mix})", mix=tagger.config.layer_mix)
    else:
        return tagger
    raise ExportError(
        "this {title} is no model of transformers: {reason}; export it with --to onnx, or train it without",
        title=tagger.title,
        reason=reason,
    )


def token_classifier(bert: Bert) -> PreTrainedModel:
    """The run as a model of ``AutoModelForTokenClassification``, in evaluation mode.

    Raises:
        ExportError: transformers has no such model for this family of encoders, or not with one linear layer.
    """
    from transformers import AutoModelForTokenClassification

    encoder = bert.features.encoder.model
    family = encoder.config.model_type
    tags = bert.decoder.tags
    config = deepcopy(encoder.config)
    config.id2label = {number: pipeline_tag(tag) for number, tag in enumerate(tags)}
    config.label2id = {tag: number for number, tag in reversed(config.id2label.items())}
    bias = bert.emission.bias.detach().float()
    config.latticelens = {
        "tags": list(tags),
        "unit": bert.config.unit,
        "pooling": bert.config.piece_pooling,
        "decoding": decoder_of(bert).to_json(),
        "bias": bias.tolist(),
    }
    config.custom_pipelines = {
        TASK: {
            "impl": f"{Path(PIPELINE).stem}.SpanPipeline",
            "pt": ["AutoModelForTokenClassification"],
            "type": "text",
        }
    }
    with torch.random.fork_rng(devices=[]):
        try:
            model = AutoModelForTokenClassification.from_config(config, trust_remote_code=False)
        except ValueError:
            raise ExportError(
                "transformers has no token classification for encoders of the family {family}; export with "
                "--to onnx",
                family=family,
            ) from None
    heads = [
        part for part in model.children() if isinstance(part, nn.Linear) and part.out_features == len(tags)
    ]
    if len(heads) != 1 or heads[0].weight.shape != bert.emission.weight.shape:
        raise ExportError(
            "transformers' token classification of the family {family} has other layers over the encoder; "
            "export with --to onnx",
            family=family,
        )
    model.base_model.load_state_dict(encoder.state_dict())
    heads[0].load_state_dict({"weight": bert.emission.weight, "bias": bias})
    whole: PreTrainedModel = model.float().eval()
    return whole


def pipeline_tag(tag: str) -> str:
    """A tag as transformers' pipeline groups them: B where a span begins, I where it goes on."""
    prefix, hyphen, label = tag.partition("-")
    return f"{'B' if prefix in ('B', 'S') else 'I'}-{label}" if hyphen else tag


def _largest_difference(bert: Bert, model: PreTrainedModel) -> float:
    """The largest difference of a piece's tag scores, in a batch of sample texts."""
    texts = list(_SAMPLES)
    with torch.inference_mode(), evaluating(bert):
        batch = bert.collate([Document(str(number), text) for number, text in enumerate(texts)])
        pieces = batch.pieces.to(bert.device)
        states = bert.features.encoder(pieces).states[-1]
        expected = bert.emission(states).cpu()
        inputs: dict[str, Tensor] = {
            "input_ids": batch.pieces.ids,
            "attention_mask": batch.pieces.mask.long(),
        }
        if bert.features.encoder.segment_types:
            inputs["token_type_ids"] = batch.pieces.types
        found = batch.pieces.at_characters(model(**inputs).logits)
        present = (batch.pieces.characters >= 0).any(2)
        return float((found - expected).abs()[present].max())


def _write_code(folder: Path) -> None:
    """The pipeline and the decoder beside the weights, importing each other."""
    from core.export.hugging_face import span_pipeline

    code = Path(span_pipeline.__file__).read_text(encoding="utf-8")
    own = f"from {tag_decoding.__name__} import"
    assert code.count(own) == 1
    code = code.replace(own, f"from .{Path(DECODING).stem} import")
    (folder / PIPELINE).write_text(code, encoding="utf-8")
    (folder / DECODING).write_text(Path(tag_decoding.__file__).read_text(encoding="utf-8"), encoding="utf-8")
