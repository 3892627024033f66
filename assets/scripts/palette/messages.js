// Messages of the command palette.

import { inContext, mark, plural } from "../page/messages.js";

export const MESSAGES = {
  "palette.open": mark("Search and commands"),
  "palette.placeholder": mark("Go to a page, a document, a run, or do something"),
  "palette.results": plural("{count} result", "{count} results"),
  "palette.none": mark("Nothing has this name, and no text contains it."),
  "palette.group.actions": mark("Actions"),
  "palette.group.labels": mark("Labels"),
  "palette.group.pages": mark("Pages"),
  "palette.group.documents": mark("Documents"),
  "palette.group.runs": mark("Runs"),
  "palette.group.help": mark("Help"),
  "palette.group.display": mark("Display"),
  "palette.group.projects": mark("Projects"),
  "palette.inspect": mark("Inspect {run}"),
  "palette.train": mark("{run} on the Train page"),
  "palette.tour": mark("Guided tour"),
  "palette.theme": mark("Light or dark"),
  "palette.language": mark("Switch language"),
  "palette.page.data": mark("Data"),
  "palette.page.annotate": mark("Annotate"),
  "palette.page.review": mark("Review"),
  "palette.page.train": mark("Train"),
  "palette.page.tag": mark("Tag"),
  "palette.page.inspect": mark("Inspect"),
  "palette.page.compare": mark("Compare"),
  "palette.page.ledger": mark("Ledger"),
  "palette.page.dictionary": mark("Dictionary"),
  "palette.page.dashboard": mark("Dashboard"),
  "palette.page.settings": mark("Settings"),
};
