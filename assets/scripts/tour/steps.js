// The six steps of the guided tour: where each is, what it points at, and when it is done. `state` is what `tour_state` answers.

import { wholePercent } from "../text/percent.js";

const ENDED = ["failed", "cancelled", "interrupted"];

const firstOpen = ({ errors }) => errors.find(({ done }) => !done) ?? errors[0];
const atError = (state) => ({ page: "annotate", values: { document: firstOpen(state).document } });
const atRun = ({ run }) => ({ page: "train", values: run ? { run: run.name } : {} });

// targets: the first that is in sight is pointed at.
export const STEPS = [
  { name: "look", at: atError, targets: ["#annotate .lla-desk .lla-bar.lla-tagger", "#annotate .lla-stage"], done: () => true },
  { name: "why", at: atError, targets: ["#annotate .ll-why", "#annotate .lla-popover [data-act=why]", "#annotate .lla-desk .lla-bar.lla-tagger"], done: () => true },
  { name: "correct", at: atError, targets: ["#annotate .lla-stage"], done: ({ corrected }) => corrected >= 3 },
  { name: "train", at: atRun, targets: ["#train-progress", "#train-start"], done: ({ run }) => run?.status === "finished" },
  { name: "read", at: atRun, targets: ["#train-decision"], done: () => true },
  { name: "decide", at: atRun, targets: ["#train-activate", "#train-decision"], done: ({ run }) => Boolean(run?.decided) },
];

// What the tagger does wrong, as a sentence.
export const errorText = (say, { right, label, key, wrong }) => {
  const kind = !wrong ? "missed" : wrong.surface === right ? "type" : "boundary";
  return say(`tour.error.${kind}`, { right, label, key, wrong: wrong?.surface ?? "", other: wrong?.label ?? "" });
};

// How far the step is: a sentence that changes while the person works, or "".
export const progressText = (say, name, { corrected, run }) => {
  if (name === "train" && run) {
    if (ENDED.includes(run.status)) return say("tour.train.stopped", { run: run.title });
    const told = run.status === "finished" ? "finished" : "running";
    return say(`tour.train.${told}`, { run: run.title, percent: wholePercent(run.fraction) });
  }
  if (name === "read") {
    if (run?.status !== "finished") return say("tour.read.none");
    return corrected ? say("tour.read.fixed", { fixed: run.fixed, count: run.asked }) : say("tour.read.uncorrected");
  }
  return name === "decide" && run?.decided ? say(`tour.decide.${run.decided}`, { run: run.title }) : "";
};

// Whether a training can be begun from the card.
export const canTrain = ({ run }) => !run || ENDED.includes(run.status);
