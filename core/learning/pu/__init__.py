"""From a typed word list and raw text to a tagger: PU learning and the methods around it."""
