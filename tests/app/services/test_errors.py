"""Errors reach a person as one sentence that says what to do."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from app.i18n import counted
from app.services.errors import AppError, sentence
from core.corpus.errors import DiskFullError
from core.store.db.errors import NameTaken, StoreFull
from core.training.run.message import TrainingError


def test_an_error_of_the_interface_speaks_the_sessions_language():
    error = AppError(
        "The demo takes texts of at most {limit}; this one has {count}. Shorten it, or "
        "run LatticeLens on your own machine.",
        limit=counted.characters(10),
        count=12,
    )
    assert "at most 10 characters; this one has 12" in sentence(error, "en")
    assert "不超过 10 个字符" in sentence(error, "zh")
    assert str(error) == sentence(error, "en")


def test_a_training_error_speaks_both_languages():
    error = TrainingError("no device", "没有设备")
    assert (sentence(error, "en"), sentence(error, "zh")) == ("no device", "没有设备")


@pytest.mark.parametrize(
    "error", [NameTaken("a project is here already"), StoreFull("/disk"), ValueError("row 3 has no tag")]
)
def test_what_core_says_is_shown_as_it_is(error):
    assert sentence(error) == str(error)


def test_a_full_disk_names_the_place():
    assert "'/w/file'" not in sentence(OSError(28, "No space left on device", "/w/file"))
    assert "/w/file: No space left on device" in sentence(OSError(28, "No space left on device", "/w/file"))


@pytest.mark.parametrize("error", [KeyError("x"), RuntimeError("boom"), ZeroDivisionError("by zero")])
def test_a_fault_of_ours_is_logged_with_its_traceback_and_shown_without(error, caplog):
    with caplog.at_level(logging.ERROR, logger="latticelens"):
        shown = sentence(error)
    assert type(error).__name__ in shown
    assert "Traceback" not in shown
    assert caplog.records[0].exc_info is not None


def test_a_full_disk_says_what_to_do_in_both_languages():
    error = DiskFullError(Path("runs/flat-0001/train.jsonl"))
    assert "Free some space" in sentence(error, "en")
    assert sentence(error, "zh").startswith("磁盘已满：无法把 train.jsonl 写入 runs/flat-0001")
