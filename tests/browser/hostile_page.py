"""A page full of `PAYLOADS` under watch: what runs, asks, opens or is drawn as more than text is an error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.browser.app_page import app_page, choose, come_again
from tests.browser.hostile_workspace import USER
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from tests.browser.app_server import AppServer
    from tests.browser.windows import Windows

# In every frame of the page; what a frame that is gone has run, the console tells.
TRAP = """
window.hits = [];
window.pwned = () => {
  window.hits.push(new Error().stack);
  console.error("pwned");
};
for (const name of ["alert", "confirm", "prompt", "open", "print"]) window[name] = window.pwned;
"""
# Elements that a payload, and nothing of the app, would make.
UNSAFE = """() => [...document.querySelectorAll("*")].filter((one) =>
  [...one.attributes].some(({ name, value }) => /^on/i.test(name)
    || /^(href|xlink:href|src|action|formaction|data)$/i.test(name)
      && /^\\s*(javascript|vbscript|data:text)/i.test(value)
    || /^(src|srcset|background|style|poster)$/i.test(name) && value.includes("192.0.2.1"))
  || one.matches("img[src=x], object, embed, marquee, meta[http-equiv=refresh]")
  || one.matches("base[href*='192.0.2.1'], link[href*='192.0.2.1']")
  || one.localName === "a" && /192\\.0\\.2\\.1/.test(one.getAttribute("href")) && !/noopener/.test(one.rel)
).map((one) => one.outerHTML.slice(0, 300))"""
# Of every figure what Plotly would read as markup; it has a language of its own, with links in it.
MARKUP = """() => [...document.querySelectorAll(".js-plotly-plot")].flatMap((plot) => {
  const found = [...plot.querySelectorAll("svg a")].map((one) => one.outerHTML);
  const look = (value, path) => {
    if (typeof value === "string") {
      if (/<(?!br>|\\/?(?:extra|sup|b)>)/.test(value)) found.push(`${path}: ${value.slice(0, 200)}`);
    } else if (value && typeof value === "object" && !ArrayBuffer.isView(value)) {
      for (const [name, inner] of Object.entries(value)) look(inner, `${path}.${name}`);
    }
  };
  look(plot.data, "data");
  look(plot.layout, "layout");
  return found.map((one) => `${plot.closest("[id]")?.id}: ${one}`);
})"""
TOUCHED = """() => document.querySelectorAll("[title], summary, details").forEach((one) => {
  one.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
  if (one.tagName === "DETAILS") one.open = true;
})"""


class Watched:
    """A page, and what it did that it must not."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.did: list[str] = []
        page.add_init_script(TRAP)

    def close(self) -> None:
        """Close what is open; a field in it may take the first Escape for itself."""
        for _ in range(3):
            self.page.keyboard.press("Escape")
            wait_until_idle(self.page)
            if not self.page.locator("dialog[open], .lla-popover:visible").count():
                return
        raise AssertionError("it stays open")

    def inert(self, where: str) -> None:
        """Wait for answers, touch what tells more, and look whether all is still text."""
        page = self.page
        wait_until_idle(page)
        page.evaluate(TOUCHED)
        found = [*self.did, *page.evaluate(MARKUP)]
        for frame in page.frames:
            found += frame.evaluate("window.hits ?? []") + frame.evaluate(UNSAFE)
        assert not found, "\n".join([where, *found])

    def choose(self, project: str) -> None:
        """Choose this project at the top, if it is not chosen."""
        if self.page.input_value("#ll-project input") != project:
            choose(self.page, "#ll-project", project)
            wait_until_idle(self.page)


@contextmanager
def noting(context: BrowserContext, did: list[str]) -> Iterator[None]:
    """Note dialogs, further windows, and whatever calls the trap; not for the next test in this window."""

    def said(message: Any) -> None:
        if "pwned" in message.text:
            did.append(f"the console: {message.text[:300]}")

    def asked(dialog: Any) -> None:
        did.append(f"a dialog: {dialog.message[:200]}")
        dialog.dismiss()

    def opened(page: Any) -> None:
        did.append(f"another window: {page.url}")

    listeners: dict[Any, Any] = {"console": said, "dialog": asked, "page": opened}
    for event, listener in listeners.items():
        context.on(event, listener)
    try:
        yield
    finally:
        for event, listener in listeners.items():
            context.remove_listener(event, listener)


@contextmanager
def watched(windows: Windows, app: AppServer, **options: Any) -> Iterator[Watched]:
    """Somebody at the app of `hostile_workspace`; no other host may be asked for anything."""
    with app_page(windows, app, USER, silent=False, alone=True, **options) as page:
        watching = Watched(page)
        with noting(page.context, watching.did):
            come_again(page)
            page.wait_for_selector("html.ll-ready", state="attached")
            yield watching
