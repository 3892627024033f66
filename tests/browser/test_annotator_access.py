"""Names, contrast, focus, touch: the annotator for those who do not see it, see it badly, or hold a phone."""

from __future__ import annotations

import pytest

from core.text import Document, Span
from tests.browser.annotator_backend import MemoryBackend, backend_of
from tests.browser.gestures import drag, eventually, found, visit
from tests.sweep import sweep

pytestmark = pytest.mark.browser

TEXT = "沈知微先生在青岛海川能源公司担任总经理。"
SUGGESTED = {1: [Span(6, 8, "LOC", 0.62), Span(16, 19, "TITLE", 0.93), Span(8, 14, "ORG", 1.0)]}
CONTROLS = "button, input, select, textarea, summary, a[href], [tabindex='0']"
THUMBS = "button, select, summary, input:not([type=range], [type=checkbox]), label.lla-check"
STATES = ("plain", "menu at a mark", "menu at a selection", "keys", "history")


def contrast(one: list[float], other: list[float]) -> float:
    """The contrast ratio of WCAG 2.2."""

    def luminance(rgb: list[float]) -> float:
        linear = [v / 255 / 12.92 if v / 255 <= 0.04045 else ((v / 255 + 0.055) / 1.055) ** 2.4 for v in rgb]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def filled() -> MemoryBackend:
    model = backend_of(TEXT, Span(0, 3, "NAME"), suggestions=SUGGESTED)
    model.lattice[1] = [[6, 8], [16, 19]]
    model.discontinuous[1] = [{"parts": [[0, 3], [16, 19]], "label": "TITLE"}]
    return model


def show(page, server, state: str, theme: str = "light") -> None:
    page.goto(f"{server.url}?__theme={theme}")
    page.wait_for_selector(".lla-desk .lla-bar")
    page.wait_for_selector(".lla-word")
    page.wait_for_selector(".lla-document[aria-current]")
    # Gradio fades what waits for an answer; what is looked at here is the page once it stands.
    page.wait_for_function("!document.querySelector('.pending')")
    page.wait_for_function("document.getAnimations().every((one) => one.playState !== 'running')")
    if state == "menu at a mark":
        page.focus(".lla-desk .lla-person")
        page.keyboard.press("Enter")
        page.wait_for_selector(".lla-popover:visible")
    elif state == "menu at a selection":
        drag(page, 8, 12)
        page.wait_for_selector(".lla-popover:visible")
    elif state in ("keys", "history"):
        page.click(f"[data-action={state}]")
        page.wait_for_selector(".lla-dialog[open]")


@pytest.mark.parametrize("state", sweep(STATES, ["plain"]))
@pytest.mark.exhaustive
def test_every_control_has_a_name_for_screen_readers(page, serving, state):
    server = serving(filled())
    show(page, server, state)
    tree = page.context.new_cdp_session(page)
    tree.send("DOM.enable")
    tree.send("Accessibility.enable")
    root = tree.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    focusable = tree.send(
        "DOM.querySelectorAll",
        {
            "nodeId": root,
            "selector": f"#annotator :is({CONTROLS})",
        },
    )["nodeIds"]
    nameless = []
    counted = 0
    for number in focusable:
        asked = {"nodeId": number, "fetchRelatives": False}
        seen = tree.send("Accessibility.getPartialAXTree", asked)["nodes"][0]
        if seen["ignored"]:
            continue
        counted += 1
        if not seen.get("name", {}).get("value", "").strip():
            shown = tree.send("DOM.getOuterHTML", {"nodeId": number})["outerHTML"]
            nameless.append(shown[:160])
    assert counted >= (1 if state in ("keys", "history") else 10)  # a dialog closes off the page behind it
    assert nameless == []


