"""When a page of the app has got every answer it asked for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

SECONDS = 60.0
# What has no answer yet, of Gradio's events and of what widgets ask by themselves. An open stream of answers
# does not tell: where the last answer overtakes the reply to its own question, the client opens another
# stream, in which nothing comes.
COUNTING = """
(() => {
  const asking = new Set(), asked = new Set(), answered = new Set(), fetched = window.fetch;
  window.unanswered = () => [...asking].concat([...asked].filter((id) => !answered.has(id)));
  const listen = async (stream) => {
    const text = stream.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = "", part = await text.read(); !part.done; part = await text.read()) {
      const lines = (rest + part.value).split("\\n");
      rest = lines.pop();
      for (const line of lines.filter((one) => one.startsWith("data:"))) {
        const { msg, event_id } = JSON.parse(line.slice(5));
        if (msg === "process_completed") answered.add(event_id);
      }
    }
  };
  let count = 0;
  window.fetch = async (...question) => {
    const url = String(question[0]?.url ?? question[0]);
    const joins = url.includes("/queue/join"), counts = joins || url.includes("/component_server");
    const name = `${url}#${++count}`;
    if (counts) asking.add(name);
    try {
      const reply = await fetched(...question);
      if (joins && reply.ok) asked.add((await reply.clone().json()).event_id); // a refusal is the answer
      else if (counts) await reply.clone().arrayBuffer();
      if (url.includes("/queue/data")) listen(reply.clone().body).catch(() => {});
      return reply;
    } finally {
      asking.delete(name);
    }
  };
})();
"""


def wait_until_idle(page: Page) -> None:
    """Wait until every call is answered and what came of it had its turn to be drawn.

    The page must have been opened with `COUNTING` in it.
    """
    calm, until = 0, time.monotonic() + SECONDS
    while calm < 2:
        waiting = page.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
            ".then(() => window.unanswered())"
        )
        assert time.monotonic() < until, f"still asking {waiting}"
        calm = 0 if waiting else calm + 1
