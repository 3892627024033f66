// Messages of the menu that corrects a tagged sentence where it stands; the names of its actions are the annotator's.

import { inContext, mark } from "../page/messages.js";
import { MESSAGES as ANNOTATOR } from "../annotator/messages.js";

export const MESSAGES = {
  ...ANNOTATOR,
  "correct.text": mark("Sentence; select characters to add a span"),
  "correct.adds": mark("Not in the project yet. A correction adds it."),
  "correct.standing": mark("This sentence is already annotated (document {name}). Corrections change that annotation."),
  "correct.standing_by": mark("This sentence is already annotated (document {name}), by {user}, {time}. Corrections change that annotation."),
  "correct.nothing": mark("It is already annotated this way."),
  "correct.correction": mark("{did} Recorded in the ledger as a correction of {run}."),
  "correct.confirmed": mark("{did} Confirmed in the ledger."),
  "correct.stored": mark("{did} Saved."),
  "correct.own": mark("{did} Saved in your version; it counts as a correction once the versions are merged."),
  "correct.added": mark("{told} The sentence is a document now."),
  "correct.discarded": mark("{did} The sentence is in the trash of the project."),
  "correct.undo": inContext("correction", "Undo"),
  "correct.ledger": mark("Open in Ledger"),
  "correct.document": mark("Open in Annotate"),
  "correct.not_saved": mark("Not saved: {reason}"),
  "correct.conflict_later": mark("Not saved. The document is as somebody else has saved it."),
};
