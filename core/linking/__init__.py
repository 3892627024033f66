"""Entity linking: files of knowledge bases, and which entries a span may mean. Needs no torch."""
