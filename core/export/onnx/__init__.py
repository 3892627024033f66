"""A tagger's scores as an ONNX graph, and a tagger of that graph that needs no torch."""
