"""Uploads to a stand-in of a hub's HTTP API; the token is only where it belongs."""

from __future__ import annotations

import huggingface_hub.constants
import pytest

from core.export.errors import ExportError
from core.export.hub import check_repository, push
from tests.export.stand_in_hub import TOKEN, hub

__all__ = ["hub"]


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "model"
    (path / "lexicon").mkdir(parents=True)
    (path / "README.md").write_text("---\nlicense: other\n---\n# A card\n", encoding="utf-8")
    (path / "lexicon" / "words.txt").write_text("清河\n", encoding="utf-8")
    return path


def test_every_file_arrives_in_a_private_repository(hub, folder):
    address = push(folder, "people/first")
    assert address.startswith(f"{hub.address}/people/first/commit/")
    assert {path: len(content) for path, content in hub.files.items()} == {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file()
    }
    made = hub.made[0]
    assert made["name"] == "first"
    assert made["organization"] == "people"
    assert made.get("private") is True or made.get("visibility") == "private"
    assert {authorization for _, authorization in hub.asked} == {f"Bearer {TOKEN}"}


def test_public_is_said_to_the_hub(hub, folder):
    push(folder, "people/first", public=True)
    assert hub.made[0].get("private") is False or hub.made[0].get("visibility") == "public"


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (403, "refused people/first: this token may not write"),
        (401, "does not know this token"),
        (409, "refused people/first"),
    ],
)
def test_a_refusal_is_told_without_the_token(hub, folder, status, told):
    hub.refuse = status
    with pytest.raises(ExportError, match=told) as refused:
        push(folder, "people/first")
    assert TOKEN not in str(refused.value)
    assert hub.files == {}


def test_a_repository_with_files_is_refused_for_what_should_be_new(hub, folder):
    hub.there += ["data/train.jsonl"]
    with pytest.raises(ExportError, match=r"holds files already, such as data/train\.jsonl"):
        push(folder, "people/first", kind="dataset", fresh=True)
    assert hub.files == {}
    hub.there.remove("data/train.jsonl")
    assert push(folder, "people/first", kind="dataset", fresh=True)


def test_a_program_that_is_told_to_stay_offline_says_so(hub, folder, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ExportError, match="HF_HUB_OFFLINE=0"):
        push(folder, "people/first")


def test_a_token_with_a_line_break_is_sent_nowhere(hub, folder):
    with pytest.raises(ExportError, match="no token of the hub") as refused:
        push(folder, "people/first", token="hf_secret\nX-Other: 1")
    assert "secret" not in str(refused.value)
    assert hub.asked == []


def test_without_a_token_nothing_is_sent(hub, folder, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", " ")
    with pytest.raises(ExportError, match="HF_TOKEN"):
        push(folder, "people/first")
    assert hub.asked == []


@pytest.mark.parametrize("endpoint", ["http://hub.example", "ftp://127.0.0.1", "127.0.0.1:80", "file:///tmp"])
def test_a_token_is_not_sent_unencrypted(endpoint, hub, folder, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with pytest.raises(ExportError, match="unencrypted"):
        push(folder, "people/first")
    assert hub.asked == []


def test_a_hub_that_is_not_there(folder, hub, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ExportError, match=r"127\.0\.0\.1:9"):
        push(folder, "people/first")


@pytest.mark.parametrize(
    "name", ["", "first", "a/b/c", "../x", "a/..", "a b/c", "a/b\n", "a/b--c", "a/b.git", "-a/b", "清/河"]
)
def test_what_is_no_repository_is_refused(name):
    with pytest.raises(ExportError, match="owner/name"):
        check_repository(name)
