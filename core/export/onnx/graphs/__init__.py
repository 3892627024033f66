"""The forward pass of every kind of tagger as a module that torch can trace: no Python branches on values, no
caches, every size open."""