# Every element with letters of its own: its ink, and what lies behind it when all layers are put together.
PAIRS = """() => {
  const parse = (colour) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
    const ink = canvas.getContext("2d", { willReadFrequently: true });
    ink.fillStyle = colour; ink.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = ink.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => top.slice(0, 3).map((value, at) => value * top[3] + below[at] * (1 - top[3]));
  const paper = (place) => {
    const layers = [];
    for (let at = place; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3]) layers.push(colour);
      if (colour[3] === 1) break;
    }
    const dark = document.body.classList.contains("dark");
    return layers.reverse().reduce((below, top) => over(top, below), dark ? [11, 15, 25] : [255, 255, 255]);
  };
  const found = [];
  for (const place of document.querySelectorAll("#annotator .lla-root *")) {
    const own = [...place.childNodes].some((part) => part.nodeType === 3 && part.data.trim());
    const style = getComputedStyle(place);
    const seen = place.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!own || !seen || place.closest(":disabled")) continue;
    if (!place.getClientRects().length || place.closest("select")) continue;
    let opacity = 1;
    for (let at = place; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    const behind = paper(place);
    const ink = over([...parse(style.color).slice(0, 3), parse(style.color)[3] * opacity], behind);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    found.push([`${place.className} ${place.textContent.slice(0, 20)}`, ink, behind, large]);
  }
  return found;
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("state", sweep(STATES, ["plain"]))
@pytest.mark.exhaustive
def test_all_text_has_the_contrast_of_wcag_aa(page, serving, state, theme):
    server = serving(filled())
    show(page, server, state, theme)
    pairs = page.evaluate(PAIRS)
    assert len(pairs) > 30
    poor = [
        (what, round(contrast(ink, paper), 2))
        for what, ink, paper, large in pairs
        if contrast(ink, paper) < (3 if large else 4.5)
    ]
    assert poor == []


@pytest.mark.exhaustive
def test_a_focused_control_is_seen_to_be(page, serving):
    server = serving(filled())
    show(page, server, "plain")
    unseen = []
    visited = set()
    page.focus(".lla-toolbar button:not(:disabled)")
    for _ in range(60):
        seen = page.evaluate(
            """() => {
              const place = document.activeElement;
              if (!place.closest("#annotator")) return null;
              const outlined = (one) => {
                const style = getComputedStyle(one);
                return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
              };
              const chip = place.querySelector(".lla-chip");
              const bar = document.querySelector(".lla-caret");
              const caret = place.matches(".lla-text") && bar.offsetHeight > 9;
              const shown = outlined(place) || Boolean(chip && outlined(chip)) || caret;
              return [place.outerHTML.slice(0, 120), shown];
            }"""
        )
        if seen is None:
            break
        visited.add(seen[0])
        if not seen[1]:
            unseen.append(seen[0])
        page.keyboard.press("Tab")
    assert len(visited) > 15
    assert unseen == []


@pytest.mark.exhaustive
def test_reduced_motion_is_respected(windows, serving):
    calm = windows.open(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    server = serving(filled())
    with calm as page:
        show(page, server, "menu at a mark")
        moving = page.evaluate(
            """() => [...document.querySelectorAll(".lla-root, .lla-root *")].filter((place) => {
              const style = getComputedStyle(place);
              const longest = (times) => Math.max(...times.split(",").map((time) => parseFloat(time)));
              const animated = style.animationName !== "none" && longest(style.animationDuration) > 0.001;
              return animated || longest(style.transitionDuration) > 0.001;
            }).map((place) => place.className)"""
        )
        assert moving == []


def handles(page, start: int, end: int) -> None:
    """The system's handles: a word is selected first, then its ends are pulled."""
    page.evaluate(
        """async ([start, end]) => {
          const letters = document.querySelector(".lla-desk .lla-text").firstChild;
          for (const to of [start + 1, Math.floor((start + end) / 2), end]) {
            document.getSelection().setBaseAndExtent(letters, start, letters, to);
            await new Promise((done) => setTimeout(done, 30));
          }
        }""",
        [start, end],
    )


@pytest.mark.exhaustive
def test_what_the_handles_of_a_touch_screen_select_is_marked_by_a_tap_on_a_label(phone, serving):
    server = visit(phone, serving(backend_of(TEXT)))
    handles(phone, 8, 14)
    phone.tap(".lla-label[data-label=ORG]")
    eventually(lambda: found(server.backend) == [(8, 14, "ORG")])


@pytest.mark.exhaustive
def test_a_tap_on_marked_letters_opens_the_menu_of_the_mark(phone, serving):
    visit(phone, serving(backend_of(TEXT, Span(0, 3, "NAME"), Span(0, 14, "ORG"))))
    phone.wait_for_selector(".lla-bar")
    box = phone.locator(".lla-desk .lla-bar").first.bounding_box()
    phone.touchscreen.tap(box["x"] + 20, box["y"] - 12)  # the letters above the bar
    phone.wait_for_selector(".lla-popover:visible")
    pressed = phone.locator(".lla-popover [aria-pressed=true]").inner_text()
    assert "NAME" in pressed  # the innermost


@pytest.mark.exhaustive
def test_all_controls_of_a_phone_are_big_enough_for_a_thumb(phone, serving):
    visit(phone, serving(filled()))
    phone.wait_for_selector(".lla-word")
    phone.tap(".lla-desk .lla-bar.lla-person")
    phone.wait_for_selector(".lla-popover:visible")
    small = phone.eval_on_selector_all(
        f"#annotator :is({THUMBS})",
        """(all) => all
          .filter((one) => one.checkVisibility() && !one.closest(".lla-bars, .lla-queue > :not(summary)"))
          .map((one) => [one.className || one.tagName, one.getBoundingClientRect()])
          .filter(([, box]) => box.width && (box.height < 40 || box.width < 40))
          .map(([name, box]) => `${name} ${Math.round(box.width)}x${Math.round(box.height)}`)""",
    )
    assert small == []
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.exhaustive
def test_a_long_document_on_a_phone_scrolls_and_labels(phone, serving):
    text = TEXT * 300
    server = visit(phone, serving(MemoryBackend([Document("1", text, [Span(0, 3, "NAME")])])))
    phone.evaluate("window.scrollTo(0, 6000)")
    phone.wait_for_timeout(300)
    phone.evaluate(
        """() => {
          const blocks = [...document.querySelectorAll(".lla-desk .lla-block")];
          const seen = blocks.find((block) => block.getBoundingClientRect().bottom > 300);
          document.getSelection().setBaseAndExtent(seen.firstChild, 20, seen.firstChild, 23);
        }"""
    )
    phone.wait_for_timeout(80)
    phone.tap(".lla-label[data-label=LOC]")
    eventually(lambda: len(found(server.backend)) == 2)
    ((_, end, _), _) = sorted(found(server.backend), reverse=True)
    assert end > 200
