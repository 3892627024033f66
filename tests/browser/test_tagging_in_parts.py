"""Tagging in parts: how often what was found is drawn."""

from __future__ import annotations

import pytest

from tests.browser.served_modules import open_modules

pytestmark = pytest.mark.browser

SITE = "http://tagging.test/"
# A clock that only drawing and asking move, and a document of so many parts.
RUN = """async ({ parts, drawing, stopAt }) => {
  const { Tagging } = await import("/annotator/tagging.js");
  let clock = 1000;
  performance.now = () => clock;
  const drawn = [];
  const bench = {
    host: { lang: "en" },
    say: (key) => key,
    announce: () => {},
    annotation: { suggestions: [] },
    sentence: { text: document.body },
    draw() { clock += drawing; drawn.push(this.annotation.suggestions.length); },
    async ask(name, { start }) {
      clock += 10;
      if (start === stopAt) tagging.stop();
      return { ok: true, until: start + 1, spans: [{ start, end: start + 1, source: "tagger" }] };
    },
  };
  const tagging = new Tagging(bench);
  const found = await tagging.run(1, parts);
  return { drawn, found: found && found.length };
}"""


def run(page, parts: int, drawing: int, stop_at: int | None = None):
    open_modules(page, SITE)
    return page.evaluate(RUN, {"parts": parts, "drawing": drawing, "stopAt": stop_at})


def test_what_is_drawn_at_once_is_drawn_with_every_part(page):
    assert run(page, 5, drawing=0) == {"drawn": [1, 2, 3, 4, 5, 5], "found": 5}


def test_what_is_drawn_slowly_is_drawn_a_fifth_of_the_time_and_at_the_end(page):
    # Drawing takes as long as asking for ten parts: after it forty are asked for.
    assert run(page, 100, drawing=100) == {"drawn": [1, 41, 81, 100], "found": 100}


def test_who_stops_sees_what_has_come(page):
    assert run(page, 100, drawing=100, stop_at=30) == {"drawn": [1, 30], "found": None}
