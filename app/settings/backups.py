"""Backups on the Settings page: one to download, those of the schedule, and restoring either."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from app.i18n import _, counted
from app.services.errors import AppError, sentence
from app.services.exporting.documents import file_stem
from app.services.named_files import is_allowed_folder
from app.services.rights import manages_everything, place
from app.services.session import Session
from app.services.storage.scratch import scratch_folder
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class
from app.ui.numbers import date, size
from app.ui.widgets.plain_table import plain_table, table_value
from app.ui.window.navigation import project_choices
from app.ui.work import Report, WorkView, on_work, work_view
from core.store.db.backup import backup, restore
from core.store.project import members, projects

COLUMNS = (_("when"), _("size"), _("file"))


@dataclass
class BackupsComponents:
    """A backup to download, a file to restore, and the scheduled ones."""

    make_backup: gr.Button
    work: WorkView
    backup_file: gr.File
    restore_file: gr.File
    restore: gr.Button
    backup_message: gr.Markdown
    schedule: gr.Markdown
    kept: gr.Column
    table: gr.Dataframe
    choice: gr.Dropdown
    restore_kept: gr.Button
    make_now: gr.Button

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [self.schedule, self.kept, self.table, self.choice]


def layout(frame: Frame) -> BackupsComponents:
    """Build the section."""
    texts = frame.texts
    section_heading(frame.texts, _("Backup"))
    texts.hint(
        _(
            "Projects, labels, documents, history and predictions in one file, without trained models. "
            "Restoring keeps the current state in another file."
        )
    )
    make = texts.button(_("Make a backup"), elem_id="settings-make-backup")
    work = work_view(frame, "settings-backup-work")
    made = texts.bind(gr.File(interactive=False, visible=False), label=_("Your backup"))
    source = texts.bind(
        gr.File(type="filepath", height=110, elem_id="settings-restore-file"), label=_("Restore from")
    )
    restore_button = texts.button(_("Restore this backup"), elem_id="settings-restore")
    message = gr.Markdown(elem_id="settings-backup-message")
    schedule = gr.Markdown(elem_id="settings-backup-schedule", elem_classes="ll-how")
    with gr.Column(
        visible=False, elem_id="settings-kept-backups", elem_classes=needs_class("manage")
    ) as kept:
        table = plain_table("settings-kept-table", height=220, wrap=True, elem_classes="compare-table")
        choice = texts.bind(
            gr.Dropdown([], elem_id="settings-kept-choice", container=False), label=_("Which backup")
        )
        with gr.Row(elem_classes="ll-buttons"):
            now = texts.button(_("Back up now"), elem_id="settings-kept-now")
            restore_kept = texts.button(_("Restore it"), elem_id="settings-kept-restore")
    return BackupsComponents(
        make, work, made, source, restore_button, message, schedule, kept, table, choice, restore_kept, now
    )


def show(session: Session) -> dict[str, Any]:
    """What the schedule is, whether the last backup worked, and the backups there are."""
    backups = session.workbench.backups
    if session.workbench.limits.demo or not manages_everything(session):
        return {"schedule": "", "kept": gr.update(visible=False)}
    if backups.schedule is None:
        return {
            "schedule": session.paragraph(
                *_snapshots(session),
                session._(
                    "Backups are not made by themselves. Start LatticeLens with `--backup-every 6h` for that."
                ),
            ),
            "kept": gr.update(visible=False),
        }
    kept = backups.kept()
    return {
        "schedule": session.paragraph(*_snapshots(session), _failure(session), _schedule(session)),
        "kept": gr.update(visible=True),
        "table": table_value(
            session,
            COLUMNS,
            [[date(each.at, seconds=True), size(each.bytes), each.path.name] for each in kept],
        ),
        "choice": gr.update(
            choices=[
                (f"{date(each.at, seconds=True)} ({size(each.bytes)})", each.path.name) for each in kept
            ],
            value=kept[0].path.name if kept else None,
        ),
    }


def make_backup(session: Session, report: Report) -> Any:
    """A backup of the whole workspace, to download.

    Raises:
        NotAllowed: it would hold a project of which the person is no manager.
    """
    members.check_everywhere(session.workspace, session.user, "manage")
    folder = scratch_folder("backup")
    project = projects.get(session.workspace, session.project_id)
    path = backup(
        session.workspace, folder / f"latticelens-{file_stem(project.name)}.sqlite", progress=report
    )
    return gr.update(value=str(path), visible=True)


def make_now(session: Session) -> dict[str, Any]:
    """Make a backup in the folder of the schedule.

    Raises:
        NotAllowed: as ``make_backup``. AppError, StoreError: there is no schedule, or it failed.
    """
    members.check_everywhere(session.workspace, session.user, "manage")
    made = session.workbench.backups.make_now()
    done = session._("Backup {name} was made.", name=code_span(made.path.name))
    return {"backup_message": done, **show(session)}


def restore_backup(session: Session, file: str | None) -> dict[str, Any]:
    """Put a backup in the place of the workspace's file.

    Raises:
        AppError: no file, a run is going on, or this is the demo. NotAWorkspace: the file is no whole backup.
        NotAllowed: it would replace a project of which the person is no manager.
    """
    members.check_everywhere(session.workspace, session.user, "manage")
    if session.workbench.limits.demo:
        raise AppError("The demo cannot restore backups. Run LatticeLens on your own machine for that.")
    if not file:
        raise AppError("Choose a backup file first.")
    if session.workbench.jobs.running() is not None:
        raise AppError("A run is in progress. Wait until it ends or cancel it, then restore.")
    bench = session.workbench
    kept = restore(session.workspace, Path(file), lambda folder: is_allowed_folder(bench, folder))
    session.workbench.taggers.clear()
    session.turn_to(session.workbench.first_project(session.user))
    return {
        "backup_message": session._(
            "Backup restored. The previous state is kept as {name} in the workspace.",
            name=code_span(kept.name),
        ),
        "project": project_choices(session),
        "moved": place(session),
    }


def restore_kept(session: Session, name: str | None) -> dict[str, Any]:
    """``restore_backup`` of a scheduled backup, by its name in the folder.

    Raises:
        AppError: there is no such backup any more. Also as ``restore_backup``.
    """
    members.check_everywhere(session.workspace, session.user, "manage")
    chosen = next((each for each in session.workbench.backups.kept() if each.path.name == name), None)
    if name and chosen is None:
        raise AppError("This backup has been replaced by newer ones. Choose another one.")
    return restore_backup(session, str(chosen.path) if chosen else None)


def _schedule(session: Session) -> str:
    schedule = session.workbench.backups.schedule
    assert schedule is not None
    return session._(
        "A backup is made every {minutes} minutes in {folder}; the last {keep} are kept, and each is "
        "checked.",
        minutes=round(schedule.every / 60),
        folder=code_span(str(schedule.folder)),
        keep=schedule.keep,
    )


def _failure(session: Session) -> str:
    failure = session.workbench.backups.failure
    if failure is None:
        return ""
    return session._(
        "**The last backup failed** ({time}): {reason}",
        time=date(failure.at, seconds=True),
        reason=code_span(sentence(failure.error, session.language)),
    )


def _snapshots(session: Session) -> list[str]:
    """Where snapshots go and how the last one went; nothing where the live file is on its own storage."""
    snapshots = session.workbench.snapshots
    if snapshots is None:
        return []
    said = [
        session._(
            "This workspace is on storage that cannot hold its live file: after changes a snapshot goes to "
            "{folder}, at most every {time}.",
            folder=code_span(str(snapshots.kept.folder)),
            time=counted.seconds(round(snapshots.kept.every)),
        )
    ]
    if snapshots.last is None:
        said.append(session._("None has been made since the app started."))
    else:
        said.append(
            session._(
                "The last one is {name} ({time}, {size}).",
                name=code_span(snapshots.last.name),
                time=date(snapshots.last.at, seconds=True),
                size=size(snapshots.last.size),
            )
        )
    if snapshots.failure is not None:
        said.append(
            session._(
                "**The last snapshot failed** ({time}): {reason}. It is tried again by itself; until one "
                "succeeds, download a backup before the app is stopped.",
                time=date(snapshots.failure.at, seconds=True),
                reason=code_span(sentence(snapshots.failure.error, session.language)),
            )
        )
    return said


def wire(components: BackupsComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    frame.on_show("settings", show, c.shown)
    on_work(
        frame, c.work, [c.make_backup.click], make_backup, [], [c.backup_file],
        doing=_("making a backup, in MiB"), done=_("backup made"),
    )  # fmt: skip
    restoring = [c.backup_message, frame.project, frame.moved]
    frame.on([c.restore.click], restore_backup, [c.restore_file], restoring, show_progress="minimal")
    frame.on([c.restore_kept.click], restore_kept, [c.choice], restoring, show_progress="minimal")
    frame.on([c.make_now.click], make_now, [], [c.backup_message, *c.shown], show_progress="minimal")
