"""Every field of the app that takes a file takes what the browser uploaded, and no other file."""

import os
from pathlib import Path

import gradio as gr
import pytest
from gradio.context import LocalContext
from gradio.exceptions import InvalidPathError
from gradio.utils import get_upload_folder

from app.main import build
from app.services.session import Sessions
from tests import own_loop
from tests.sweep import sweep

FIELDS = ("data-files", "tag-file", "settings-restore-file", "dictionary-file", "knowledge-file")


@pytest.fixture(scope="module")
def fields():
    """The file fields that listeners read, by their id on the page, with a listener of each."""
    demo = build(Sessions(lambda token: None))
    demo.has_launched, demo.blocked_paths, demo.allowed_paths = True, [], []
    listeners = {}
    for dependency in demo.fns.values():
        for place, component in enumerate(dependency.inputs):
            if isinstance(component, gr.File):
                listeners.setdefault(component.elem_id, []).append((demo, dependency, place))
    # The one that reads the fewest others: each of them is prepared at every call.
    return {name: min(each, key=lambda one: len(one[1].inputs)) for name, each in listeners.items()}


def asked(field, path):
    """What a listener is given for a path that a request names, in a running app."""
    demo, dependency, place = field
    several = dependency.inputs[place].file_count == "multiple"
    named = {"path": str(path), "meta": {"_type": "gradio.FileData"}}
    values = [None] * len(dependency.inputs)
    values[place] = [named] if several else named

    async def prepare():
        LocalContext.blocks.set(demo)
        return await demo.preprocess_data(dependency, values, None)

    return own_loop.run(prepare())[place]


def test_the_fields_are_those_that_were_looked_through(fields):
    assert set(fields) == set(FIELDS)


@pytest.mark.parametrize("name", sweep(FIELDS, ["data-files"]))
def test_none_takes_a_path_of_the_server(fields, name, tmp_path):
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe")
    places = [tmp_path / name for name in ("secret", "link", "pipe", "nothing")]
    ways_up = [f"{get_upload_folder()}/../{name}" for name in ("secret", "../etc/passwd")]
    for path in (*places, *ways_up, "/etc/passwd", "/dev/zero", "launch.py"):
        with pytest.raises(InvalidPathError, match="was not uploaded by a user"):
            asked(fields[name], path)


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost", "[::1]", "169.254.169.254", "10.0.0.1"])
def test_none_fetches_from_inside_the_network(fields, host):
    for field in fields.values():
        with pytest.raises(ValueError, match="failed validation"):
            asked(field, f"http://{host}/x.txt")


def test_each_takes_an_upload(fields):
    upload = Path(get_upload_folder()) / ("a" * 64) / "test_file_fields.txt"
    upload.parent.mkdir(parents=True, exist_ok=True)
    try:
        upload.write_text("mine")
        for field in fields.values():
            taken = asked(field, upload)
            assert Path(taken[0] if isinstance(taken, list) else taken).read_text() == "mine"
    finally:
        upload.unlink()
        upload.parent.rmdir()
