"""Files that the browser has uploaded, named by a widget's own request."""

from __future__ import annotations

from pathlib import Path

from gradio.utils import get_upload_folder

from app.services.errors import AppError


def uploaded(path: str) -> Path:
    """The uploaded file at ``path``; uploads are deleted after a day.

    Raises:
        AppError: it is gone, or lies outside the folder of uploads.
    """
    try:
        place = Path(path).resolve()
        if place.is_file() and place.is_relative_to(Path(get_upload_folder()).resolve()):
            return place
    except (OSError, ValueError):  # a path that no system accepts
        pass
    raise AppError("The file {name} is no longer there. Choose it again.", name=repr(Path(path).name[:100]))
