"""A project's labelled documents as a pool and a test set, saved when a simulation begins."""

from __future__ import annotations

import hashlib
from pathlib import Path

from core.commands.arguments.corpus_files import read_corpus
from core.commands.terminal.errors import CommandError
from core.formats import FormatError, write_file
from core.store.annotation import judged_documents
from core.store.db.workspace import FILE_NAME, Workspace
from core.store.project import projects
from core.text import Document
from core.text.annotated_regions import annotated_regions

PARTS = ("train", "test")
ONE_IN = 5  # documents set aside where the project has no test and no dev documents


def project_corpora(workspace: str, project: str, out: Path) -> dict[str, list[Document]]:
    """The pool (``train``) and the test documents: those stored in ``out``, else the project's current ones.

    Raises:
        CommandError, Told: no such workspace or project, or too few fully annotated documents.
    """
    files = {part: _file(out, part) for part in PARTS}
    if all(path.is_file() for path in files.values()):
        return {part: read_corpus(str(path), "jsonl").documents for part, path in files.items()}
    folder = Path(workspace).expanduser()
    if not (folder / FILE_NAME).is_file():
        raise CommandError(f"there is no workspace in {folder}; name its folder with --workspace DIR")
    with Workspace.open(folder) as opened:
        number = projects.by_name(opened, project).id
        return split_in_two(list(judged_documents.iterate(opened, number)), project)


def save_corpora(out: Path, corpora: dict[str, list[Document]]) -> None:
    """Save both parts in the results folder, for a resumed simulation.

    Raises:
        CommandError: they cannot be written.
    """
    try:
        for part, documents in corpora.items():
            if not _file(out, part).is_file():
                write_file(documents, _file(out, part), "jsonl")
    except (OSError, FormatError) as error:
        raise CommandError(f"{out} cannot be written ({error}); name another folder") from error


def split_in_two(documents: list[Document], project: str) -> dict[str, list[Document]]:
    """Fully annotated documents; ``test`` is the test split, else dev, else one in five.

    The choice depends only on the text, so it is stable when documents are added.

    Raises:
        CommandError: one of the two parts would be empty.
    """
    whole = [document for document in documents if document.text and annotated_regions(document) is None]
    splits = {document.meta.get("split") for document in whole}
    test_split = next((name for name in ("test", "dev") if name in splits), None)

    def is_test(document: Document) -> bool:
        if test_split is not None:
            return bool(document.meta.get("split") == test_split)
        digest = hashlib.blake2b(document.text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % ONE_IN == 0

    parts: dict[str, list[Document]] = {part: [] for part in PARTS}
    for document in whole:
        parts["test" if is_test(document) else "train"].append(document)
    if not all(parts.values()):
        raise CommandError(
            f"project {project} has {len(whole)} fully annotated documents, "
            f"{len(parts['train'])} to label again and {len(parts['test'])} to score on; finish more of them"
        )
    return parts


def _file(out: Path, part: str) -> Path:
    return out / f"{part}.jsonl"
