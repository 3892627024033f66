"""One workspace: a folder with one SQLite file and the run folders."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlite_utils import Database

from core.store.db import damage, schema
from core.store.db.background import Background
from core.store.db.errors import (
    DamagedRow,
    NotAWorkspace,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
    UnreadableCell,
    WorkspaceTooNew,
    WorkspaceTooOld,
)
from core.store.db.journal_mode import set_journal
from core.store.db.waiting_mark import WaitingMark
from core.store.db.write_lock import WriteLock
from core.text import OffsetError

FILE_NAME = "workspace.sqlite"
BUSY_SECONDS = 10.0
BACKGROUND_THREADS = 4
OLDEST_SQLITE = (3, 37, 0)  # the first with STRICT tables
# Of the writer: the index of content hashes of a million documents, which an import writes to everywhere.
CACHE_KIB = 64 << 10


class Workspace:
    """An open workspace. Open it with ``Workspace.open``; usable from any thread.

    Writes go through one connection behind a lock, in short transactions; reads use a pool of connections, so
    that in WAL mode a save never waits for a long read.

    Attributes:
        folder: the workspace's folder. file: its SQLite file. runs_folder: where run folders live.
        background: runs deferred work; it ends before the file is closed.
        on_save: called with the seconds of every save. lock: held by whoever writes. waiting: what a process
            shows to the one that writes.
    """

    def __init__(self, folder: Path, writer: sqlite3.Connection) -> None:
        self.folder = folder
        self.file = folder / FILE_NAME
        self.runs_folder = folder / "runs"
        self.background = Background("workspace", BACKGROUND_THREADS)
        self.on_save: Callable[[float], None] = lambda seconds: None
        self._writer = writer
        self.lock = WriteLock()
        self.waiting = WaitingMark(self.file)
        self._readers: list[sqlite3.Connection] = []
        self._readers_lock = threading.Lock()
        self._closed = False
        self._generation = 0  # number of file replacements; readers of an earlier file are not reused

    @classmethod
    def open(cls, folder: str | Path) -> Workspace:
        """Open the workspace in ``folder``, creating it if there is none.

        Raises:
            NotAWorkspace: the file is damaged or belongs to something else.
            WorkspaceTooNew, WorkspaceTooOld: a later version, or a development version, wrote it.
            StoreReadOnly: the folder cannot be written. StoreFull: no room to create it.
        """
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise StoreError(
                "this Python brings SQLite {version}, the workspace needs 3.37 or later; use a newer Python",
                version=sqlite3.sqlite_version,
            )
        folder = Path(folder).expanduser().resolve()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "runs").mkdir(exist_ok=True)
        except OSError as error:
            raise StoreReadOnly(
                "the workspace folder {folder} cannot be written ({reason}); choose another with "
                "--workspace or correct its permissions",
                folder=folder,
                reason=error,
            ) from error
        file = folder / FILE_NAME
        writer = None
        try:
            with named_errors(file):
                writer = connect(file)
                check_is_ours(writer, file)
                _check_search(writer)
                set_journal(writer, folder)
                writer.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
                migrate(writer)
        except BaseException:
            if writer is not None:
                writer.close()
            raise
        return cls(folder, writer)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One write transaction, rolled back after any error. Nests.

        Raises:
            StoreFull, StoreBusy, StoreReadOnly, NotAWorkspace: for the corresponding SQLite error.
            WorkspaceTooNew: a later version has migrated the file in the meantime.
        """
        with self.lock:
            self._check_open()
            if self._writer.in_transaction:
                yield self._writer
                return
            with named_errors(self.file):
                self._begin()
                try:
                    # A later version may have opened, and changed, the file since this one did.
                    _check_version(self._writer, self.file)
                    yield self._writer
                    self._writer.execute("COMMIT")
                except BaseException:
                    if self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
                    raise

    def _begin(self) -> None:
        """Take the write lock at once: a reader-turned-writer could fail half way."""
        writer = self._writer
        writer.execute("PRAGMA busy_timeout=0")
        try:
            writer.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
        finally:
            writer.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000:.0f}")
        if not writer.in_transaction:
            with self.waiting.up():
                writer.execute("BEGIN IMMEDIATE")

    @contextmanager
    def saving(self) -> Iterator[sqlite3.Connection]:
        """``writing`` for the save of an annotation; `on_save` is told its seconds, the commit included."""
        begun = time.perf_counter()
        with self.writing() as db:
            yield db
        self.on_save(time.perf_counter() - begun)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection from the pool."""
        self._check_open()
        with self._readers_lock:
            reader = self._readers.pop() if self._readers else None
            generation = self._generation
        with named_errors(self.file):
            if reader is None:
                reader = connect(self.file)
                reader.execute("PRAGMA query_only=ON")
            try:
                yield reader
            finally:
                with self._readers_lock:
                    if self._closed or generation != self._generation:
                        reader.close()
                    else:
                        self._readers.append(reader)

    @contextmanager
    def reading_one_moment(self) -> Iterator[sqlite3.Connection]:
        """``reading`` in one transaction: what is saved meanwhile is not seen."""
        with self.reading() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.execute("COMMIT")

    @property
    def generation(self) -> int:
        """How often the file was replaced by another."""
        return self._generation

    def changes(self) -> tuple[int, ...]:
        """A mark that is another one after any change of the file, also by another program."""
        with self.lock:
            self._check_open()
            version = self._writer.execute("PRAGMA data_version").fetchone()[0]
            return self._generation, self._writer.total_changes, version

    def rest(self) -> None:
        """Free the memory and the open files of connections that nobody uses at the moment."""
        with self._readers_lock:
            while self._readers:
                self._readers.pop().close()
        with self.lock:
            if not self._closed:
                self._writer.execute("PRAGMA shrink_memory")

    def close(self) -> None:
        """End background work, then close every connection; may be called twice."""
        self.background.close()
        self._disconnect()

    def _disconnect(self) -> None:
        with self.lock, self._readers_lock:
            self._closed = True
            while self._readers:
                self._readers.pop().close()
            self._writer.close()

    @contextmanager
    def replaced_file(self) -> Iterator[None]:
        """Close all connections while the block replaces the file, then open the new one."""
        with self.lock:
            self._check_open()
            self._disconnect()
            try:
                yield
            finally:
                fresh = Workspace.open(self.folder)
                with self._readers_lock:
                    self._generation += 1
                    self._writer, self._closed = fresh._writer, False

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("the workspace {folder} is closed; reload the page", folder=self.folder)


def connect(file: Path) -> sqlite3.Connection:
    """Connect to ``file`` with our settings; transactions are explicit."""
    connection = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA trusted_schema=OFF")  # a restored file's schema may be hostile
    return connection


def check_is_ours(connection: sqlite3.Connection, file: Path) -> None:
    """Refuse a file that is not a workspace or of another version; an empty file is accepted.

    Raises:
        NotAWorkspace, WorkspaceTooNew, WorkspaceTooOld: saying what to do.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if application != schema.APPLICATION_ID and tables:
        raise NotAWorkspace(
            "{file} is an SQLite file of another program; move it away or choose another "
            "folder with --workspace",
            file=file,
        )
    _check_version(connection, file)


