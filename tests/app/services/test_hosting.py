"""The public demo: limits, and a copy for every visitor."""

import shutil

import pytest

from app.services.errors import AppError
from app.services.hosting import VisitorFolders
from app.services.limits.table import Limits


@pytest.fixture
def folders(tmp_path):
    template = tmp_path / "template"
    (template / "runs").mkdir(parents=True)
    (template / "workspace.sqlite").write_text("demo")
    made = VisitorFolders(template, Limits(visitors=2))
    yield made
    made.delete_all()


def test_visitors_share_nothing(folders):
    one, two = folders.copy_for("a"), folders.copy_for("b")
    (one / "workspace.sqlite").write_text("changed")
    assert (two / "workspace.sqlite").read_text() == "demo"
    assert one.parent != two.parent


def test_a_visitor_who_leaves_leaves_nothing(folders):
    one = folders.copy_for("a")
    folders.delete("a")
    folders.delete("a")
    folders.delete("never came")
    assert not one.parent.exists()


def test_a_full_demo_says_so_and_has_room_again_when_one_leaves(folders):
    folders.copy_for("a")
    folders.copy_for("b")
    with pytest.raises(AppError, match="as many visitors"):
        folders.copy_for("c")
    folders.delete("a")
    assert folders.copy_for("c").is_dir()


def test_a_failed_demo_workspace_takes_no_slot(folders, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copytree", full)
    for token in "abc":
        with pytest.raises(OSError, match="No space"):
            folders.copy_for(token)
    monkeypatch.undo()
    assert list(folders.root.iterdir()) == []
    assert folders.copy_for("d").is_dir()


def test_shutdown_deletes_every_demo_workspace(folders):
    root = folders.copy_for("a").parent.parent
    folders.delete_all()
    assert root == folders.root
    assert not root.exists()


def test_limits_refuse_with_both_numbers():
    limits = Limits(documents=3, characters=5)
    limits.check_documents(3)
    limits.check_texts(["12345", ""])
    with pytest.raises(AppError, match=r"at most 3 documents and there would be 4"):
        limits.check_documents(4)
    with pytest.raises(AppError, match=r"at most 5 characters; this one has 6"):
        limits.check_texts(["1", "123456"])
