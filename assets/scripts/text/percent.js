// Percentages, written as app/ui/numbers.py writes them; a test holds the two together.

const MOST_HIDDEN = 0.01; // percent; smaller shares are not told apart
const TIE = 1e-9; // ties go up, although 100 * 0.5125 is a little less than 51.25

// A score, or another ratio to compare, without the sign; a dash for null.
export const percent = (value) => (value === null ? "–" : (100 * value + TIE).toFixed(1));

// A part of something, to two digits: 42%, 7.3%; 0 and 100 only where exact.
export const share = (part, whole = 1) => {
  const value = whole ? (100 * part) / whole : 0;
  if (value <= 0) return "0%";
  if (value < MOST_HIDDEN) return `< ${MOST_HIDDEN}%`;
  if (value >= 99.5) return value >= 100 ? "100%" : `${Math.min(value, 99.9).toFixed(1)}%`;
  return `${Number((value + TIE).toPrecision(2))}%`;
};

// Whole percent, rounded down: 100 only once all is there. Of progress and of what has been read.
export const wholePercent = (part, whole = 1) => (whole ? Math.floor(Math.min(100, Math.max(0, (100 * part) / whole + TIE))) : 0);
