"""The tabs of the Inspect page about many documents: errors, embeddings, probes, learning curves."""
