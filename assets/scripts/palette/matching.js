// How well what is typed fits a name: as a part of it, or as letters of it in order. Chinese also by the first letters of its pinyin.

// The first characters, in the order of pinyin, of those that begin with each letter.
const FIRST = "阿八嚓哒妸发旮哈讥咔垃痳拏噢妑七呥扨它穵夕丫帀";
const LETTERS = "abcdefghjklmnopqrstwxyz";
const byPinyin = new Intl.Collator("zh-u-co-pinyin");
const HAN = /\p{Script=Han}/u;

const initialOf = (character) => {
  let at = FIRST.length - 1;
  while (at > 0 && byPinyin.compare(character, FIRST[at]) < 0) at -= 1;
  return LETTERS[at];
};

// "训练 flat" gives "xl flat"; a character with several readings has the commonest.
export const pinyinInitials = (text) => (HAN.test(text) ? [...text].map((character) => (HAN.test(character) ? initialOf(character) : character)).join("") : text);

const beginsWord = (text, at) => at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1]);

// Of one word: a higher number fits better, null not at all.
const wordScore = (word, text) => {
  const at = text.indexOf(word);
  if (at >= 0) return 100 + (beginsWord(text, at) ? 50 : 0) - Math.min(at, 40);
  let last = text.indexOf(word[0]);
  while (last >= 0 && !beginsWord(text, last)) last = text.indexOf(word[0], last + 1);
  if (last < 0) return null;
  let score = 4;
  for (const letter of word.slice(1)) {
    const found = text.indexOf(letter, last + 1);
    if (found < 0) return null;
    if (found === last + 1) score += 6;
    else score += beginsWord(text, found) ? 4 : -1;
    last = found;
  }
  // Letters strewn over a long name are no match that a person would see.
  return score >= 3 * word.length ? score : null;
};

// typed: words that all have to fit one of `names`. Higher fits better; 0 where nothing is typed, null where it does not fit.
export const matchScore = (typed, names) => {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const given = names.flatMap((name) => [name, pinyinInitials(name)]).map((name) => name.toLowerCase());
  let total = 0;
  for (const word of words) {
    const scores = given.map((name) => wordScore(word, name)).filter((score) => score !== null);
    if (!scores.length) return null;
    total += Math.max(...scores);
  }
  return total;
};

// The groups of choices that fit, the best fitting first; in the order given where nothing is typed. choice: {names: [text, …], …}.
export const ranked = (typed, groups) =>
  groups
    .map(({ name, choices }) => {
      const scored = choices.map((choice) => ({ choice, score: matchScore(typed, choice.names) })).filter(({ score }) => score !== null);
      scored.sort((a, b) => b.score - a.score);
      return { name, choices: scored.map(({ choice }) => choice), best: scored[0]?.score ?? -1 };
    })
    .filter(({ choices }) => choices.length)
    .sort((a, b) => b.best - a.best);
