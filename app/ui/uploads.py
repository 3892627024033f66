"""Files that the browser has uploaded, named by a widget's own request."""

from __future__ import annotations

from pathlib import Path

from app.services.errors import AppError
from app.services.named_files import is_upload


def uploaded(path: str) -> Path:
    """The uploaded file at ``path``; uploads are deleted after a day.

    Raises:
        AppError: it is gone, or lies outside the folder of uploads.
    """
    try:
        place = Path(path).resolve()
        if place.is_file() and is_upload(place):
            return place
    except (OSError, ValueError):  # a path that no system accepts
        pass
    raise AppError("The file {name} is no longer there. Choose it again.", name=repr(Path(path).name[:100]))
