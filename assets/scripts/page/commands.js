// What the page in front can do, for the command palette: {group: "actions" or "labels", text, key?, run()}.

import { pageInFront } from "./session.js";

const lists = new Map();

export const offerCommands = (page, list) => lists.set(page, list);

export const commandsInFront = () => lists.get(pageInFront())?.() ?? [];
