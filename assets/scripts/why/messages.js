// Messages of the drawer that answers "why"; those of its parts come from the server.

import { mark } from "../page/messages.js";

export const MESSAGES = {
  "why.title": mark("Why?"),
  "why.close": mark("Close"),
  "why.computing": mark("Computing …"),
  "why.inspect": mark("Open in Inspect"),
  "why.train": mark("Train a tagger"),
  "why.choose": mark("Choose a span in the text to see why."),
  "why.unreachable": mark("The app does not respond. Check that it is still running."),
};
