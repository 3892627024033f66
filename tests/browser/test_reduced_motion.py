"""Who asks the system for less movement gets none: of our pages, of Gradio's own parts, of scrolling."""

from __future__ import annotations

import pytest

from tests.browser.app_page import turn_to
from tests.browser.idle import wait_until_idle

pytestmark = pytest.mark.browser

# Collects what moves from now on, in every frame.
WATCH = """() => {
  window.moving = new Set();
  const look = () => {
    for (const { effect, playState } of document.getAnimations()) {
      const lasts = effect.getComputedTiming().duration > 0;
      if (playState === "running" && lasts) window.moving.add(effect.target.className);
    }
    requestAnimationFrame(look);
  };
  look();
}"""
# A part outside the pages, as toasts and dialogs are, and a smooth scroll: where both are at once.
AT_ONCE = """() => {
  const part = document.createElement("div");
  part.style.transition = "opacity 1s";
  document.body.append(part);
  document.body.style.minHeight = "4000px";
  scrollTo({ top: 300, behavior: "smooth" });
  return [getComputedStyle(part).transitionDuration, scrollY];
}"""


@pytest.mark.parametrize("asked", ["reduce", "no-preference"])
@pytest.mark.exhaustive
def test_nothing_moves_for_who_asks_for_less(people, asked):
    page = people(reduced_motion=asked)
    turn_to(page, "data")
    wait_until_idle(page)
    page.evaluate(WATCH)
    page.click("#ll-project input")
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("option").first.wait_for(state="hidden")
    assert bool(page.evaluate("[...window.moving]")) == (asked != "reduce")
    assert page.evaluate(AT_ONCE) == (["0s", 300] if asked == "reduce" else ["1s", 0])
