"""Records to tagged documents, in chunks; a record that breaks the tagger is found and put aside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from core.bulk.errors import BulkError
from core.bulk.records import SHOWN, Record, Refused
from core.runtime.message import _, message_of
from core.text import Document

Predict = Callable[[Sequence[Document]], list[Document]]
CHUNK = 512  # documents tagged together; their windows are batched by length
CHUNK_CHARACTERS = 200_000
HOPELESS = 32  # documents that all break the tagger: it is the tagger that is broken


def load_predict(model: Path, device: str, threads: int) -> Predict:
    """What tags documents: a model folder's tagger, or an exported graph, which needs no torch.

    Raises:
        Told: it cannot be loaded, or there is no such device.
    """
    from core.export.onnx.header import is_onnx_folder

    if is_onnx_folder(model):
        from core.export.onnx.runner import OnnxTagger

        return OnnxTagger(model, threads).tag
    import torch

    from core.taggers.base.model_folder import load_tagger
    from core.taggers.base.tagging import tag
    from core.training.device import choose_device

    torch.set_num_threads(threads)
    tagger = load_tagger(model).to(choose_device(device).device)
    return lambda documents: tag(tagger, documents)


def tag_records(
    predict: Predict, records: Iterable[Record | Refused]
) -> Iterator[tuple[Record, Document] | Refused]:
    """Every record, in order, tagged or refused.

    Raises:
        BulkError: the tagger fails with every one of many records.
    """
    tagged = broken = 0
    for chunk in _chunks(records):
        texts = [item for item in chunk if isinstance(item, Record)]
        answers = iter(_bisected(predict, [Document(record.id, record.text) for record in texts]))
        for item in chunk:
            if isinstance(item, Refused):
                yield item
                continue
            answer = next(answers)
            if isinstance(answer, Document):
                tagged += 1
                yield item, answer
                continue
            broken += 1
            if not tagged and broken >= HOPELESS:
                raise BulkError(
                    "the tagger fails with every text, the last one at {place} ({reason}); nothing of this "
                    "block was written",
                    place=item.id,
                    reason=answer,
                )
            reason = _("the tagger fails with it ({reason})", reason=message_of(answer))
            yield Refused(item.place, reason, item.text[:SHOWN])


def _chunks(records: Iterable[Record | Refused]) -> Iterator[list[Record | Refused]]:
    chunk: list[Record | Refused] = []
    characters = 0
    for record in records:
        chunk.append(record)
        characters += len(record.text if isinstance(record, Record) else record.raw)
        if len(chunk) >= CHUNK or characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _bisected(predict: Predict, documents: Sequence[Document]) -> list[Document | Exception]:
    """The documents tagged, in order, and an error for each that breaks the tagger by itself."""
    if not documents:
        return []
    try:
        tagged = predict(documents)
        if [document.id for document in tagged] != [document.id for document in documents]:
            raise BulkError("the tagger did not return the documents that it was given")
        return list(tagged)
    except Exception as error:  # whatever a tagger may raise, of one text
        if len(documents) == 1:
            return [error]
    middle = len(documents) // 2
    return _bisected(predict, documents[:middle]) + _bisected(predict, documents[middle:])
