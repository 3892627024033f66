// What the command palette offers, in groups: {name, choices: [{text, note, key, names, run}]}.

import { commandsInFront } from "../page/commands.js";
import { closedPages, goTo } from "../page/session.js";
import { isTourOffered, openTour } from "../page/tour.js";

const PAGES = ["annotate", "data", "train", "tag", "inspect", "compare", "ledger", "dictionary", "review", "dashboard", "settings"];

const press = (id) => () => document.getElementById(id).click();

// names: by what else it is found besides its text.
const choice = (text, run, { note = "", key = "", names = [] } = {}) => ({ text, run, note, key, names: [text, ...names] });

// places: {projects, runs} as the app lists them; documents: those that contain what is typed.
export const choiceGroups = (say, { projects, runs }, documents) => {
  const commands = commandsInFront();
  const own = [...new Set(commands.map(({ group }) => group))].map((name) => ({
    name,
    choices: commands.filter(({ group }) => group === name).map(({ text, run, ...more }) => choice(text, run, more)),
  }));
  const closed = closedPages();
  const pages = PAGES.filter((page) => !closed.includes(page));
  const run = ({ name, f1, finished }) => {
    const more = { note: f1 === null ? "" : `F1 ${f1}`, names: [say("palette.group.runs")] };
    const inspected = finished && pages.includes("inspect") ? [choice(say("palette.inspect", { run: name }), () => goTo("inspect", { run: name }), more)] : [];
    return [...inspected, choice(say("palette.train", { run: name }), () => goTo("train", { run: name }), more)];
  };
  return [
    ...own,
    { name: "pages", choices: pages.map((page) => choice(say(`palette.page.${page}`), () => goTo(page), { names: [page] })) },
    { name: "runs", choices: runs.flatMap(run) },
    { name: "projects", choices: projects.map(({ id, name }) => choice(name, () => goTo("annotate", { project: id }), { names: [say("palette.group.projects")] })) },
    { name: "help", choices: isTourOffered() ? [choice(say("palette.tour"), openTour)] : [] },
    { name: "display", choices: [choice(say("palette.theme"), press("ll-theme")), choice(say("palette.language"), press("ll-language"), { names: ["English", "中文"] })] },
    { name: "documents", choices: documents.map(({ id, excerpt }) => choice(excerpt, () => goTo("annotate", { document: id, span: "" }))) },
  ];
};
