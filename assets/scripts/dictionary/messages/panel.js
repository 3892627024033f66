// Messages that every panel of the dictionary says.

import { mark, plural } from "../../page/messages.js";

export const MESSAGES = {
  "unreachable": mark("The app does not respond. Check that it is running, then try again."),
  "stop": mark("Stop"),
  "stopped": mark("Stopped before the end; nothing was kept."),
  "made": mark("Made {time}, with version {version} of the word list."),
  "open": mark("Open in Annotate"),
  "undo": mark("Undo"),
  "undone": mark("Undone."),
  "did.accepted": mark("Added “{word}”."),
  "did.accepted_many": plural("Added {count} word.", "Added {count} words."),
  "did.rejected": mark("Rejected “{word}”."),
  "did.rejected_many": plural("Rejected {count} word.", "Rejected {count} words."),
  "did.removed": mark("Removed “{word}”."),
  "did.removed_many": plural("Removed {count} word.", "Removed {count} words."),
};
