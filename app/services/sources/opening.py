"""A project's source, opened for a session: what it may name and call, and what it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.services.addresses import CheckedTransport
from app.services.errors import AppError
from app.services.named_files import checked_model, policy_of
from app.services.session import Session
from core.sources import Context, Source, SourceSettings, open_source
from core.sources.contract import go_on
from core.sources.keys import key_reader
from core.store.annotation import finished
from core.store.label import labels
from core.store.suggest import sources
from core.text import Document

FLAG = "--source-host"
# Of the variables of a server that others use, a project names these only: others hold secrets of the server.
PREFIX = "LATTICELENS_KEY_"
ANSWERS = "answers"  # folder of the workspace
MOST_EXAMPLES = 5_000  # finished documents among which examples are looked for

LINES = 4  # styles of line for the marks of sources, in assets/annotator.css


def source_key(number: int) -> str:
    """The name of a stored source among the sources of a page's marks; it says its style of line, too."""
    return f"outside-{number % LINES}-{number}"


def checked(session: Session, settings: SourceSettings) -> SourceSettings:
    """The settings, with the real path of the folder they name, if any.

    Raises:
        AppError: this person may not have the server read this folder, this variable, or call an address.
    """
    bench = session.workbench
    if settings.kind in ("spacy", "transformers", "gliner"):
        return replace(settings, target=checked_model(bench, session.project_id, settings.target))
    if settings.kind == "language_model" and bench.limits.demo:
        raise AppError("The demo asks no language models. Run LatticeLens on your own machine for that.")
    restricted = not policy_of(bench).anywhere
    if restricted and settings.key not in ("", "file") and not settings.key.startswith(PREFIX):
        raise AppError(
            "Where others can open the app, the variable of a key begins with {prefix}. Ask whoever runs "
            "LatticeLens to set one, or enter the key itself.",
            prefix=PREFIX,
        )
    return settings


def opened(
    session: Session, settings: SourceSettings, number: int, pause: Callable[[], None] = go_on
) -> Source:
    """The source, ready to be asked.

    Args:
        number: of the stored source, 0 of none yet. pause: called now and then; may raise to stop.

    Raises:
        AppError: as `checked`. SourceError: something is missing.
    """
    settings = checked(session, settings)
    return open_source(settings, _context(session, settings, number, pause))


def settings_of(session: Session, number: int) -> SourceSettings:
    """The settings of a source of the session's project.

    Raises:
        NotFound: the project has no such source. SourceError: another version wrote the settings.
    """
    return SourceSettings.from_json(sources.get(session.workspace, session.project_id, number).settings)


def _context(session: Session, settings: SourceSettings, number: int, pause: Callable[[], None]) -> Context:
    workspace = session.workspace
    label_set = labels.get(workspace, session.project_id)
    if settings.kind != "language_model":
        return Context(label_set, pause=pause)
    restricted = not policy_of(session.workbench).anywhere
    return Context(
        label_set,
        examples_of(session) if settings.examples else (),
        workspace.folder / ANSWERS,
        key_reader(settings, workspace.folder, number),
        CheckedTransport(session.workbench.source_hosts, flag=FLAG) if restricted else None,
        pause,
    )


def examples_of(session: Session, most: int = MOST_EXAMPLES) -> list[Document]:
    """Finished documents outside dev and test, the newest first: evaluation data is nobody's example."""
    workspace, project_id = session.workspace, session.project_id
    splits = finished.splits(workspace, project_id)
    ids = [id_ for id_, split in splits.items() if split not in ("dev", "test")][:most]
    found = finished.read(workspace, project_id, ids)
    return [Document(found[id_].name, found[id_].text, found[id_].spans) for id_ in ids if id_ in found]
