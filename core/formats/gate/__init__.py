"""GATE: its XML, one file per document, and its JSON."""
