"""The app as the host of a Space starts it: nobody's user, no home, a tree that cannot be written."""

import os
import shutil
import urllib.request

import pytest

from benchmarks.sessions import MEGABYTE
from benchmarks.space import app_file, space, work_together

VISITORS = 5
MOST_BYTES = 2048 * MEGABYTE
FIRST_PAGE_SECONDS = 60.0  # on a machine that does much else; benchmarks/space.py measures it on an idle one


def test_the_head_of_the_readme_names_the_door():
    assert app_file() == "launch.py"


@pytest.mark.exhaustive
@pytest.mark.skipif(
    os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("setpriv")),
    reason="a mount namespace and another user take root",
)
def test_five_visitors_tag_and_look_inside_within_two_gibibytes():
    with space() as running:
        assert running.ready < FIRST_PAGE_SECONDS
        with urllib.request.urlopen(running.url, timeout=30) as reply:
            page = reply.read().decode()
        assert "https://huggingface.co/spaces/somebody/latticelens?duplicate=true" in page
        most, wrong = work_together(running, VISITORS)
        assert wrong == [], running.log.read_text(encoding="utf-8")[-4000:]
        assert most < MOST_BYTES
