"""How fast the lattice viewer draws a long sentence in Chromium.

    python -m benchmarks.lattice_view [--characters 200] [--words 150] [--draws 20]

Draw: from the value to the painted board, text measured and laid out. Point: from choosing a node to its ties
on the board and in words, attention of every node to every node. Milliseconds; the first draw of a page is
the one that counts a cold script. Needs Chromium at /usr/bin/chromium.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence

from playwright.sync_api import sync_playwright

from app.ui.widgets.lattice import lattice_value
from core.inspection.sentence.lattice_view import lattice_view
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.lattice_page import long_trace, open_lattice

COLOURS = {"ORG": "#0072B2", "PER": "#D55E00", "LOC": "#009E73"}
WIDTHS = (1440, 390)
# A frame after the next one begins only when the next one has been painted.
PAINTED = (
    "const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"
)
FIRST = f"""async () => {{ {PAINTED}
  document.querySelector(".ll-lattice").replaceChildren();
  await painted();
  const start = performance.now();
  window.mountLattice();
  await painted();
  return performance.now() - start;
}}"""
AGAIN = f"""async ([value, times]) => {{ {PAINTED}
  const found = [];
  for (let time = 0; time < times; time += 1) {{
    await painted();
    const start = performance.now();
    window.giveLattice({{ ...value, mark: String(time) }});
    await painted();
    found.push(performance.now() - start);
  }}
  return found;
}}"""
POINT = f"""async (times) => {{ {PAINTED}
  const found = [];
  const nodes = [...document.querySelectorAll("[data-node][role]")];
  for (let time = 0; time < times; time += 1) {{
    await painted();
    const node = nodes[(time * 17) % nodes.length];
    const start = performance.now();
    node.dispatchEvent(new PointerEvent("pointerover", {{ bubbles: true, pointerType: "mouse" }}));
    await painted();
    found.push(performance.now() - start);
  }}
  return found;
}}"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line a page width."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--characters", type=int, default=200, help="of the sentence")
    parser.add_argument("--words", type=int, default=150, help="matched over it")
    parser.add_argument("--draws", type=int, default=20, help="draws and nodes timed at each width")
    options = parser.parse_args(arguments)
    value = lattice_value(
        lattice_view(long_trace(options.characters, options.words)), COLOURS, mark="benchmark"
    )
    print(f"{options.characters} characters, {options.words} words")
    print(f"{'width':<8}{'first ms':>10}{'draw ms':>10}{'worst ms':>10}{'point ms':>10}{'worst ms':>10}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        for width in WIDTHS:
            page = browser.new_page(viewport={"width": width, "height": 900})
            open_lattice(page, value)
            first = page.evaluate(FIRST)
            draws = page.evaluate(AGAIN, [value, options.draws])
            points = page.evaluate(POINT, options.draws)
            found = [first, statistics.median(draws), max(draws), statistics.median(points), max(points)]
            print(f"{width:<8}" + "".join(f"{milliseconds:>10.0f}" for milliseconds in found))
            page.close()
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
