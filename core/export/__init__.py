"""Trained taggers for other programs: Hugging Face folders, ONNX graphs, model cards, the hub, spaCy."""
