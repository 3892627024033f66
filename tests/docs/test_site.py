"""The docs as a site: every page is in it, and it builds without a warning and without other hosts."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
SECONDS = 300  # for the build, on a busy machine


def pages(entry) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    if isinstance(entry, dict):
        entry = list(entry.values())
    return [page for part in entry for page in pages(part)]


def test_every_page_of_the_docs_is_in_the_navigation_once():
    listed = pages(CONFIG["nav"])
    docs = ROOT / CONFIG["docs_dir"]
    assert sorted(listed) == sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))


@pytest.mark.exhaustive
@pytest.mark.timeout(SECONDS + 60)
def test_the_site_builds_strictly_and_loads_nothing_from_elsewhere(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path / "site"],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    html = (tmp_path / "site" / "python" / "index.html").read_text(encoding="utf-8")
    assert "LatticeLens from Python" in html
    loaded = re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=[\"']?(https?:[^\"' >]+)", html)
    assert loaded == []
