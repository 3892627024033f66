// How a link to a knowledge base is called where it is shown.

import { mark } from "./messages.js";

export const LINK_NAMES = { "link.nil": mark("no entry of the knowledge base (NIL)") };
