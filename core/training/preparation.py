"""Prepares labelled documents for a tagger, and reports everything that is left out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from core.runtime.message import Message, _
from core.text import Document, OffsetError, Span
from core.text.annotated_regions import annotated_regions, cut_regions, has_annotation
from core.text.outermost import outermost
from core.text.segmentation import windows
from core.text.tokens import cut_tokens, document_tokens
from core.training.run.errors import TrainingError

DEV_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Prepared:
    """Documents ready for the loop.

    Args:
        train: for the loss. dev: for the choice of the best epoch, spans untouched.
        labels: every label of the training spans, in the project's order first.
        notes: what was split, cut or left out.
    """

    train: tuple[Document, ...]
    dev: tuple[Document, ...]
    labels: tuple[str, ...]
    notes: tuple[Message, ...]


def prepare(
    train: Sequence[Document],
    dev: Sequence[Document],
    *,
    labels: Sequence[str] = (),
    nested: bool,
    longest: int,
    seed: int,
) -> Prepared:
    """Split, flatten and cut.

    Args:
        train, dev: labelled documents; without ``dev``, a tenth of ``train`` is held out.
        labels: names in the desired order; other labels in ``train`` follow, sorted.
        nested: whether the tagger learns nested spans; if not, the outermost are kept.
        longest: longer training texts are cut at sentence ends into parts of this many characters.
        seed: of the split.

    Partially annotated training texts keep their regions in ``meta``; those with no span and no region are
    left out.

    Raises:
        TrainingError: there is nothing to learn from, or annotated regions are malformed.
    """
    notes: list[Message] = []
    train = _with_annotation(_checked([*train, *dev])[: len(train)], notes)
    if not dev:
        train, dev, note = split_off_dev(train, seed)
        notes.append(note)
    learned = {span.label for document in train for span in document.spans}
    if not learned:
        raise TrainingError(
            "there is nothing to learn: none of the {documents} training documents has a "
            "labelled span. Label some first, or choose another training set",
            documents=len(train),
        )
    order = [name for name in labels if name in learned]
    order += sorted(learned - set(order))
    notes.extend(_unlearnable(dev, learned))
    if not nested:
        train = _flattened(train, notes)
    return Prepared(_cut(train, longest, notes), tuple(dev), tuple(order), tuple(notes))


def split_off_dev(
    documents: Sequence[Document], seed: int
) -> tuple[tuple[Document, ...], tuple[Document, ...], Message]:
    """Training documents and a tenth held out, both in their old order, and the sentence that says so."""
    count = max(1, round(len(documents) * DEV_SHARE)) if len(documents) > 1 else 0
    # Seeding by text is defined by hashing, so the split is the same on every platform and version.
    held = set(random.Random(f"dev {seed}").sample(range(len(documents)), count))  # noqa: S311
    train = tuple(document for index, document in enumerate(documents) if index not in held)
    dev = tuple(document for index, document in enumerate(documents) if index in held)
    return (
        train,
        dev,
        _(
            "No dev documents were given: {held} of the {documents} training documents are held out "
            "to choose the best epoch (seed {seed}).",
            held=len(dev),
            documents=len(documents),
            seed=seed,
        ),
    )


def prepare_unlabelled(
    documents: Sequence[Document], held_out: Sequence[Document], *, longest: int
) -> tuple[tuple[Document, ...], tuple[Message, ...]]:
    """Unlabelled training texts, and what was left out of them.

    Args:
        documents: their spans are ignored.
        held_out: dev and test documents, whose texts are excluded.
        longest: longer texts are cut at sentence ends into parts of this many characters.
    """
    hidden = {document.text for document in held_out}
    seen = [document.with_spans(()) for document in documents if document.text not in hidden]
    left_out = len(documents) - len(seen)
    notes = []
    if left_out:
        notes.append(
            _(
                "{left_out} of the {documents} unlabelled texts are also in dev or test and are left out.",
                left_out=left_out,
                documents=len(documents),
            )
        )
    return _cut(seen, longest, []), tuple(notes)


def prepare_taught(
    documents: Sequence[Document], seen: Sequence[Document], *, longest: int
) -> tuple[tuple[Document, ...], tuple[Message, ...]]:
    """Raw texts with the spans of a source, and what was left out of them.

    Args:
        seen: labelled documents of every part: what people said of a text stands above what a source says,
            and nothing is learned of dev and test.
        longest: longer texts are cut at sentence ends into parts of this many characters.
    """
    known = {document.text for document in seen}
    taught = {document.text: document for document in documents if document.text not in known}
    notes = []
    if len(taught) < len(documents):
        notes.append(
            _(
                "{left_out} of the {documents} texts of the teacher are labelled too, in dev or test, or "
                "there twice, and are left out.",
                left_out=len(documents) - len(taught),
                documents=len(documents),
            )
        )
    return _cut(list(taught.values()), longest, []), tuple(notes)


def _checked(documents: Sequence[Document]) -> Sequence[Document]:
    try:
        for document in documents:
            annotated_regions(document)
    except OffsetError as error:
        raise TrainingError("{reason}; correct or remove it", reason=error) from error
    return documents


def _with_annotation(documents: Sequence[Document], notes: list[Message]) -> list[Document]:
    """The documents with a span or an annotated region, and notes on partial annotation."""
    kept = [document for document in documents if has_annotation(document)]
    partial = sum(annotated_regions(document) is not None for document in kept)
    if partial:
        notes.append(
            _(
                "{partial} of the {documents} training documents were reviewed in part: text outside the "
                "reviewed regions is not used as negatives.",
                partial=partial,
                documents=len(kept),
            )
        )
    if len(kept) < len(documents):
        left_out = len(documents) - len(kept)
        notes.append(
            _(
                "{left_out} training documents without spans are left out, because no part of them is "
                "reviewed.",
                left_out=left_out,
            )
        )
    return kept


def _flattened(documents: Sequence[Document], notes: list[Message]) -> list[Document]:
    flat = [document.with_spans(outermost(document.spans)[0]) for document in documents]
    lost = sum(len(a.spans) - len(b.spans) for a, b in zip(documents, flat, strict=True))
    if lost:
        notes.append(
            _(
                "This tagger cannot learn nested spans: {lost} inner or overlapping training spans "
                "are left out, the outermost are kept. Dev and test keep all of theirs, so recall "
                "counts them.",
                lost=lost,
            )
        )
    return flat


def _cut(documents: Sequence[Document], longest: int, notes: list[Message]) -> tuple[Document, ...]:
    """Drop empty texts and cut long ones into parts."""
    parts: list[Document] = []
    cut = lost = 0
    for document in documents:
        if len(document.text) <= longest:
            parts.extend([document] if document.text else [])
            continue
        parted = pieces(document, longest)
        parts.extend(piece for piece in parted if has_annotation(piece))
        cut += 1
        lost += len(document.spans) - sum(len(piece.spans) for piece in parted)
    if cut:
        notes.append(
            _(
                "{cut} training texts are longer than {longest} characters and are learned in parts; {lost} "
                "spans that lie across a cut are left out.",
                cut=cut,
                longest=longest,
                lost=lost,
            )
            if lost
            else _(
                "{cut} training texts are longer than {longest} characters and are learned in parts.",
                cut=cut,
                longest=longest,
            )
        )
    return tuple(parts)


def pieces(document: Document, longest: int) -> list[Document]:
    """A long text cut at sentence ends, with a part's spans, annotated regions and tokens."""
    documents, tokens = [], document_tokens(document)
    for number, (start, end) in enumerate(windows(document.text, longest)):
        inside = [
            Span(span.start - start, span.end - start, span.label, span.score)
            for span in document.spans
            if start <= span.start and span.end <= end
        ]
        meta = {**cut_regions(document, start, end), **cut_tokens(tokens, start, end)}
        documents.append(Document(f"{document.id}#{number}", document.text[start:end], tuple(inside), meta))
    return documents


def _unlearnable(dev: Sequence[Document], learned: set[str]) -> list[Message]:
    unknown = sorted({span.label for document in dev for span in document.spans} - learned)
    if not unknown:
        return []
    return [_("Dev has labels that no training span has, so they cannot be learned: {names}.", names=unknown)]
