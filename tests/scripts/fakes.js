// As much of a browser as logic without drawing asks for.

// A storage that is listed by Object.keys, as localStorage is; `forbidden` throws at every touch.
export const fakeStorage = ({ forbidden = false } = {}) => {
  const refuse = () => {
    throw new Error("storage is forbidden");
  };
  const storage = {};
  const hidden = (name, value) => Object.defineProperty(storage, name, { value, enumerable: false });
  hidden("getItem", forbidden ? refuse : (key) => (Object.hasOwn(storage, key) ? storage[key] : null));
  hidden("setItem", forbidden ? refuse : (key, value) => { storage[key] = String(value); });
  hidden("removeItem", forbidden ? refuse : (key) => { delete storage[key]; });
  return storage;
};

export const fakeWindow = () => new EventTarget();

// A clock that goes on with `tick(ms)` alone; `restore()` gives the true one back.
export const fakeTimers = () => {
  const own = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  let waiting = [];
  let now = 0;
  globalThis.setTimeout = (run, pause = 0) => {
    const timer = { run, at: now + pause };
    waiting.push(timer);
    return timer;
  };
  globalThis.clearTimeout = (timer) => { waiting = waiting.filter((other) => other !== timer); };
  return {
    tick(pause) {
      now += pause;
      const due = waiting.filter(({ at }) => at <= now);
      waiting = waiting.filter(({ at }) => at > now);
      for (const { run } of due) run();
    },
    restore: () => Object.assign(globalThis, own),
  };
};

// A promise with the ways to end it.
export const awaited = () => {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};

// Lets everything that waits for a settled promise go on.
export const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

// An object with a class's methods and without its constructor, which would draw.
export const undrawn = (type, fields) => Object.defineProperties(Object.create(type.prototype), Object.getOwnPropertyDescriptors(fields));
