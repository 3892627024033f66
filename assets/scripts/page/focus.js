// The keyboard never loses its place: where a button that was pressed by key goes away, the focus goes on beside it.

import { focusableIn } from "./session.js";

const PATIENCE = 10_000; // ms in which what was pressed may take its button away
const EVERY = 100; // ms

const goesOn = (button, around) => {
  const parts = around.filter((part) => part.isConnected).map(focusableIn).find((found) => found.length) ?? [];
  const after = parts.find((part) => button.compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING);
  (after ?? parts[parts.length - 1])?.focus();
};

const isThere = (button) => button.isConnected && !button.disabled && button.checkVisibility({ visibilityProperty: true });

export const keepFocus = () =>
  document.addEventListener("click", ({ target, detail }) => {
    const button = detail ? null : target.closest("button"); // a mouse needs no focus
    if (!button) return;
    const around = [];
    for (let part = button.parentElement; part; part = part.parentElement) around.push(part);
    const until = performance.now() + PATIENCE;
    const look = () => {
      const { activeElement } = document;
      if (activeElement !== button && activeElement !== document.body) return; // it has gone on by itself
      if (activeElement === document.body && !isThere(button)) return goesOn(button, around);
      if (performance.now() < until) setTimeout(look, EVERY);
    };
    setTimeout(look, EVERY);
  });
