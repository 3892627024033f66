"""A page of one sentence, for when the app's own page cannot be shown: it turns into that by itself."""

from __future__ import annotations

from html import escape

from app.i18n import Language

UNCACHED = {"Cache-Control": "no-store"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'"

# The theme that the person chose in the app, else the system's.
THEME = """
let theme = null;
try { theme = localStorage.getItem("latticelens.theme"); } catch { /* private mode */ }
theme ??= matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
document.documentElement.classList.toggle("dark", theme === "dark");
"""

# Asks until the app is there. A browser asks seldom in a tab that nobody sees.
WHEN_READY = """
const ask = async () => {
  const answer = await fetch("readyz", { cache: "no-store" }).catch(() => null);
  if (answer?.ok) return location.reload();
  setTimeout(ask, 500);
};
ask();
"""

STYLE = """
:root { --link: #1f6779; --paper: #f5f8f9; --ink: #1c262c; --thin: #d9e1e5; color-scheme: light; }
:root.dark { --link: #7fbac7; --paper: #12181c; --ink: #e4eaed; --thin: #2d3a42; color-scheme: dark; }
body {
  margin: 0; min-height: 100vh; display: grid; place-content: center;
  background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif;
}
main { max-width: min(480px, 100vw - 48px); }
h1 { margin: 0 0 8px; font-size: 26px; line-height: 1.25; font-weight: 650; color: var(--link); }
p { margin: 0; }
.bar { height: 3px; margin-top: 24px; border-radius: 2px; background: var(--thin); overflow: hidden; }
.bar::before {
  content: ""; display: block; height: 100%; width: 30%; background: var(--link); border-radius: 2px;
  animation: pass 1.6s ease-in-out infinite alternate;
}
@keyframes pass { to { margin-left: 70%; } }
@media (prefers-reduced-motion: reduce) { .bar::before { animation: none; width: 100%; opacity: .4; } }
"""


def plain_page(said: str, language: Language, seconds: int | None = None) -> str:
    """The page, in HTML.

    Args:
        said: the sentence, in ``language``. seconds: after which the browser asks again; None: it asks when
            the app is ready.
    """
    tag = "zh-CN" if language == "zh" else language
    refresh = "" if seconds is None else f'<meta http-equiv="refresh" content="{seconds}">'
    ready = f'<div class="bar"></div>\n<script>{WHEN_READY}</script>' if seconds is None else ""
    return f"""<!doctype html>
<html lang="{escape(tag)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>LatticeLens</title>
{refresh}
<style>{STYLE}</style>
<script>{THEME}</script>
<main>
<h1>LatticeLens</h1>
<p role="status">{escape(said)}</p>
{ready}
</main>
</html>
"""
