// Polls the app and updates the status bar in place.

import { clock } from "../page/messages.js";
import { WindowNotice } from "../page/notice.js";
import { askServer, onMoved, sessionToken } from "../page/session.js";

const write = (place, text, title) => {
  if (place.textContent !== text) place.textContent = text;
  if (title !== undefined && place.title !== title) place.title = title;
};

// The time of a save of today, else its day.
const savedAt = (at) => (at.toDateString() === new Date().toDateString() ? clock(at) : at.toLocaleDateString([], { dateStyle: "medium" }));

export const mount = ({ element, server }) => {
  const at = (name) => element.querySelector(".ll-status-" + name);
  const parts = Object.fromEntries(
    ["device", "active", "job", "job-name", "track", "fill", "job-text", "cancel", "saved"].map((name) => [name, at(name)]));
  let answer = null;
  let waiting = false;
  const notice = new WindowNotice(window);

  function draw(status) {
    answer = status;
    element.classList.remove("ll-status-lost");
    write(parts.device, status.why || status.device, `${status.device}: ${status.why}`);
    write(parts.active, status.active_run, [status.active_run, status.active_note].filter(Boolean).join("\n"));
    const job = status.job;
    notice.show(status);
    parts.track.hidden = !job;
    parts.cancel.hidden = !job || !job.cancel;
    write(parts["job-name"], [job && job.name, status.waits].filter(Boolean).join(" · ") || status.idle);
    write(parts["job-text"], job ? `${Math.round(job.fraction * 100)}% ${job.left}` : "");
    parts.fill.style.width = job ? `${100 * Math.min(1, Math.max(0, job.fraction))}%` : "0";
    if (job) write(parts.cancel, job.cancel);
    const time = status.saved_at ? savedAt(new Date(status.saved_at)) : "";
    write(parts.saved, time ? status.saved.replace("{time}", time) : status.not_saved);
  }

  async function ask() {
    if (waiting || !sessionToken() || !element.isConnected) return;
    waiting = true;
    const status = await askServer(server, "status");
    waiting = false;
    if (status.ok) draw(status);
    else lost(status.message ?? answer?.offline ?? "");
  }

  function lost(message) {
    element.classList.add("ll-status-lost");
    write(parts.active, message, message);
  }

  parts.cancel.addEventListener("click", async () => {
    if (!answer || !answer.job) return;
    const reply = await askServer(server, "cancel", { run: answer.job.run, work: answer.job.work });
    write(parts.cancel, reply.message ?? answer.offline);
  });
  onMoved(ask);
  window.addEventListener("latticelens:saved", ask);
  setInterval(ask, 1500);
  ask();
};
