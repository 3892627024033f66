// Messages of links to a knowledge base, and of the dialog that chooses one.

import { mark, plural } from "../page/messages.js";

export const LINK_MESSAGES = {
  "link.nil": mark("no entry of the knowledge base (NIL)"),
  "annotate.link": mark("Link…"),
  "annotate.did.link": mark("{surface} is linked to {name}."),
  "annotate.did.unlink": mark("{surface} is linked to nothing."),
  "annotate.action.link": mark("changed a link"),
  "annotate_keys.link": mark("Link the focused span to a knowledge base"),
  "annotate_span_history.linked": mark("changed the link"),
  "annotate_link.title": mark("Link {surface} ({label})"),
  "annotate_link.select_first": mark("Select an annotated span first; a suggestion must be accepted before it can be linked."),
  "annotate_link.now": mark("Linked to {name}"),
  "annotate_link.search": mark("Search the knowledge base by name or id"),
  "annotate_link.entries": mark("Entries that fit"),
  "annotate_link.found": plural("{count} entry fits. Arrow keys choose, Enter links.", "{count} entries fit. Arrow keys choose, Enter links."),
  "annotate_link.none": mark("No entry has this in its name or as its id. Try fewer characters, or choose that there is no entry."),
  "annotate_link.no_base": mark("This project has no knowledge base yet. Import one on the Data page, or type an id to link to it directly."),
  "annotate_link.to_data": mark("Import a knowledge base"),
  "annotate_link.by_id": mark("Use “{id}” as the id"),
  "annotate_link.score": mark("Score {score}: name {name}, context {context}, earlier links {earlier}"),
  "annotate_link.nil": mark("No entry (NIL)"),
  "annotate_link.clear": mark("Remove the link"),
  "annotate.mark.link": mark("{told}, linked to {name}"),
};
