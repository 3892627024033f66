// This browser's storage. It may be full or forbidden (private windows): then nothing is kept and nothing fails.

export const stored = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

// Whether it is kept now. A value of null is forgotten.
export const store = (key, value) => {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
};

// Reads JSON under a key; null if missing or invalid.
export const storedJson = (key) => {
  try {
    return JSON.parse(stored(key) ?? "null");
  } catch {
    return null;
  }
};

export const storedKeys = (prefix) => {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
};