def _check_search(connection: sqlite3.Connection) -> None:
    if not connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").fetchone():
        raise StoreError(
            "the SQLite of this Python lacks full-text search (FTS5); use a Python from python.org, conda or "
            "the system's packages"
        )


def _check_version(connection: sqlite3.Connection, file: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > schema.VERSION:
        raise WorkspaceTooNew(
            "{file} has schema {version}, this program knows {known}: a later version wrote "
            "it; update LatticeLens, or choose another folder with --workspace",
            file=file,
            version=version,
            known=schema.VERSION,
        )
    if 0 < version <= schema.DEVELOPMENT:
        raise WorkspaceTooOld(
            "{file} was made by an earlier development version (schema {version}); export its "
            "projects with that version, or choose another folder with --workspace to start a "
            "new workspace",
            file=file,
            version=version,
        )


def migrate(writer: sqlite3.Connection) -> None:
    """Bring the tables of a file that is ours to the present schema, in one transaction."""
    version = writer.execute("PRAGMA user_version").fetchone()[0]
    if version == schema.VERSION:
        return
    # Two programs may open a fresh folder at once; the second waits here and finds it done.
    writer.execute("BEGIN IMMEDIATE")
    try:
        schema.migrations.apply(Database(writer, execute_plugins=False))
        writer.execute(f"PRAGMA application_id={schema.APPLICATION_ID:d}")
        writer.execute(f"PRAGMA user_version={schema.VERSION:d}")
        writer.execute("COMMIT")
    except BaseException:
        if writer.in_transaction:
            writer.execute("ROLLBACK")
        raise


def _damaged(file: Path) -> NotAWorkspace:
    return NotAWorkspace(
        "{file} is damaged or no workspace; move it away and restore a backup "
        "(Settings, or python -m core workspace restore)",
        file=file,
    )


@contextmanager
def named_errors(file: Path) -> Iterator[None]:
    """Turn SQLite's errors into the store's."""
    try:
        yield
    except (UnreadableCell, OffsetError) as error:
        row = _damaged_row(file)
        if row is None:
            raise
        raise row from error
    except UnicodeDecodeError as error:  # Python fails to read what SQLite says of a damaged schema
        raise _damaged(file) from error
    except sqlite3.DatabaseError as error:
        message = str(error).lower()
        if "malformed json" in message or "could not decode" in message:
            raise _damaged_row(file) or StoreError(
                "the database {file} refused the change; nothing was saved; try again", file=file
            ) from error
        if "full" in message:
            raise StoreFull(file) from error
        if "locked" in message or "busy" in message:
            raise StoreBusy(file, BUSY_SECONDS) from error
        if "readonly" in message or "unable to open" in message:
            raise StoreReadOnly(
                "{file} cannot be written; correct its permissions or choose another folder with --workspace",
                file=file,
            ) from error
        if "malformed" in message or "not a database" in message or "disk i/o" in message:
            raise _damaged(file) from error
        if isinstance(error, sqlite3.OperationalError):
            raise StoreError(
                "the database {file} refused the change; nothing was saved; try again", file=file
            ) from error
        raise


def _damaged_row(file: Path) -> DamagedRow | None:
    """Find the damaged row behind an error; None if there is none."""
    with closing(connect(file)) as db:
        db.execute("PRAGMA query_only=ON")
        try:
            rows = damage.damaged_rows(db)
        except sqlite3.DatabaseError:
            return None  # the damage is not in a row: keep the original error
    return DamagedRow(file, len(rows), rows[0].message) if rows else None
