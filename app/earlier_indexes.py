"""The earlier decisions of the projects somebody has open: read in the background, asked without waiting."""

from __future__ import annotations

from app.background_indexes import BackgroundIndexes
from core.store.earlier import EarlierDecisions
from core.store.workspace import Workspace

MOST_PROJECTS = 3


class EarlierIndexes(BackgroundIndexes[int, EarlierDecisions]):
    """Earlier decisions by project.

    Args:
        workspace: whose store.
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(
            lambda project_id: EarlierDecisions(workspace, project_id), "earlier-decisions", MOST_PROJECTS
        )

    def of(self, project_id: int, wait: float = 0.03) -> EarlierDecisions:
        """The decisions of a project, as ``at``."""
        return self.at(project_id, wait)
