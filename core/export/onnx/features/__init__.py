"""Texts to the arrays that a graph reads, without torch: one class per kind of tagger.

The names of the arrays are those of the graph's inputs; `core.export.onnx.graphs` has the other side.
"""
