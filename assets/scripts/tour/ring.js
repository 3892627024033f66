// A ring around the control that a step is about; it follows the control and takes no clicks.

import { node, pxOf } from "../page/dom.js";

const OFTEN = 250; // ms
const ROOM = 4; // px around the control

const inSight = (element) => element.getClientRects().length > 0;

export class Ring {
  constructor() {
    this.root = node("div", { class: "ll-tour-ring", "aria-hidden": "true", hidden: true });
    this.targets = [];
    this.draw = this.draw.bind(this);
  }

  // Point at the first of these selectors that is in sight, now and whenever another is.
  point(targets) {
    this.targets = targets;
    this.shown = null;
    if (!this.timer) {
      this.timer = setInterval(this.draw, OFTEN);
      window.addEventListener("scroll", this.draw, { capture: true, passive: true });
    }
    this.draw();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    window.removeEventListener("scroll", this.draw, { capture: true });
    this.root.hidden = true;
  }

  draw() {
    const target = this.targets.flatMap((selector) => [...document.querySelectorAll(selector)]).find(inSight);
    this.root.hidden = !target;
    if (!target) return;
    if (target !== this.shown) target.scrollIntoView({ block: "nearest" });
    this.shown = target;
    const { left, top, width, height } = target.getBoundingClientRect();
    const place = { left: left - ROOM, top: top - ROOM, width: width + 2 * ROOM, height: height + 2 * ROOM };
    for (const [name, value] of Object.entries(place)) this.root.style[name] = pxOf(value);
  }
}
