"""The segments into which the active tagger's HM-LSTM cuts a project's documents."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from app.services.errors import AppError
from app.services.session import Session
from core.store.db.errors import NotFound
from core.store.document import documents

if TYPE_CHECKING:
    from core.learning.segment_words import SegmentCounts

AT_ONCE = 32  # documents that are read while others wait for the tagger
log = logging.getLogger("latticelens")


def counted_segments(
    session: Session, project_id: int, progress: Callable[[int], None]
) -> SegmentCounts | None:
    """Count the segments of all documents; None if there is no active tagger, or no HM-LSTM in it.

    A tagger that cannot be loaded counts as none: the other sources of words need none.

    Args:
        progress: called with the number of documents read so far; may raise to stop.
    """
    run = session.workbench.active_run(project_id)
    if run is None:
        return None
    from core.learning.segment_words import SegmentCounts
    from core.taggers.base.tagger import ModelFolderError
    from core.taggers.sequence.segments import has_segments

    taggers, counts, done = session.workbench.taggers, SegmentCounts(), 0
    try:
        with taggers.tagger(project_id, run) as tagger:
            if not has_segments(tagger):
                return None
    except (AppError, NotFound, ModelFolderError) as error:
        log.info("%s cuts no segments: %s", run, error)
        return None
    source = documents.iterate(session.workspace, project_id)
    while part := list(islice(source, AT_ONCE)):
        progress(done)
        with taggers.tagger(project_id, run) as tagger:
            counts.read(tagger, part)
        done += len(part)
    return counts
