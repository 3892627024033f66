"""The earlier decisions of the projects somebody has open: read in the background, asked without waiting."""

from __future__ import annotations

from app.services.background_indexes import BackgroundIndexes
from core.store.db.workspace import Workspace
from core.store.suggest.earlier import EarlierDecisions

MOST_PROJECTS = 3
MOST_PEOPLE = 16  # what one person decided on their own copies is little beside a project
NAME = "earlier-decisions"


class EarlierIndexes:
    """Earlier decisions by project, or by a person's own copies in it.

    Args:
        workspace: whose store.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._agreed: BackgroundIndexes[int, EarlierDecisions] = BackgroundIndexes(
            lambda project_id: EarlierDecisions(workspace, project_id), NAME, MOST_PROJECTS
        )
        self._own: BackgroundIndexes[tuple[int, str], EarlierDecisions] = BackgroundIndexes(
            lambda whose: EarlierDecisions(workspace, *whose), NAME, MOST_PEOPLE
        )

    def of(self, project_id: int, user: str | None = None, wait: float = 0.03) -> EarlierDecisions:
        """The decisions of a project, or of one person's copies in it, as ``BackgroundIndexes.at``."""
        if user is None:
            return self._agreed.at(project_id, wait)
        return self._own.at((project_id, user), wait)

    def close(self) -> None:
        """Wait for what is being read, and forget all."""
        self._agreed.close()
        self._own.close()
