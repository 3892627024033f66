// One tab stop for a group of controls, as toolbars, lists and tabs have it: the arrows, Home and End move within it.

const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
const AXES = { row: /Left|Right/, column: /Up|Down/, both: /Arrow/ };
const CHANGES = { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "hidden", "aria-current", "aria-selected"] };

// Where a key leads in a group of `count` from the control number `at`: a number, or null where it is not the group's key.
// At both ends the key stays where it is.
export const stepTo = (key, at, count, axis = "both") => {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (!(key in STEPS) || !AXES[axis].test(key)) return null;
  return Math.max(0, Math.min(count - 1, at + STEPS[key]));
};

// selector: of the controls below `root`, whichever are there at the time. axis: the arrows that move: row, column or both.
// current: a selector of the control that Tab leads to; without one to the last that had the focus, at first to the first.
export const rove = (root, selector, { axis = "both", current = null } = {}) => {
  let last = null;
  const usable = (control) => !control.disabled && control.checkVisibility();
  const controls = () => [...root.querySelectorAll(selector)];
  const stopOf = (all) => {
    const here = all.find((control) => control === document.activeElement);
    const marked = current && all.find((control) => control.matches(current));
    return [here, marked, last].find((control) => control && all.includes(control) && usable(control)) ?? all.find(usable);
  };
  const refresh = () => {
    const all = controls();
    const stop = stopOf(all);
    for (const control of all) {
      const wanted = control === stop ? 0 : -1;
      if (control.tabIndex !== wanted) control.tabIndex = wanted;
    }
  };
  root.addEventListener("focusin", ({ target }) => {
    if (!target.matches(selector)) return;
    last = target;
    refresh();
  });
  root.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !event.target.matches(selector)) return;
    const all = controls().filter(usable);
    const to = stepTo(event.key, all.indexOf(event.target), all.length, axis);
    if (to === null) return;
    event.preventDefault();
    all[to].focus();
  });
  // Once a frame, however much has changed: whether a control can be seen costs a layout.
  let due = null;
  const later = () => {
    due ??= requestAnimationFrame(() => {
      due = null;
      refresh();
    });
  };
  new MutationObserver(later).observe(root, CHANGES);
  new ResizeObserver(later).observe(root); // a narrow window hides some of them
  refresh();
};
