// Label colours that stay readable (WCAG AA) on the page they are drawn on.

// Of a span whose label is not in the list.
export const NO_LABEL_COLOUR = "#666666";

const channels = (hex) => {
  const safe = /^#[0-9a-f]{6}$/i.test(hex ?? "") ? hex : NO_LABEL_COLOUR;
  return [1, 3, 5].map((at) => parseInt(safe.slice(at, at + 2), 16));
};

const luminance = (rgb) => {
  const [r, g, b] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

const contrast = (one, other) => {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

const mix = (from, to, share) => from.map((value, index) => Math.round(value + (to[index] - value) * share));

const css = (rgb) => `rgb(${rgb.join(" ")})`;

const readableInks = new Map();

export const readable = (hex, dark) => {
  const key = `${hex} ${dark}`;
  if (!readableInks.has(key)) readableInks.set(key, makeReadable(hex, dark));
  return readableInks.get(key);
};

// The label's hue moved toward black (light page) or white (dark page) only as far as 4.5 : 1 needs.
const makeReadable = (hex, dark) => {
  const paper = dark ? [17, 24, 39] : [255, 255, 255];
  const pole = dark ? [255, 255, 255] : [0, 0, 0];
  const base = channels(hex);
  const tint = mix(paper, base, 0.12);
  for (let share = 0; share <= 1; share += 0.05) {
    const ink = mix(base, pole, share);
    if (contrast(ink, tint) >= 4.6 && contrast(ink, paper) >= 4.6) return { ink: css(ink), tint: css(tint) };
  }
  return { ink: css(pole), tint: css(tint) };
};

export const isDark = () => [document.body, document.documentElement].some((place) => place.classList.contains("dark"));
