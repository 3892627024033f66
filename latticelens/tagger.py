"""A trained tagger: text in, spans out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from core.text import Document
from latticelens.errors import LatticeLensError, plain_errors
from latticelens.files import StrPath, documents_of, read, write

if TYPE_CHECKING:
    from core.export.onnx.runner import OnnxTagger
    from core.taggers.base.tagger import Tagger as Model


def load(model: StrPath, device: str = "auto") -> Tagger:
    """A trained tagger.

    Args:
        model: a run folder, a model folder, the folder of an exported ONNX graph, or a ``Run``.
        device: ``auto`` (CUDA, else Apple's GPU, else the CPU), ``cpu``, ``cuda`` or ``mps``; a graph runs on
            the CPU, and needs no torch.

    Raises:
        LatticeLensError: there is no model in it, it is damaged, or there is no such device.
    """
    from core.export.onnx.header import is_onnx_folder

    folder = Path(fspath(model))
    with plain_errors():
        if not is_onnx_folder(folder):
            from core.commands.arguments.model_argument import load_model

            return Tagger(load_model(str(folder), device))
        if device not in ("auto", "cpu"):
            raise LatticeLensError(f"device {device}: an exported graph runs on the CPU")
        from core.export.onnx.runner import OnnxTagger

        return Tagger(OnnxTagger(folder))


class Tagger:
    """A trained tagger, as ``load`` returns it.

    Args:
        model: the torch module, whose ``loss``, ``decode`` and ``trace`` are for those who look inside; or
            what runs an exported graph.
    """

    def __init__(self, model: Model | OnnxTagger) -> None:
        self.model = model

    def __repr__(self) -> str:
        return f"<{self.name} with {', '.join(self.labels)}>"

    @property
    def name(self) -> str:
        """Its registered name, such as ``flat``."""
        return self.model.name

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels it can predict."""
        return tuple(self.model.labels)

    # A str is an iterable of str, too; as one text it comes first.
    @overload
    def tag(self, texts: str | Document) -> Document: ...  # type: ignore[overload-overlap]

    @overload
    def tag(
        self, texts: Iterable[str | Document], progress: Callable[[int, int], None] | None = None
    ) -> list[Document]: ...

    def tag(
        self,
        texts: str | Document | Iterable[str | Document],
        progress: Callable[[int, int], None] | None = None,
    ) -> Document | list[Document]:
        """One text or many, of any length, each as a document with the predicted spans.

        Many at once are batched, which is faster than one by one. The spans that a document has are not read.

        Args:
            texts: a text or a document, or any number of them; a bare text's id is its place, counted from 1.
            progress: called with (windows done, windows in all) after every batch.

        Returns:
            a document for one, a list in the same order for many; ``span.score`` is the confidence in [0, 1].

        Raises:
            LatticeLensError: something is neither a text nor a document; names its place.
        """
        if isinstance(texts, str | Document):
            return self._predicted([_document(texts, 1)], progress)[0]
        documents = [_document(text, number) for number, text in enumerate(texts, start=1)]
        return self._predicted(documents, progress)

    def _predicted(
        self, documents: Sequence[Document], progress: Callable[[int, int], None] | None = None
    ) -> list[Document]:
        from core.export.onnx.runner import OnnxTagger

        with plain_errors():
            if isinstance(self.model, OnnxTagger):
                return self.model.tag(documents, progress=progress)
            from core.taggers.base.tagging import tag

            return tag(self.model, documents, progress=progress)

    def tag_file(
        self,
        source: StrPath,
        target: StrPath | None = None,
        *,
        source_format: str | None = None,
        target_format: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Document]:
        """Tag the documents of a file of any format; plain text has one a line.

        Args:
            target: also write the result here.
            source_format, target_format: names of formats; None: found out from the content of one and the
                extension of the other.
            progress: as for ``tag``.

        Returns:
            the documents with the predicted spans in place of their own; invalid records are left out.

        Raises:
            LatticeLensError: the file cannot be read, no record of it is valid, or it cannot be written.
        """
        result = read(source, source_format)
        if not result.documents:
            first = result.refusals[0]
            raise LatticeLensError(f"{source}: no record is valid; line {first.line}: {first.reason}")
        tagged = self.tag(result.documents, progress)
        if target is not None:
            write(tagged, target, target_format)
        return tagged

    def evaluate(self, documents: StrPath | Iterable[Document]) -> dict[str, Any]:
        """Exact-match scores on labelled documents; all documents count, those without a span too.

        Args:
            documents: documents, or a file of any format.

        Returns:
            ``precision``, ``recall``, ``f1`` (micro, in [0, 1]), the same under ``micro``, and ``per_label``.

        Raises:
            LatticeLensError: the file cannot be read, or a record of it is invalid.
        """
        from core.text.scoring import score_documents
        from core.training.evaluation import scores_to_json

        gold = documents_of(documents, "documents")
        return scores_to_json(score_documents(gold, self._predicted([each.with_spans(()) for each in gold])))


def _document(text: str | Document, number: int) -> Document:
    if isinstance(text, Document):
        return replace(text, spans=())
    if not isinstance(text, str):
        raise LatticeLensError(f"text {number} must be a str or a Document, got {type(text).__name__}")
    return Document(str(number), text)
