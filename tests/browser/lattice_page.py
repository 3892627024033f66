"""The lattice viewer on a page of its own, without gradio: what it draws depends on its value alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from app.ui.widgets.page_code import ASSETS
from core.taggers.base.trace import LatticeTrace, Trace
from core.text import Span
from tests.browser.served_modules import open_modules

if TYPE_CHECKING:
    from playwright.sync_api import Page

# What gr.HTML gives to a script, and a way to hand it another value.
SITE = "http://lattice.test/"
MOUNT = """async (value) => {
  const props = { value };
  const watchers = [];
  window.latticelens = { language: "en", token: "t", messages: {} };
  const server = window.latticeAttention ? { lattice_attention: window.latticeAttention } : {};
  const element = document.getElementById("host");
  const { mount } = await import("/lattice/viewer.js");
  const watch = (name, then) => watchers.push(then);
  window.mountLattice = () => mount({ element, props, watch, server });
  window.giveLattice = (next) => { props.value = next; watchers.forEach((then) => then()); };
  window.mountLattice();
}"""


def open_lattice(
    page: Page,
    value: dict[str, Any],
    attention: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
) -> None:
    """Show ``value``; ``attention`` answers what the viewer asks of the server."""
    styles = "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in ("app.css", "lattice.css"))
    open_modules(page, SITE)
    page.set_content(
        f"<!doctype html><meta charset='utf-8'><style>{styles}</style>"
        "<body style='margin:16px'><div id='host'><div class='ll-lattice'></div></div>"
    )
    if attention is not None:
        page.expose_function("latticeAttention", attention)
    page.evaluate(MOUNT, value)


def long_trace(characters: int = 200, words: int = 150, heads: int = 8) -> Trace:
    """As long as the viewer must bear, with random words, and attention from every node to every other."""
    random = np.random.default_rng(11)
    text = "".join(chr(0x4E00 + at) for at in random.integers(0, 3000, characters))
    sizes = random.choice([2, 3, 4, 5], 3 * words, p=[0.6, 0.2, 0.15, 0.05])
    starts = random.integers(0, characters - 5, 3 * words)
    places = sorted({(int(start), int(start + size - 1)) for start, size in zip(starts, sizes, strict=True)})
    kept = sorted(random.choice(len(places), words, replace=False).tolist())
    places = [places[order] for order in kept]
    head = np.array([*range(characters), *(first for first, _ in places)])
    tail = np.array([*range(characters), *(last for _, last in places)])
    nodes = tuple(text[first : last + 1] for first, last in zip(head.tolist(), tail.tolist(), strict=True))
    frequency = random.integers(0, 5000, words)
    attention = random.dirichlet(np.full(len(nodes), 0.08), (heads, len(nodes)))
    spans = tuple(
        Span(start, start + 6, label, 0.9)
        for start, label in zip(
            range(4, characters - 6, 24), ("ORG", "PER", "LOC") * characters, strict=False
        )
    )
    lattice = LatticeTrace(nodes, head, tail, characters, frequency)
    return Trace(text, tuple(text), spans, "flat", attention=(attention,), lattice=lattice)
