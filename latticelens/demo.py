"""What the package carries to try it on: a trained tagger and the corpus it learned from."""

from pathlib import Path

import core

_ASSETS = Path(core.__file__).resolve().parents[1] / "assets"

DEMO_TAGGER = _ASSETS / "demo_tagger"
"""Model folder of the demo tagger: nested Chinese and English names in nine labels."""

DEMO_CORPUS = _ASSETS / "demo" / "corpus.jsonl"
"""The demo corpus, labelled by hand, one sentence a line, dedicated to the public domain (CC0 1.0)."""
