// What the annotator offers the command palette: the actions of its list of keys that make sense now, and its labels.

import { markKey } from "../text/spans.js";
import { KEY_GROUPS, shownKeys } from "./selecting/keys.js";

const marked = ({ current }) => Boolean(current);
const own = ({ current }) => current?.source === "person";
const suggested = ({ current }) => Boolean(current) && current.source !== "person";
const waiting = (bench) => bench.acceptableSuggestions().length > 0;

// Actions that make sense only sometimes.
const WHEN = {
  ...Object.fromEntries(["menu", "left_out", "left_in", "right_out", "right_in", "remove", "others", "span_history"].map((name) => [name, marked])),
  link: own,
  reject: suggested,
  accept: waiting,
  accept_all: waiting,
  undo: ({ annotation }) => annotation.past.length > 0,
  redo: ({ annotation }) => annotation.future.length > 0,
  done: ({ annotation }) => annotation.status !== "done",
  reopen: ({ annotation }) => annotation.status === "done",
  ask_tagger: ({ activeRun }) => Boolean(activeRun),
};

const ACTS = {
  menu: (bench) => bench.pick(bench.current, bench.sentence.bar(bench.currentKey)),
  granularity: ({ tools }) => tools.grain.cycle(),
};

// The palette takes the selection of the browser: what was selected or focused is so again before the command runs.
const asItWas = (bench) => {
  const { anchor, head } = bench.caret;
  const mark = bench.current;
  return () => {
    if (mark && bench.sentence.focus(markKey(mark))) return;
    bench.focusText();
    if (anchor !== head) bench.caret.set(anchor, head);
  };
};

// One suggestion after another: its answers.
const answersOf = ({ say, streamView }) => {
  const rows = KEY_GROUPS.find(([group]) => group === "stream")[1].filter(([, name]) => name.startsWith("stream_"));
  return rows.map(([keys, name]) => ({ group: "actions", text: say(`annotate_keys.${name}`), key: shownKeys(keys), run: () => streamView[name.slice("stream_".length)]() }));
};

export const commandsOf = (bench) => {
  if (!bench.annotation) return [];
  if (bench.streamView.on) return answersOf(bench);
  const restore = asItWas(bench);
  const command = (group, text, key, act) => ({
    group, text, key,
    run: () => {
      restore();
      act();
    },
  });
  // Of the list of keys those that are methods of the annotator and are told nothing more.
  const runs = (name) => (ACTS[name] || bench[name]?.length === 0) && (WHEN[name]?.(bench) ?? true);
  const act = (name) => () => (ACTS[name] ? ACTS[name](bench) : bench[name]());
  const offered = KEY_GROUPS.flatMap(([, rows]) => rows.filter(([, name]) => runs(name)));
  const actions = offered.map(([keys, name]) => command("actions", bench.say(`annotate_keys.${name}`), shownKeys(keys), act(name)));
  const labels = bench.labels.map(({ name, hotkey }) => command("labels", bench.say("annotate.label_as", { label: name }), hotkey?.toUpperCase() ?? "", () => bench.choose(name)));
  // What is selected is what the person is about.
  return bench.current || !bench.caret.empty ? [...labels, ...actions] : [...actions, ...labels];
};
