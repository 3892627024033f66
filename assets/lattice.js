// The span lattice of one sentence: characters on the base line, matched words as bars above the characters
// they cover, predicted spans as bars below. Everything is drawn with textContent and attributes: the text
// comes from people. Runs as js_on_load of app/widgets/lattice.py with `element`, `props`, `watch`, `trigger`.
const SVG = 'http://www.w3.org/2000/svg';
const WIDE = 30, NARROW = 15, LANE = 26, BAR = 20, TEXT_ROW = 34, PAD = 8;
const root = element.querySelector('.ll-lattice');
const board = root.querySelector('.ll-lattice-board');
const note = root.querySelector('.ll-lattice-note');

function make(name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  return node;
}

// Shorter intervals take the lane nearest the text, so a nested word never hides its parts.
function lanes(items) {
  const order = items.map((_, i) => i).sort((a, b) =>
    (items[a].tail - items[a].head) - (items[b].tail - items[b].head) || items[a].head - items[b].head);
  const used = [];
  const lane = new Array(items.length);
  for (const i of order) {
    let k = 0;
    while ((used[k] || []).some(o => items[i].head <= o.tail && o.head <= items[i].tail)) k++;
    (used[k] = used[k] || []).push(items[i]);
    lane[i] = k;
  }
  return { lane, count: used.length };
}

function isWide(char) {
  const code = char.codePointAt(0);
  return code >= 0x1100;
}

function visible(char) {
  if (char === ' ' || char === '\u3000' || char === '\u00a0') return '␣';
  if (char === '\n' || char === '\r') return '↵';
  if (char === '\t') return '⇥';
  return char;
}

function explain(text) { note.textContent = text; }

function hoverable(node, text) {
  node.setAttribute('tabindex', '0');
  node.setAttribute('role', 'img');
  node.setAttribute('aria-label', text);
  node.append(make('title', {}, text));
  for (const kind of ['mouseenter', 'focus', 'click']) node.addEventListener(kind, () => explain(text));
  return node;
}

function draw() {
  board.replaceChildren();
  const value = props.value || {};
  const tokens = value.tokens || [];
  root.classList.toggle('ll-empty', !tokens.length);
  explain(tokens.length ? (value.hint || '') : '');
  if (!tokens.length) return;

  const x = [PAD];
  for (const token of tokens) x.push(x[x.length - 1] + (isWide(token) ? WIDE : NARROW));
  const words = value.words || [];
  const spans = (value.spans || []).map(s => ({ ...s, head: s.start, tail: s.end - 1 }));
  const above = lanes(words);
  const below = lanes(spans);
  const base = PAD + above.count * LANE;
  const height = base + TEXT_ROW + 14 + below.count * LANE + PAD;
  const svg = make('svg', { width: x[x.length - 1] + PAD, height, role: 'group', 'aria-label': value.label || '' });

  spans.forEach((span, i) => {
    const tint = make('rect', {
      x: x[span.head], y: base, width: x[span.tail + 1] - x[span.head], height: TEXT_ROW,
      fill: span.colour, 'fill-opacity': 0.12,
    });
    svg.append(tint);
    const top = base + TEXT_ROW + 14 + below.lane[i] * LANE;
    const group = make('g', { class: 'll-span' });
    group.append(make('rect', {
      x: x[span.head] + 1, y: top, width: x[span.tail + 1] - x[span.head] - 2, height: 4, rx: 2, fill: span.colour,
    }));
    group.append(make('text', { x: x[span.head] + 1, y: top + 16, class: 'll-span-name' }, span.name));
    svg.append(hoverable(group, span.explain));
  });

  tokens.forEach((token, i) => {
    const cell = make('g', { class: 'll-char' });
    cell.append(make('rect', { x: x[i], y: base, width: x[i + 1] - x[i], height: TEXT_ROW, fill: 'transparent' }));
    cell.append(make('text', { x: (x[i] + x[i + 1]) / 2, y: base + 23, 'text-anchor': 'middle' }, visible(token)));
    svg.append(hoverable(cell, value.characters[i]));
    if (i % 5 === 0) svg.append(make('text', {
      x: (x[i] + x[i + 1]) / 2, y: base + TEXT_ROW + 8, 'text-anchor': 'middle', class: 'll-position',
    }, String(i)));
  });

  words.forEach((word, i) => {
    const top = PAD + (above.count - 1 - above.lane[i]) * LANE;
    const left = x[word.head] + 1, width = x[word.tail + 1] - x[word.head] - 2;
    const group = make('g', { class: 'll-word' });
    group.append(make('rect', {
      x: left, y: top, width, height: BAR, rx: 4,
      fill: word.colour || 'var(--ll-word)', 'fill-opacity': word.colour ? 0.22 : 1,
      stroke: word.colour || 'var(--ll-word-line)',
    }));
    const name = make('text', { x: left + width / 2, y: top + 15, 'text-anchor': 'middle' }, word.surface);
    const wide = [...word.surface].reduce((sum, char) => sum + (isWide(char) ? 13 : 8), 0);
    if (wide > width - 4) {  // narrow Latin cells: squeeze the word into its bar
      name.setAttribute('textLength', String(width - 4));
      name.setAttribute('lengthAdjust', 'spacingAndGlyphs');
    }
    group.append(name);
    svg.append(hoverable(group, word.explain));
  });
  board.append(svg);
}

watch('value', draw);
draw();
